package import FootageBase

/// The samples of a recording, a line each: what `footage inspect --frames` lists. Track after track, in decoding
/// order.
///
/// A page at a time is written, so that a list of any length needs the memory of one.
package struct SampleListing {
  /// Which sample comes next; whoever has it can go on with another listing of the same file.
  package struct Position: Hashable, Sendable {
    /// From 0, in file order.
    package var track: Int
    /// From 0, in decoding order.
    package var sample: Int

    package static let start = Position(track: 0, sample: 0)

    package init(track: Int, sample: Int) {
      self.track = track
      self.sample = sample
    }
  }

  package struct Form: Hashable, Sendable {
    /// One JSON object a line; else text in columns, below a line of titles.
    package var isJSON: Bool
    /// Key frames of pictures alone.
    package var hasKeysOnly: Bool

    package init(isJSON: Bool, hasKeysOnly: Bool) {
      self.isJSON = isJSON
      self.hasKeysOnly = hasKeysOnly
    }
  }

  package let form: Form
  /// Nil after the last one.
  package private(set) var position: Position?
  private var isAtStart: Bool
  private let tables: MovieTables
  private let lines: SampleLines
  private var timing = TrackTiming(timescale: 1, origin: 0)
  private var walk: SampleWalk?
  private var types: SliceTypeReader?

  /// Indexes a file. Reads its tables, never its media. May block.
  ///
  /// - Throws: `MP4Error` where nothing can be served of it, or a sample is outside of it.
  package init(of source: some ByteSource, _ form: Form, from position: Position = .start) throws(MP4Error) {
    tables = try MovieTables.make(of: source)
    isAtStart = position == .start
    self.form = form
    lines = SampleLines(tables.movie, fileLength: source.length, isJSON: form.isJSON)
    self.position = position
    try enterTrack()
  }

  /// The next lines; perhaps none, and none at the end. Reads the first bytes of each sample of H.264 and HEVC. May
  /// block.
  ///
  /// - Parameters:
  ///   - count: how many samples are listed, at most.
  ///   - source: the same file.
  /// - Throws: `MP4Error`, `.unreadable` where the file cannot be read.
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

  /// Begins with the track of the position, or the next one that is listed.
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
      // Where samples have several entries, their slices tell all the same.
      types = track.sampleEntries.first.flatMap { SliceTypeReader($0) }
      return
    }
  }
}
