/// The track runs of one `moof`.

/// ISO/IEC 14496-12 §8.8.8: samples of one track that lie together in the file.
struct TrackRun {
  /// Index into the movie's tracks.
  let track: Int
  /// From 1, into `stsd`.
  let descriptionIndex: UInt32
  /// Of the first sample, in the file.
  let dataOffset: UInt64
  /// Of all samples together.
  let byteCount: UInt64
  let count: Int
  /// Of the first sample; nil where it follows the track's last one (ISO/IEC 14496-12 §8.8.12).
  let decodeTime: Int64?
  /// Which fields the records have.
  private let fields: UInt32
  /// Of the first record, in the buffer.
  private let records: Int
  private let defaults: FragmentDefaults
  private let firstSampleFlags: UInt32?

  struct Sample {
    let duration: UInt32
    let size: UInt32
    let flags: UInt32
    let compositionOffset: Int32
  }

  private static let hasDataOffset: UInt32 = 0x1
  private static let hasFirstSampleFlags: UInt32 = 0x4
  private static let hasDuration: UInt32 = 0x100
  private static let hasSize: UInt32 = 0x200
  private static let hasFlags: UInt32 = 0x400
  private static let hasCompositionOffset: UInt32 = 0x800

  /// - Parameters:
  ///   - base: what a data offset counts from.
  ///   - implicitOffset: where the data begins if the run does not say.
  init(
    _ box: Box, in buffer: BoxBuffer, track: Int, defaults: FragmentDefaults, base: UInt64, implicitOffset: UInt64,
    decodeTime: Int64?
  ) throws(MP4Error) {
    var reader = buffer.fields(of: box, in: "moof/traf")
    let place = buffer.place(of: box, in: "moof/traf")
    fields = try reader.versionAndFlags().flags
    let sampleCount = try reader.uint32()
    guard sampleCount <= UInt32(Limits.samples) else {
      throw .tooMuch(place, of: "samples", limit: UInt64(Limits.samples))
    }
    var dataOffset = implicitOffset
    if fields & Self.hasDataOffset != 0 {
      let relative = Int64(Int32(bitPattern: try reader.uint32()))
      // Both are far below 2^63: the base was checked against it.
      let absolute = Int64(base) + relative
      guard absolute >= 0 else { throw .malformed(place, "has its data before the file's beginning") }
      dataOffset = UInt64(absolute)
    }
    firstSampleFlags = fields & Self.hasFirstSampleFlags != 0 ? try reader.uint32() : nil
    let words = (fields >> 8 & 15).nonzeroBitCount
    let table = try reader.table(count: sampleCount, entrySize: 4 * words)
    count = table.count
    records = table.position
    self.track = track
    self.defaults = defaults
    self.dataOffset = dataOffset
    self.decodeTime = decodeTime
    descriptionIndex = defaults.descriptionIndex
    if fields & Self.hasSize == 0 {
      guard defaults.size > 0 || count <= Limits.emptySamplesPerRun else {
        throw .malformed(place, "claims \(count) samples without a size")
      }
      byteCount = UInt64(defaults.size) * UInt64(count)
    } else {
      let raw = buffer.bytes.span
      var position = records + (fields & Self.hasDuration != 0 ? 4 : 0)
      var sum: UInt64 = 0
      for _ in 0..<count {
        sum += UInt64(raw.uint32(at: position))
        position += 4 * words
      }
      byteCount = sum
    }
  }

  /// Every sample, in order. `tr_flags`: ISO/IEC 14496-12 §8.8.8.1.
  @inline(__always)
  func forEachSample(in buffer: BoxBuffer, _ body: (Sample) -> Void) {
    let raw = buffer.bytes.span
    var position = records
    func next() -> UInt32 {
      defer { position += 4 }
      return raw.uint32(at: position)
    }
    for index in 0..<count {
      let duration = fields & Self.hasDuration != 0 ? next() : defaults.duration
      let size = fields & Self.hasSize != 0 ? next() : defaults.size
      var flags = fields & Self.hasFlags != 0 ? next() : defaults.flags
      if index == 0, let firstSampleFlags { flags = firstSampleFlags }
      // Version 0 has them unsigned, but writers put negative ones there too, and no real one passes 2^31.
      let offset = fields & Self.hasCompositionOffset != 0 ? Int32(bitPattern: next()) : 0
      body(Sample(duration: duration, size: size, flags: flags, compositionOffset: offset))
    }
  }
}

/// A `moof`, whose runs are read each time they are walked over: a list of them could be larger than the box.
struct MovieFragment {
  let buffer: BoxBuffer
  /// From the first to the last byte of its samples; empty where it has none.
  private(set) var data: Range<UInt64>?
  private(set) var sampleCount = 0
  /// Boxes of its tracks that say more about samples than is carried over.
  private(set) var unusedTypes: Set<FourCharacterCode> = []

  private static let singleBoxes: Set<FourCharacterCode> = ["tfhd", "tfdt"]
  private static let groupTypes: Set<FourCharacterCode> = ["sbgp", "sgpd", "subs", "saiz", "saio", "senc"]

  /// - Throws: `MP4Error` where the `moof` is broken or refers to a track that is not there.
  init(_ buffer: BoxBuffer, of movie: Movie, trackIndices: [UInt32: Int]) throws(MP4Error) {
    self.buffer = buffer
    var data: Range<UInt64>?
    var count = 0
    var unusedTypes: Set<FourCharacterCode> = []
    let fragment = buffer.root
    let fragmentEnd = buffer.fileOffset + UInt64(fragment.end)
    try forEachRun(of: movie, trackIndices: trackIndices, unusedTypes: &unusedTypes) { (run, box) throws(MP4Error) in
      count += run.count
      guard count <= Limits.samples else {
        throw .tooMuch(buffer.place(of: box, in: "moof/traf"), of: "samples", limit: UInt64(Limits.samples))
      }
      guard run.byteCount > 0 else { return }
      let (end, overflow) = run.dataOffset.addingReportingOverflow(run.byteCount)
      guard !overflow, run.dataOffset >= fragmentEnd else {
        throw .samplesOutside(
          buffer.place(of: box, in: "moof/traf"), data: run.dataOffset..<max(run.dataOffset, overflow ? .max : end))
      }
      data = min(data?.lowerBound ?? .max, run.dataOffset)..<max(data?.upperBound ?? 0, end)
    }
    self.data = data
    sampleCount = count
    self.unusedTypes = unusedTypes
  }

  /// Every run, in file order.
  func forEachRun(
    of movie: Movie, trackIndices: [UInt32: Int], _ body: (TrackRun) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    var unusedTypes: Set<FourCharacterCode> = []
    try forEachRun(of: movie, trackIndices: trackIndices, unusedTypes: &unusedTypes) { (run, _) throws(MP4Error) in
      try body(run)
    }
  }

  private func forEachRun(
    of movie: Movie, trackIndices: [UInt32: Int], unusedTypes: inout Set<FourCharacterCode>,
    _ body: (TrackRun, Box) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    // Where the data of a track fragment begins that says nothing: behind that of the one before.
    var implicitBase = buffer.fileOffset
    let children = try buffer.children(of: buffer.root, at: "moof", single: ["mfhd"])
    _ = try children.required("mfhd")
    for trackFragment in children.all where trackFragment.type == "traf" {
      let header = try TrackFragmentHeader(
        trackFragment, in: buffer, movie: movie, trackIndices: trackIndices, implicitBase: implicitBase)
      var next = header.base
      var decodeTime = header.decodeTime
      for box in header.children {
        if Self.groupTypes.contains(box.type) { unusedTypes.insert(box.type) }
        guard box.type == "trun" else { continue }
        let run = try TrackRun(
          box, in: buffer, track: header.track, defaults: header.defaults, base: header.base, implicitOffset: next,
          decodeTime: decodeTime)
        try body(run, box)
        decodeTime = nil
        let (end, overflow) = run.dataOffset.addingReportingOverflow(run.byteCount)
        guard !overflow, end <= UInt64(Int64.max) else {
          throw .malformed(buffer.place(of: box, in: "moof/traf"), "has its data where no file can be")
        }
        next = end
      }
      implicitBase = next
    }
  }

  /// `tfhd` and `tfdt` (ISO/IEC 14496-12 §8.8.7, §8.8.12).
  private struct TrackFragmentHeader {
    let children: [Box]
    let track: Int
    let defaults: FragmentDefaults
    /// What data offsets count from; below 2^62.
    let base: UInt64
    let decodeTime: Int64?

    init(
      _ box: Box, in buffer: BoxBuffer, movie: Movie, trackIndices: [UInt32: Int], implicitBase: UInt64
    ) throws(MP4Error) {
      let path = "moof/traf"
      let all = try buffer.children(of: box, at: path, single: singleBoxes)
      children = all.all
      var fields = buffer.fields(of: try all.required("tfhd"), in: path)
      let flags = try fields.versionAndFlags().flags
      let id = try fields.uint32()
      guard let index = trackIndices[id] else { throw fields.malformed("refers to track \(id), which is not there") }
      track = index
      var defaults = movie.fragmentDefaults[id] ?? FragmentDefaults()
      var base = flags & 0x2_0000 != 0 ? buffer.fileOffset : implicitBase
      if flags & 0x1 != 0 { base = try fields.uint64() }
      guard base <= UInt64(Limits.ticks) else { throw fields.malformed("has its data at byte \(base)") }
      if flags & 0x2 != 0 { defaults.descriptionIndex = try fields.uint32() }
      if flags & 0x8 != 0 { defaults.duration = try fields.uint32() }
      if flags & 0x10 != 0 { defaults.size = try fields.uint32() }
      if flags & 0x20 != 0 { defaults.flags = try fields.uint32() }
      let entries = movie.tracks[index].sampleEntries.count
      guard (1...UInt64(max(1, entries))).contains(UInt64(defaults.descriptionIndex)) else {
        throw fields.malformed("refers to sample description \(defaults.descriptionIndex) of \(entries)")
      }
      self.defaults = defaults
      self.base = base
      guard let timeBox = all["tfdt"] else {
        decodeTime = nil
        return
      }
      var time = buffer.fields(of: timeBox, in: path)
      let isLong = try time.versionAndFlags().version == 1
      let ticks = isLong ? try time.uint64() : UInt64(try time.uint32())
      guard ticks <= UInt64(Limits.ticks) else { throw time.malformed("has the time \(ticks)") }
      decodeTime = Int64(ticks)
    }
  }
}
