internal import FootageBase

/// An index that finds the run of a sample or of a time in a table of (count, value) runs, such as `stts` and `ctts`.
///
/// Every 64th entry has a mark. A look-up is a binary search over the marks and a walk over at most 64 entries,
/// including empty ones. The marks take 1/32 of the table's bytes.
struct RunIndex: Sendable {
  struct Run: Hashable {
    /// The samples of the run, never empty.
    let samples: Range<Int>
    let value: UInt32
    /// The sum of the values of all samples before the run. For an `stts` it is their decoding time.
    let sumBefore: Int64
  }

  private struct Mark {
    /// The first sample of the entry.
    let sample: Int
    /// The sum of the values before the entry.
    let sum: Int64
  }

  private let table: EntryTable
  private let marks: [Mark]
  /// The number of samples in the track. The entries may count fewer or more.
  private let sampleCount: Int
  /// The number of the track's samples that the entries count.
  let covered: Int
  /// The sum of all values, without those of samples beyond the track's end.
  let total: Int64

  private static let step = 64

  /// - Parameter table: the sum of its values times counts, up to `sampleCount`, must stay below 2^63. Otherwise sums
  ///   wrap around.
  init(_ table: EntryTable, sampleCount: Int, in buffer: BoxBuffer) {
    let raw = buffer.bytes.borrowedSpan
    var marks: [Mark] = []
    marks.reserveCapacity(table.count / Self.step + 1)
    var sample = 0
    var sum: Int64 = 0
    var used = 0
    for entry in 0..<table.count {
      guard sample < sampleCount else { break }
      if entry % Self.step == 0 { marks.append(Mark(sample: sample, sum: sum)) }
      let position = table.position + 8 * entry
      let count = min(Int(raw.uint32(at: position)), sampleCount - sample)
      sum &+= Int64(count) &* Int64(raw.uint32(at: position + 4))
      sample += count
      used = entry + 1
    }
    self.table = EntryTable(position: table.position, count: used)
    self.marks = marks
    self.sampleCount = sampleCount
    covered = sample
    total = sum
  }

  /// Returns the run of a sample, or nil for a sample that the table does not count.
  func run(of sample: Int, in buffer: BoxBuffer) -> Run? {
    guard sample >= 0, sample < covered else { return nil }
    return run(from: { $0.sample <= sample }, in: buffer) { run in run.samples.upperBound > sample }
  }

  /// Returns the last run whose `sumBefore` is at most `sum`, or nil if there is none.
  func lastRun(beginningAtOrBefore sum: Int64, in buffer: BoxBuffer) -> Run? {
    var found: Run?
    _ = run(from: { $0.sum <= sum }, in: buffer) { run in
      guard run.sumBefore <= sum else { return true }
      found = run
      return false
    }
    return found
  }

  /// Returns the first run for which `isWanted` holds, between the last mark for which `isBefore` holds and the next
  /// mark.
  private func run(from isBefore: (Mark) -> Bool, in buffer: BoxBuffer, _ isWanted: (Run) -> Bool) -> Run? {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(marks[middle]) { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let raw = buffer.bytes.borrowedSpan
    var sample = marks[low - 1].sample
    var sum = marks[low - 1].sum
    for entry in ((low - 1) * Self.step)..<min(low * Self.step, table.count) {
      let position = table.position + 8 * entry
      let count = min(Int(raw.uint32(at: position)), sampleCount - sample)
      let value = raw.uint32(at: position + 4)
      if count > 0 {
        let run = Run(samples: sample..<(sample + count), value: value, sumBefore: sum)
        if isWanted(run) { return run }
      }
      sample += count
      sum &+= Int64(count) &* Int64(value)
    }
    return nil
  }
}
