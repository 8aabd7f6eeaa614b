internal import FootageBase

/// An index that finds a sample's position by `stsc`, `stsz` or `stz2`, and `stco` or `co64` (ISO/IEC 14496-12 §8.7).
///
/// Every 64th entry of `stsc` has a mark, and, if sizes differ, so has the size of every 64th sample. A look-up is a
/// binary search, and a walk over at most 64 entries and 128 sizes.
struct SamplePlaces: Sendable {
  private let samples: SampleTable
  /// The first sample of every 64th entry of `stsc`.
  private let entryMarks: [Int]
  /// The total size of all samples before every 64th one, in bytes. It is empty if all samples have the same size.
  private let sizeMarks: [UInt64]

  private static let step = 64

  init(_ samples: SampleTable, in buffer: BoxBuffer) {
    self.samples = samples
    let raw = buffer.bytes.borrowedSpan
    var entryMarks: [Int] = []
    var sample = 0
    for entry in 0..<samples.sampleToChunk.count {
      guard sample < samples.count else { break }
      if entry % Self.step == 0 { entryMarks.append(sample) }
      sample = Self.end(ofEntry: entry, firstSample: sample, samples, raw)
    }
    self.entryMarks = entryMarks

    var sizeMarks: [UInt64] = []
    if case .constant = samples.sizes {
    } else {
      sizeMarks.reserveCapacity(samples.count / Self.step + 1)
      // The sum stays below 2^58, because there are fewer than 2^26 samples.
      var sum: UInt64 = 0
      for index in 0..<samples.count {
        if index % Self.step == 0 { sizeMarks.append(sum) }
        sum += UInt64(samples.size(ofSample: index, in: raw))
      }
    }
    self.sizeMarks = sizeMarks
  }

  /// Returns the chunks of an entry, counted from 0, and the number of samples in each.
  private static func chunks(
    ofEntry entry: Int, _ samples: SampleTable, _ raw: Span<UInt8>
  ) -> (chunks: Range<Int>, samplesEach: Int) {
    let position = samples.sampleToChunk.position + 12 * entry
    let isLast = entry + 1 == samples.sampleToChunk.count
    let chunkCount = samples.chunkOffsets.entries.count
    let first = min(Int(raw.uint32(at: position)) - 1, chunkCount)
    let end = isLast ? chunkCount : min(Int(raw.uint32(at: position + 12)) - 1, chunkCount)
    return (first..<max(first, end), Int(raw.uint32(at: position + 4)))
  }

  /// Returns the first sample after an entry, at most the number of samples.
  private static func end(ofEntry entry: Int, firstSample: Int, _ samples: SampleTable, _ raw: Span<UInt8>) -> Int {
    let (chunks, samplesEach) = chunks(ofEntry: entry, samples, raw)
    let (count, overflow) = chunks.count.multipliedReportingOverflow(by: samplesEach)
    return overflow || count > samples.count - firstSample ? samples.count : firstSample + count
  }

  /// Returns the range of a sample in the file to which the chunk offsets refer, and the number of its entry in `stsd`,
  /// from 1.
  ///
  /// - Returns: nil for a sample that does not exist, or whose position exceeds 64 bits.
  func place(
    of sample: Int, in buffer: BoxBuffer
  ) -> (bytes: Range<UInt64>, descriptionIndex: UInt32)? {
    guard sample >= 0, sample < samples.count else { return nil }
    let raw = buffer.bytes.borrowedSpan
    var low = 0
    var high = entryMarks.count
    while low < high {
      let middle = (low + high) / 2
      if entryMarks[middle] <= sample { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    var first = entryMarks[low - 1]
    for entry in ((low - 1) * Self.step)..<samples.sampleToChunk.count {
      let next = Self.end(ofEntry: entry, firstSample: first, samples, raw)
      guard next > sample else {
        first = next
        continue
      }
      let (chunks, samplesEach) = Self.chunks(ofEntry: entry, samples, raw)
      let chunk = (sample - first) / samplesEach
      let firstOfChunk = first + chunk * samplesEach
      let offset = samples.offset(ofChunk: chunks.lowerBound + chunk, in: raw)
      let skipped = byteCount(before: sample, raw) - byteCount(before: firstOfChunk, raw)
      let (start, overflow) = offset.addingReportingOverflow(skipped)
      let (end, endOverflow) = start.addingReportingOverflow(UInt64(samples.size(ofSample: sample, in: raw)))
      guard !overflow, !endOverflow else { return nil }
      let position = samples.sampleToChunk.position + 12 * entry
      return (start..<end, raw.uint32(at: position + 8))
    }
    return nil
  }

  /// Returns the total size of all samples before this one, in bytes.
  private func byteCount(before sample: Int, _ raw: Span<UInt8>) -> UInt64 {
    if case .constant(let size) = samples.sizes { return UInt64(size) * UInt64(sample) }
    let mark = sample / Self.step
    var sum = sizeMarks[mark]
    for index in (mark * Self.step)..<sample { sum += UInt64(samples.size(ofSample: index, in: raw)) }
    return sum
  }
}
