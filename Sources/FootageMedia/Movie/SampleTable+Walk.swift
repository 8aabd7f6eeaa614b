internal import FootageBase

/// Walks over chunks and samples in file order.
extension SampleTable {
  /// Returns the offset of a chunk in the file.
  @inline(__always)
  func offset(ofChunk index: Int, in raw: Span<UInt8>) -> UInt64 {
    chunkOffsets.is64Bit
      ? raw.uint64(at: chunkOffsets.entries.position + 8 * index)
      : UInt64(raw.uint32(at: chunkOffsets.entries.position + 4 * index))
  }

  /// Calls `body` for each chunk with samples, in order. Chunks beyond the last sample are not visited.
  @inline(__always)
  func forEachChunk(
    in buffer: BoxBuffer, _ body: (Int, Chunk) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    let raw = buffer.bytes.borrowedSpan
    var firstSample = 0
    for entry in 0..<sampleToChunk.count {
      let position = sampleToChunk.position + 12 * entry
      let isLast = entry + 1 == sampleToChunk.count
      // Entries count chunks from 1.
      let first = Int(raw.uint32(at: position)) - 1
      let end = isLast ? chunkOffsets.entries.count : Int(raw.uint32(at: position + 12)) - 1
      let perChunk = Int(raw.uint32(at: position + 4))
      let description = raw.uint32(at: position + 8)
      guard perChunk > 0 else { continue }
      for index in first..<max(first, min(end, chunkOffsets.entries.count)) {
        guard firstSample < count else { return }
        let sampleCount = min(perChunk, count - firstSample)
        try body(
          index,
          Chunk(
            offset: offset(ofChunk: index, in: raw), firstSample: firstSample, sampleCount: sampleCount,
            descriptionIndex: description))
        firstSample += sampleCount
      }
    }
  }

  /// Returns the size of a sample in bytes.
  @inline(__always)
  func size(ofSample index: Int, in raw: Span<UInt8>) -> UInt32 {
    switch sizes {
    case .constant(let size): size
    case .words(let table): raw.uint32(at: table.position + 4 * index)
    case .compact(let table, 16): UInt32(raw.uint16(at: table.position + 2 * index))
    case .compact(let table, 8): UInt32(raw.uint16(at: table.position + index - 1) & 255)
    case .compact(let table, _):
      // Each byte holds two sizes, the first in its high half. The byte before the table belongs to the same box.
      UInt32(raw.uint16(at: table.position + index / 2 - 1) >> (index & 1 == 0 ? 4 : 0) & 15)
    }
  }

  /// Returns the total size of a chunk's samples in bytes, which is below 2^58.
  func byteCount(of chunk: Chunk, in buffer: BoxBuffer) -> UInt64 {
    if case .constant(let size) = sizes { return UInt64(size) * UInt64(chunk.sampleCount) }
    let raw = buffer.bytes.borrowedSpan
    var sum: UInt64 = 0
    for index in chunk.firstSample..<(chunk.firstSample + chunk.sampleCount) {
      sum += UInt64(size(ofSample: index, in: raw))
    }
    return sum
  }

  /// Returns the range of the first key frame in the file, and then that of the first sample if it is a different one.
  func placesOfFirstKeyFrame(in buffer: BoxBuffer) throws(MP4Error) -> [Range<UInt64>] {
    guard count > 0 else { return [] }
    var first = 0
    if let syncSamples {
      let raw = buffer.bytes.borrowedSpan
      for entry in 0..<syncSamples.count {
        let number = Int(raw.uint32(at: syncSamples.position + 4 * entry))
        guard (1...count).contains(number) else { continue }
        first = number - 1
        break
      }
    }
    return try (first == 0 ? [0] : [first, 0]).map { (index) throws(MP4Error) in try place(ofSample: index, in: buffer)
    }
  }

  /// Returns the range of a sample in the file, which is empty for a sample without bytes.
  private func place(ofSample index: Int, in buffer: BoxBuffer) throws(MP4Error) -> Range<UInt64> {
    let raw = buffer.bytes.borrowedSpan
    var place: Range<UInt64> = 0..<0
    try forEachChunk(in: buffer) { (_, chunk) throws(MP4Error) in
      guard index >= chunk.firstSample, index < chunk.firstSample + chunk.sampleCount else { return }
      var start = chunk.offset
      for sample in chunk.firstSample..<index {
        start = start.addingReportingOverflow(UInt64(size(ofSample: sample, in: raw))).partialValue
      }
      let size = UInt64(size(ofSample: index, in: raw))
      let (end, overflow) = start.addingReportingOverflow(size)
      place = overflow || size == 0 ? 0..<0 : start..<end
    }
    return place
  }

  /// Returns the number of samples up to the last one, in decoding order, that is shown before a time.
  ///
  /// - Parameter end: the media time in the track's ticks.
  func count(shownBefore end: Int64, in buffer: BoxBuffer) -> Int {
    let raw = buffer.bytes.borrowedSpan
    var times = RunCursor(timeToSample)
    var offsets = RunCursor(compositionOffsets ?? EntryTable())
    var decodingTime: Int64 = 0
    var (sample, last) = (0, 0)
    while sample < count {
      // Samples that no entry counts have neither an offset nor a duration.
      let delta = times.run(in: raw) ?? (count - sample, 0)
      let offset = offsets.run(in: raw) ?? (count - sample, 0)
      let run = min(delta.count, offset.count, count - sample)
      // The time that is left for the run's samples to begin in.
      let room = end - decodingTime - Int64(Int32(bitPattern: offset.value))
      if room > 0 {
        last = sample + (delta.value == 0 ? run : Int(min(Int64(run), (room - 1) / Int64(delta.value) + 1)))
      }
      decodingTime += Int64(run) * Int64(delta.value)
      times.advance(by: run)
      offsets.advance(by: run)
      sample += run
    }
    return last
  }

  /// Returns the latest end of a sample in presentation order, in the track's ticks.
  func compositionEnd(in buffer: BoxBuffer) -> Int64 {
    guard let compositionOffsets, compositionOffsets.count > 0 else { return decodingDuration }
    let raw = buffer.bytes.borrowedSpan
    var end: Int64 = 0
    // Within a run of equal deltas and equal offsets, the last sample ends last.
    var times = RunCursor(timeToSample)
    var offsets = RunCursor(compositionOffsets)
    var decodingTime: Int64 = 0
    var remaining = count
    while remaining > 0 {
      guard let delta = times.run(in: raw), let offset = offsets.run(in: raw) else { break }
      let run = min(delta.count, offset.count, remaining)
      decodingTime += Int64(run) * Int64(delta.value)
      end = max(end, decodingTime + Int64(Int32(bitPattern: offset.value)))
      times.advance(by: run)
      offsets.advance(by: run)
      remaining -= run
    }
    return end > 0 ? end : decodingDuration
  }
}

/// A position in a table of (count, value) runs.
struct RunCursor {
  private let table: EntryTable
  /// The index of the next run.
  private var index = 0
  /// The number of samples left in the current run.
  private var left = 0
  private var value: UInt32 = 0

  init(_ table: EntryTable) { self.table = table }

  /// Returns the rest of the current run, with a count of at least 1, or nil at the end.
  @inline(__always)
  mutating func run(in raw: Span<UInt8>) -> (count: Int, value: UInt32)? {
    while left == 0 {
      guard index < table.count else { return nil }
      let position = table.position + 8 * index
      (left, value) = (Int(raw.uint32(at: position)), raw.uint32(at: position + 4))
      index += 1
    }
    return (left, value)
  }

  /// - Parameter count: at most the rest of the current run. At the end of the table, nothing is left to skip.
  @inline(__always)
  mutating func advance(by count: Int) { left -= min(count, left) }

  /// Returns the value of the next sample, or nil at the end.
  @inline(__always)
  mutating func next(in raw: Span<UInt8>) -> UInt32? {
    guard let run = run(in: raw) else { return nil }
    left -= 1
    return run.value
  }

  /// Skips `count` samples, or fewer if the table ends before.
  ///
  /// - Returns: the sum of their values. It fits into 64 bits for times, and wraps around for other values.
  mutating func skip(_ count: Int, in raw: Span<UInt8>) -> Int64 {
    var sum: Int64 = 0
    var left = count
    while left > 0, let run = run(in: raw) {
      let step = min(run.count, left)
      sum &+= Int64(step) &* Int64(run.value)
      advance(by: step)
      left -= step
    }
    return sum
  }
}
