/// A comparison of a file with what is served from it. Both are read by a reader that shares no code with the code
/// under test.

internal import FootageMedia

/// Bytes, order, key frames and sample descriptions must be equal, track by track. Times may differ by one shift for
/// all tracks. Contradictory tables are not compared, since neither reading of them is wrong.
struct SampleComparison {
  private let index: MovieIndex
  private let source: [UInt8]
  private let served: [UInt8]
  private let sourceMovie: MovieReading
  private let servedMovie: MovieReading

  init(_ index: MovieIndex, source: [UInt8], served: [UInt8]) throws(Finding) {
    self.index = index
    self.source = source
    self.served = served
    guard let sourceMovie = MovieReading(source), let servedMovie = MovieReading(served) else {
      throw Finding(description: "the index is ready but no movie can be read")
    }
    self.sourceMovie = sourceMovie
    self.servedMovie = servedMovie
    try expect(!servedMovie.isFragmented, "what is served is fragmented")
  }

  /// Compares all tracks.
  ///
  /// - Returns: the number of samples that were compared.
  func compare() throws(Finding) -> Int {
    var count = 0
    var shifts: [(track: UInt32, seconds: Double, tick: Double)] = []
    for track in servedMovie.tracks {
      let sources = sourceMovie.tracks.filter { $0.id == track.id }
      try expect(!sources.isEmpty, "track \(track.id) is served and is not in the file")
      // If two tracks have the same ID, it is unknown which of them is meant.
      guard sources.count == 1, sources[0].contradiction == nil else { continue }
      count += try compare(track, with: sources[0])
      if haveSameTimes, haveOneClock, let shift = shift(of: track, from: sources[0]) {
        // What a timecode or a text says before the first picture or sound is hidden, to a tick of its track.
        let isExact = [Array("vide".utf8), Array("soun".utf8)].contains(track.handler)
        shifts.append((track.id, shift, isExact ? 0 : 1 / Double(max(1, track.timescale))))
      }
    }
    // Times are rounded to a tick of the movie, in the file and in what is served.
    let tolerance = 1 / Double(max(1, servedMovie.timescale)) + 1 / Double(max(1, sourceMovie.timescale)) + 1e-6
    for shift in shifts.dropFirst() {
      try expect(
        (shift.seconds - shifts[0].seconds).magnitude <= tolerance + shift.tick + shifts[0].tick,
        "track \(shift.track) is \(shift.seconds) s early, track \(shifts[0].track) \(shifts[0].seconds) s")
    }
    let isLeftOut = index.notes.contains { $0.contains("is left out") }
    for track in sourceMovie.tracks where !track.samples.isEmpty && !isLeftOut {
      try expect(servedMovie.tracks.contains { $0.id == track.id }, "track \(track.id) is missing without a word")
    }
    return count
  }

  /// False if the file has times that no recorder means, and these were mended.
  private var haveSameTimes: Bool {
    !index.notes.contains { $0.hasPrefix("its times jump") || $0.hasPrefix("durations that are negative") }
  }

  /// False if a track claims to begin so long after the others that it begins with them.
  private var haveOneClock: Bool { !index.notes.contains { $0.contains("claims to begin more than a day") } }

  private func compare(_ track: TrackReading, with other: TrackReading) throws(Finding) -> Int {
    let name = "track \(track.id)"
    try expect(track.contradiction == nil, "\(name), as served: \(track.contradiction ?? "")")
    try expect(track.handler == other.handler, "\(name) is another one")
    // A gap may need coarser ticks, and the durations of a fragment may end a little behind the beginning of the next.
    try expect(sourceMovie.isFragmented || track.timescale == other.timescale, "\(name) has other ticks")
    let (scale, otherScale) = (Double(track.timescale), Double(other.timescale))
    let tolerance = sourceMovie.isFragmented ? 0.04 + 1 / scale + 1 / otherScale : 0
    let isWhole = sourceMovie.isWhole && !index.isRecovered
    let count = min(track.samples.count, other.samples.count)
    try expect(
      !isWhole || track.samples.count == other.samples.count,
      "\(name) has \(other.samples.count) samples, served are \(track.samples.count)")
    guard count > 0 else { return 0 }
    // In fragments, every sample of sound is a key frame, regardless of its flags.
    let keysCount = !(sourceMovie.isFragmented && track.handler == Array("soun".utf8))
    var hasCutPicture = false
    for number in 0..<count {
      let (sample, original) = (track.samples[number], other.samples[number])
      let place = "\(name), sample \(number + 1)"
      try expect(served[sample.bytes] == source[original.bytes], "\(place) has other bytes")
      let later = Int64(sample.compositionOffset) - Int64(original.compositionOffset)
      if scale == otherScale, later != 0 {
        // A picture that an edit cuts is served so that it begins with the edit.
        let begins = Int64(sample.time) + Int64(sample.compositionOffset)
        let isCut = later > 0 && !hasCutPicture && track.edits.map { $0.mediaTime == begins } ?? false
        try expect(
          isCut && track.handler == Array("vide".utf8),
          "\(place), decoded at \(sample.time), is shown \(later) ticks of \(scale) Hz later; its edit begins at "
            + "\(track.edits?.mediaTime ?? -1)")
        hasCutPicture = true
      }
      try expect(sample.description == original.description, "\(place) has another description")
      try expect(!keysCount || sample.isKeyFrame == original.isKeyFrame, "\(place): is it a key frame?")
      let (time, otherTime) = (sample.time - track.samples[0].time, original.time - other.samples[0].time)
      let isSame = time == otherTime || (Double(time) / scale - Double(otherTime) / otherScale).magnitude <= tolerance
      try expect(!haveSameTimes || isSame, "\(place) is decoded at \(time), not at \(otherTime)")
    }
    return count
  }

  /// Returns the number of seconds by which a track is shown earlier than its file says; nil if that is unknown.
  private func shift(of track: TrackReading, from other: TrackReading) -> Double? {
    guard let first = other.samples.first, first.time < 1 << 40, !track.samples.isEmpty, track.edits != nil,
      let shown = start(of: track, timescale: servedMovie.timescale),
      let wanted = start(of: other, timescale: sourceMovie.timescale)
    else { return nil }
    return wanted - shown
  }

  /// Returns the time at which the media time 0 is shown, in seconds.
  private func start(of track: TrackReading, timescale: UInt32) -> Double? {
    // Empty edits of more than a day are left out.
    guard let edits = track.edits, let first = track.samples.first, timescale > 0, track.timescale > 0,
      edits.empty <= 86_400 * UInt64(timescale), edits.mediaTime < 1 << 40
    else { return nil }
    return Double(first.time - edits.mediaTime) / Double(track.timescale) + Double(edits.empty) / Double(timescale)
  }
}
