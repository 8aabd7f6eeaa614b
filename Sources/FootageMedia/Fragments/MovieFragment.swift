/// A fragment of a movie, and the runs of samples in it.
///
/// It represents a `moof`. Its runs are parsed anew in each walk, because an array of them could be larger than the
/// box.
struct MovieFragment {
  let buffer: BoxBuffer
  /// The range from the first to the last byte of the samples, or nil if they have no bytes.
  private(set) var data: Range<UInt64>?
  private(set) var sampleCount = 0
  /// The number of samples without bytes.
  private(set) var emptySampleCount = 0
  /// The time at which each track begins in the fragment, for those that claim one.
  private(set) var claims: [FragmentClock.Claim] = []
  /// The types of boxes in track fragments whose information about samples is not used.
  private(set) var unusedTypes: Set<FourCharacterCode> = []

  private static let singleBoxes: [FourCharacterCode] = ["tfhd", "tfdt"]
  private static let groupTypes: Set<FourCharacterCode> = ["sbgp", "sgpd", "subs", "saiz", "saio", "senc"]

  /// - Throws: `MP4Error` if the `moof` is broken or refers to a track that does not exist.
  init(_ buffer: BoxBuffer, of movie: Movie, trackIndices: [UInt32: Int]) throws(MP4Error) {
    self.buffer = buffer
    var data: Range<UInt64>?
    var count = 0
    var entryCount = 0
    var emptyCount = 0
    var byteCount: UInt64 = 0
    var unusedTypes: Set<FourCharacterCode> = []
    var claims: [FragmentClock.Claim] = []
    let fragment = buffer.root
    let fragmentEnd = buffer.fileOffset + UInt64(fragment.end)
    try forEachRun(of: movie, trackIndices: trackIndices, unusedTypes: &unusedTypes) { (run, box) throws(MP4Error) in
      // For a track that is left out, only the place of its data matters, because other tracks' data may follow it.
      guard let track = run.track else { return }
      count += run.count
      entryCount += run.entryCount
      if run.count > 0, let time = run.decodeTime, !claims.contains(where: { $0.track == track }) {
        claims.append(FragmentClock.Claim(track: track, time: time))
      }
      emptyCount += run.emptyCount
      guard entryCount <= Limits.samples else {
        throw .tooMuch(buffer.place(of: box, in: "moof/traf"), of: "samples", limit: UInt64(Limits.samples))
      }
      guard run.byteCount > 0 else { return }
      let (end, overflow) = run.dataOffset.addingReportingOverflow(run.byteCount)
      guard !overflow, run.dataOffset >= fragmentEnd else {
        throw .samplesOutside(
          buffer.place(of: box, in: "moof/traf"), data: run.dataOffset..<max(run.dataOffset, overflow ? .max : end))
      }
      data = min(data?.lowerBound ?? .max, run.dataOffset)..<max(data?.upperBound ?? 0, end)
      let (sum, sumOverflow) = byteCount.addingReportingOverflow(run.byteCount)
      byteCount = sumOverflow ? .max : sum
    }
    // Runs that share their data are refused: a few bytes could stand for millions of samples and take as much memory.
    guard byteCount <= data.map({ $0.upperBound - $0.lowerBound }) ?? 0 else {
      throw .malformed(
        BoxPlace("moof", at: buffer.fileOffset), "has overlapping samples of \(byteCount) bytes in total")
    }
    self.data = data
    sampleCount = count
    emptySampleCount = emptyCount
    self.unusedTypes = unusedTypes
    self.claims = claims
  }

  /// Calls `body` for every run in file order, including those of tracks that are left out.
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
    // The start of a track fragment's data if the fragment does not give it: the end of the data of the one before.
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
        // A run without samples leaves the time to the next one.
        if run.count > 0 { decodeTime = nil }
        let (end, overflow) = run.dataOffset.addingReportingOverflow(run.byteCount)
        guard !overflow, end <= UInt64(Int64.max) else {
          throw .malformed(buffer.place(of: box, in: "moof/traf"), "has data at an offset that is out of range")
        }
        next = end
      }
      implicitBase = next
    }
  }

  /// The fields of `tfhd` and `tfdt` (ISO/IEC 14496-12 §8.8.7, §8.8.12).
  private struct TrackFragmentHeader {
    let children: [Box]
    /// The index of the track, or nil if the track is left out.
    let track: Int?
    let defaults: FragmentDefaults
    /// The base of data offsets, which is at most 2^60.
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
      let track = trackIndices[id]
      guard track != nil || movie.brokenTrackIDs.contains(id) else {
        throw fields.malformed("refers to track \(id), which does not exist")
      }
      self.track = track
      var defaults = movie.fragmentDefaults[id] ?? FragmentDefaults()
      var base = flags & 0x2_0000 != 0 ? buffer.fileOffset : implicitBase
      if flags & 0x1 != 0 { base = try fields.uint64() }
      guard base <= UInt64(Limits.ticks) else {
        throw fields.malformed("has data at byte \(base), which is out of range")
      }
      if flags & 0x2 != 0 { defaults.descriptionIndex = try fields.uint32() }
      if flags & 0x8 != 0 { defaults.duration = try fields.uint32() }
      if flags & 0x10 != 0 { defaults.size = try fields.uint32() }
      if flags & 0x20 != 0 { defaults.flags = try fields.uint32() }
      if let track {
        let entries = movie.tracks[track].sampleEntries.count
        guard (1...UInt64(max(1, entries))).contains(UInt64(defaults.descriptionIndex)) else {
          throw fields.malformed("refers to sample description \(defaults.descriptionIndex), but there are \(entries)")
        }
      }
      self.defaults = defaults
      self.base = base
      guard let timeBox = all["tfdt"] else {
        decodeTime = nil
        return
      }
      var time = buffer.fields(of: timeBox, in: path)
      let isLong = try time.versionAndFlags().version == 1
      // No real time exceeds 2^63, so larger values are read as negative. The movie's clock judges them in seconds.
      decodeTime = isLong ? Int64(bitPattern: try time.uint64()) : Int64(try time.uint32())
    }
  }
}
