internal import FootageBase

/// Finds the run of a sample or of a time in a table of (count, value) runs, as `stts` and `ctts` are.
///
/// A mark stands at every 64th entry: a look-up is a binary search over the marks and a walk over at most 64 entries,
/// empty ones among them, and the marks take a quarter of the table's bytes.
struct RunIndex: Sendable {
  struct Run: Hashable {
    /// Never empty.
    let samples: Range<Int>
    let value: UInt32
    /// Sum of the values of all samples before these: their decoding time, of an `stts`.
    let sumBefore: Int64
  }

  private struct Mark {
    /// The first of the entry.
    let sample: Int
    /// Of the values before it.
    let sum: Int64
  }

  private let table: EntryTable
  private let marks: [Mark]
  /// How many samples there are in the track; entries may count fewer, or more.
  private let sampleCount: Int
  /// How many of them the entries count.
  let covered: Int
  /// Of all values, those of samples that are not there left out.
  let total: Int64

  private static let step = 64

  /// - Parameter table: its values times its counts, up to `sampleCount`, stay below 2^63: sums wrap around else.
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

  /// The run of a sample; nil for one that the table does not count.
  func run(of sample: Int, in buffer: BoxBuffer) -> Run? {
    guard sample >= 0, sample < covered else { return nil }
    return run(from: { $0.sample <= sample }, in: buffer) { run in run.samples.upperBound > sample }
  }

  /// The last run that begins at a sum of at most `sum`; nil where there is none.
  func lastRun(beginningAtOrBefore sum: Int64, in buffer: BoxBuffer) -> Run? {
    var found: Run?
    _ = run(from: { $0.sum <= sum }, in: buffer) { run in
      guard run.sumBefore <= sum else { return true }
      found = run
      return false
    }
    return found
  }

  /// The first run for which `isWanted` holds, between the last mark for which `isBefore` does and the next one.
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
