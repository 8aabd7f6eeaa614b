package import FootageBase

/// All views of one recording, as whoever has its index makes them: the robot out of the recorder's file, an app out of
/// its cache. Their bytes and their names are the same on both.
///
/// Reads the index, and may block for that.
package struct RecordingViews: Sendable {
  /// What was made of the recorder's file, which is source 0.
  package struct View: Hashable, Sendable {
    package let composition: Composition
    /// Tells it apart from all other views of the same version: letters, digits and hyphens. It changes with the way in
    /// which such a view is made.
    package let label: String
  }

  /// How much of a recording stays as it is.
  package enum State: Hashable, Sendable {
    /// All of it: it is a version.
    case whole
    /// So much as is whole; more may come.
    case growing(segments: Int, blocks: Int)
    /// All of it, and it is still shown as what grew.
    case grown
  }

  package let index: SampleIndex
  /// The bytes of the index.
  package let source: any ByteSource & Sendable
  private let state: State

  package init(_ index: SampleIndex, _ source: any ByteSource & Sendable, _ state: State = .whole) {
    self.index = index
    self.source = source
    self.state = state
  }

  /// Whether more of it may come.
  package var isGrowing: Bool { if case .growing = state { true } else { false } }

  /// Whether it is a version, and not what grows or has grown.
  package var stays: Bool { state == .whole }

  /// How many segments there are that stay as they are.
  private var segmentCount: Int {
    if case .growing(let segments, _) = state { segments } else { index.segmentCount }
  }

  /// The same of blocks.
  private var blockCount: Int { if case .growing(_, let blocks) = state { blocks } else { index.blockCount } }

  /// Whether it can be shown as a film.
  package var isFilm: Bool { index.shift != nil }

  /// When its presentation ends, in nanoseconds.
  package var end: Int64 { index.leading.timing.nanoseconds(index.end) }

  // MARK: Parts of the film

  /// The init segment of a description, from 0 on.
  ///
  /// - Throws: `ViewError.noSuchPart`.
  package func initialization(_ entry: Int) throws(ViewError) -> View {
    View(composition: Composition(try self.entry(entry).bytes, then: []), label: film("init\(entry)"))
  }

  /// The same without the sound, as key frames need it.
  ///
  /// - Throws: `ViewError.noSuchPart`.
  package func videoInitialization(_ entry: Int) throws(ViewError) -> View {
    View(composition: Composition(try self.entry(entry).leadingAlone, then: []), label: film("video\(entry)"))
  }

  private func entry(_ entry: Int) throws(ViewError) -> SampleIndex.Initialization {
    guard isFilm, index.initializations.indices.contains(entry) else { throw .noSuchPart }
    return index.initializations[entry]
  }

  /// A segment, from 0 on.
  ///
  /// - Throws: `ViewError`: `.noFilm`, `.noSuchPart`, `.index`.
  package func segment(_ number: Int) throws(ViewError) -> View {
    guard number < segmentCount else { throw .noSuchPart }
    return View(composition: try FilmSegment.segment(number, of: index, source), label: film("s\(number)"))
  }

  /// A key frame as a segment, by its block's number.
  ///
  /// - Throws: `ViewError`: `.noFilm`, `.noSuchPart`, `.index`.
  package func keyFrameSegment(_ number: Int) throws(ViewError) -> View {
    guard number < blockCount else { throw .noSuchPart }
    return View(composition: try FilmSegment.keyFrame(number, of: index, source), label: film("f\(number)"))
  }

  private func film(_ part: String) -> String { "h\(FilmSegment.viewVersion)-\(part)" }

  // MARK: Movies

  /// The key frame at or before a second.
  ///
  /// - Throws: `ViewError`.
  package func keyFrame(at seconds: DecimalSeconds) throws(ViewError) -> View {
    let picture = try KeyFrame(at: seconds, of: index, source)
    // A sample has its place in the file for itself, whatever second it was asked for by.
    return View(composition: picture.composition, label: "k\(KeyFrame.viewVersion)-\(picture.place)")
  }

  /// Its key frames as a movie.
  ///
  /// - Throws: `ViewError`.
  package func keyFrames(every distance: DecimalSeconds, speed: Int) throws(ViewError) -> View {
    View(
      composition: try KeyFrameMovie.make(every: distance, speed: speed, of: index, source),
      label: "l\(KeyFrameMovie.viewVersion)-\(distance.nanoseconds)-\(speed)")
  }

  /// A part of it as one movie.
  ///
  /// - Parameters:
  ///   - start: nil for its beginning.
  ///   - end: nil for its end; what is beyond that is the end.
  /// - Throws: `ViewError`: `.outside` where it ends before, `.tooLong`.
  package func clip(start: DecimalSeconds?, end: DecimalSeconds?) throws(ViewError) -> View {
    let lower = start?.nanoseconds ?? 0
    let upper = min(end?.nanoseconds ?? .max, self.end)
    guard lower < upper else { throw .outside }
    guard upper - lower <= Clip.longest else { throw .tooLong(Clip.isTooLong) }
    var clip = Clip()
    try clip.append(Clip.Wanted(times: lower..<upper), of: index, source)
    return View(composition: try clip.composition(), label: "c\(Clip.viewVersion)-\(lower)-\(upper)")
  }

  // MARK: Playlists

  /// The multivariant playlist, of the URLs of two others relative to it.
  ///
  /// - Throws: `ViewError`.
  package func variants(media: String, keyFrames: String) throws(ViewError) -> [UInt8] {
    try FilmVariants.playlist(of: index, source, media: media, keyFrames: keyFrames, isGrowing: isGrowing)
  }

  /// The playlist of segments.
  ///
  /// - Parameters:
  ///   - start: when the presentation begins.
  ///   - prefix: what stands before the parts' names in their relative URLs.
  /// - Throws: `ViewError`.
  package func mediaPlaylist(from start: UnixTimestamp, prefix: String) throws(ViewError) -> [UInt8] {
    var playlist = FilmPlaylist(stays ? .whole : .growing)
    try playlist.append(segments: 0..<segmentCount, of: index, source, start: start, prefix: prefix)
    return playlist.text(isComplete: !isGrowing)
  }

  /// The playlist of key frames.
  ///
  /// - Throws: `ViewError`.
  package func keyFramePlaylist(from start: UnixTimestamp, prefix: String) throws(ViewError) -> [UInt8] {
    var playlist = FilmPlaylist(.keyFrames)
    try playlist.append(
      keyFramesOf: index, upTo: isGrowing ? blockCount : nil, source, start: start, prefix: prefix)
    return playlist.text(isComplete: !isGrowing)
  }

  /// Which segments show a time.
  ///
  /// - Parameters:
  ///   - times: on the line of the presentation, in milliseconds.
  ///   - isCutAtStart: whether what is before that time must not be shown; else the first segment may begin before.
  ///   - isCutAtEnd: the same of what is behind it.
  /// - Throws: `ViewError.index`.
  package func segments(
    of times: Range<Int64>, isCutAtStart: Bool, isCutAtEnd: Bool
  ) throws(ViewError) -> Range<Int> {
    do throws(SampleIndexError) {
      let start = index.leading.timing.ticks(milliseconds: times.lowerBound)
      let end = index.leading.timing.ticks(milliseconds: times.upperBound)
      guard segmentCount > 0 else { return 0..<0 }
      if start == 0, end >= index.end, try index.segmentRows(0..<min(2, segmentCount), source).last?.time ?? 0 > 0 {
        return 0..<segmentCount
      }
      var first = try index.segment(at: start, source)
      if isCutAtStart, try index.segmentRows(first..<(first + 1), source)[0].time < start { first += 1 }
      var upper = try index.segment(at: end - 1, source) + 1
      if isCutAtEnd {
        let next = upper < index.segmentCount ? try index.segmentRows(upper..<(upper + 1), source)[0].time : index.end
        if next > end { upper -= 1 }
      }
      return min(first, segmentCount)..<min(max(first, upper), segmentCount)
    } catch {
      throw .index(error)
    }
  }
}
