internal import FootageBase

/// A writer of a fragment: `moof`, and the header of the `mdat` after it (ISO/IEC 14496-12 §8.8).
///
/// Times are those of the recorder's file, shifted by one amount per track so that no time is negative. The shift
/// includes the edit list, and makes composition offsets non-negative by moving decoding times. In this form, all
/// players interpret the times in the same way.
struct FragmentWriter {
  /// The samples of a track, in decoding order.
  struct Part {
    let track: IndexedTrack
    let samples: [IndexedSample]
    /// True if the samples are pictures, of which only key frames can be decoded without the samples before them.
    let isPicture: Bool
  }

  private var output = BoxWriter()
  /// The positions of the runs' offset fields, and the offsets from the start of the payload.
  private var offsets: [(position: Int, offset: UInt64)] = []

  // ISO/IEC 14496-12 §8.8.3.1: sample_depends_on and sample_is_non_sync_sample.
  private static let independent: UInt32 = 0x0200_0000
  private static let dependent: UInt32 = 0x0101_0000

  /// - Parameters:
  ///   - number: the number of the fragment in the film, from 1.
  ///   - shift: the shift of times in seconds.
  /// - Returns: the bytes before the media, or nil if the media would not fit into an `mdat` of 32 bits.
  static func head(number: UInt32, _ parts: [Part], shift: UInt32, layout: MediaLayout) -> [UInt8]? {
    var writer = FragmentWriter()
    return writer.write(number: number, parts, shift: shift, layout: layout)
  }

  private mutating func write(number: UInt32, _ parts: [Part], shift: UInt32, layout: MediaLayout) -> [UInt8]? {
    output = BoxWriter(capacity: 256 + parts.reduce(0) { $0 + $1.samples.count * 28 })
    let start = output.begin("moof")
    output.fullBox("mfhd") { $0.uint32(number) }
    for part in parts { write(part, shift: shift, layout: layout) }
    output.end(start)
    guard layout.length <= UInt64(UInt32.max) - 8 else { return nil }
    output.uint32(UInt32(layout.length + 8))
    output.uint32(("mdat" as FourCharacterCode).rawValue)
    for (position, offset) in offsets {
      // Offsets count from the `moof` (ISO/IEC 14496-12 §8.8.7, default-base-is-moof).
      guard let offset = Int32(exactly: UInt64(output.bytes.count) + offset) else { return nil }
      output.replace(at: position, bigEndian: UInt32(bitPattern: offset))
    }
    // The head stays in memory while a client reads the segment, so it is copied without the capacity for more runs.
    var head: [UInt8] = []
    head.reserveCapacity(output.bytes.count)
    head.append(contentsOf: output.bytes)
    return head
  }

  private mutating func write(_ part: Part, shift: UInt32, layout: MediaLayout) {
    guard let first = part.samples.first else { return }
    let timing = part.track.timing
    let hasOneDuration = part.samples.allSatisfy { $0.duration == first.duration }
    let start = output.begin("traf")
    // The flags are default-base-is-moof, default_sample_flags, and default_sample_duration if all samples have the
    // same.
    output.fullBox("tfhd", flags: 0x02_0020 | (hasOneDuration ? 0x08 : 0)) {
      $0.uint32(part.track.id)
      if hasOneDuration { $0.uint32(first.duration) }
      $0.uint32(part.isPicture ? Self.dependent : Self.independent)
    }
    let time = first.decodingTime - timing.origin + Int64(shift) * Int64(timing.timescale)
    output.fullBox("tfdt", version: 1) { $0.uint64(UInt64(clamping: time + Int64(part.track.leastOffset))) }
    var index = 0
    while index < part.samples.count {
      let end = Self.endOfRun(from: index, part, layout)
      write(part, index..<end, hasOneDuration: hasOneDuration, layout: layout)
      index = end
    }
    output.end(start)
  }

  /// Returns the end of a run, whose samples adjoin.
  private static func endOfRun(from start: Int, _ part: Part, _ layout: MediaLayout) -> Int {
    var end = start
    var next: UInt64?
    while end < part.samples.count {
      let sample = part.samples[end]
      if sample.size > 0 {
        let place = layout.place(of: sample.offset)
        if let next, place != next { return end }
        next = place + UInt64(sample.size)
      }
      end += 1
    }
    return end
  }

  private mutating func write(_ part: Part, _ run: Range<Int>, hasOneDuration: Bool, layout: MediaLayout) {
    let samples = part.samples[run]
    guard let first = samples.first else { return }
    let least = Int64(part.track.leastOffset)
    let hasOffsets = samples.contains { Int64($0.compositionOffset) != least }
    let keyFrames = part.isPicture ? samples.lazy.filter(\.isSync).count : 0
    var flags: UInt32 = 0x201
    if keyFrames == 1, first.isSync { flags |= 0x04 } else if keyFrames > 0 { flags |= 0x400 }
    if !hasOneDuration { flags |= 0x100 }
    if hasOffsets { flags |= 0x800 }
    var position = 0
    output.fullBox("trun", version: 1, flags: flags) {
      $0.uint32(UInt32(samples.count))
      position = $0.bytes.count
      $0.uint32(0)
      if flags & 0x04 != 0 { $0.uint32(Self.independent) }
      for sample in samples {
        if !hasOneDuration { $0.uint32(sample.duration) }
        $0.uint32(sample.size)
        if flags & 0x400 != 0 { $0.uint32(sample.isSync ? Self.independent : Self.dependent) }
        if hasOffsets { $0.uint32(UInt32(clamping: Int64(sample.compositionOffset) - least)) }
      }
    }
    // Samples without bytes may be anywhere, so the first sample with bytes gives the place of the run.
    let offset = samples.first { $0.size > 0 }?.offset
    offsets.append((position, offset.map { layout.place(of: $0) } ?? 0))
  }
}
