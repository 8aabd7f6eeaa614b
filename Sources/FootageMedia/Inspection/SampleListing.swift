package import FootageBase

/// The samples of a recording, one per line, as `footage inspect --frames` lists them. All samples of the first track
/// are listed in decoding order, then those of the second track, and so on.
///
/// Each call of `next` returns a part of the listing, so the memory needed does not depend on the number of samples.
package struct SampleListing {
  /// The position of the next sample. Another listing of the same file can begin there, and so continue this one.
  package struct Position: Hashable, Sendable {
    /// The number of the track, from 0, in file order.
    package var track: Int
    /// The number of the sample, from 0, in decoding order.
    package var sample: Int

    package static let start = Position(track: 0, sample: 0)

    package init(track: Int, sample: Int) {
      self.track = track
      self.sample = sample
    }
  }

  package struct Form: Hashable, Sendable {
    /// True for one JSON object per line, false for text in columns after a line of titles.
    package var isJSON: Bool
    /// True to list only the key frames of video tracks.
    package var hasKeysOnly: Bool

    package init(isJSON: Bool, hasKeysOnly: Bool) {
      self.isJSON = isJSON
      self.hasKeysOnly = hasKeysOnly
    }
  }

  package let form: Form
  /// The position of the next sample, or nil after the last one.
  package private(set) var position: Position?
  private var isAtStart: Bool
  private let tables: MovieTables
  private let lines: SampleLines
  private var timing = TrackTiming(timescale: 1, origin: 0)
  private var walk: SampleWalk?
  private var types: SliceTypeReader?

  /// Reads the tables of a file. Reads media only if sample entries lack parameter sets, which are then searched for in
  /// key frames. May block.
  ///
  /// - Throws: `MP4Error` if the file cannot be served, or if a sample lies outside of it.
  package init(of source: some ByteSource, _ form: Form, from position: Position = .start) throws(MP4Error) {
    tables = try MovieTables.make(of: source)
    isAtStart = position == .start
    self.form = form
    lines = SampleLines(tables.movie, fileLength: source.length, isJSON: form.isJSON)
    self.position = position
    try enterTrack()
  }

  /// Returns the next lines of the listing as UTF-8. The result may be empty before the end of the listing, which is
  /// reached when `position` is nil. Reads the first bytes of each listed sample of H.264 or HEVC. May block.
  ///
  /// - Parameters:
  ///   - count: the largest number of samples to list.
  ///   - source: the file with which this listing was created.
  /// - Throws: `MP4Error`, which is `.unreadable` if the file cannot be read.
  package mutating func next(_ count: Int, from source: some ByteSource) throws(MP4Error) -> [UInt8] {
    var bytes: [UInt8] = []
    if isAtStart, !form.isJSON { bytes += lines.titles }
    isAtStart = false
    var listed = 0
    for _ in 0..<Limits.samplesPassed {
      guard listed < count, let position else { break }
      guard let sample = try walk?.next() else {
        self.position = Position(track: position.track + 1, sample: 0)
        try enterTrack()
        continue
      }
      self.position = Position(track: position.track, sample: position.sample + 1)
      guard sample.isSync || !form.hasKeysOnly else { continue }
      lines.append(
        sample, number: position.sample, of: tables.movie.tracks[position.track], timing,
        type: try sliceType(sample.bytes, source), to: &bytes)
      listed += 1
    }
    return bytes
  }

  private mutating func sliceType(_ place: Range<UInt64>, _ source: some ByteSource) throws(MP4Error) -> SliceType? {
    guard types != nil else { return nil }
    do { return try types?.type(ofSample: place, in: source) } catch { throw .unreadable(ReadFailure(error)) }
  }

  /// Moves to the track of the position, or to the next track that is listed.
  private mutating func enterTrack() throws(MP4Error) {
    walk = nil
    types = nil
    while let position {
      guard position.track < tables.movie.tracks.count else {
        self.position = nil
        return
      }
      let track = tables.movie.tracks[position.track]
      if form.hasKeysOnly, track.handler != "vide" {
        self.position = Position(track: position.track + 1, sample: 0)
        continue
      }
      var walk = SampleWalk(track, of: tables)
      for _ in 0..<min(position.sample, track.samples.count) { _ = try walk.next() }
      self.walk = walk
      timing = TrackTiming(track.edits, timescale: track.timescale, movieTimescale: tables.movie.header.timescale)
      // One reader is enough for a track with several entries, because their slices are read in the same way.
      types = track.sampleEntries.first.flatMap { SliceTypeReader($0) }
      return
    }
  }
}
