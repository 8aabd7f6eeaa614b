package import FootageBase

/// All views of one recording. Both a robot and an app can make them: the robot from the recorder's file, the app from
/// its cache. The bytes and names of the views are the same in both cases.
///
/// Reads the index, and may block for that.
package struct RecordingViews: Sendable {
  /// A view that is made from the recorder's file, which is source 0.
  package struct View: Hashable, Sendable {
    package let composition: Composition
    /// The label that distinguishes the view from all others of the same version: letters, digits and hyphens. It
    /// contains the version of the code that makes such views.
    package let label: String
  }

  /// The state of a recording, which decides which part of it will not change any more.
  package enum State: Hashable, Sendable {
    /// All of the recording, which is a version.
    case whole
    /// The complete segments and blocks. More may follow.
    case growing(segments: Int, blocks: Int)
    /// All of a recording that has ended, but keeps the segments that it had while it grew.
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

  /// True if more segments may follow.
  package var isGrowing: Bool { if case .growing = state { true } else { false } }

  /// True if the recording is a version, and not one that grows or has grown.
  package var stays: Bool { state == .whole }

  /// The number of segments that will not change.
  private var segmentCount: Int {
    if case .growing(let segments, _) = state { segments } else { index.segmentCount }
  }

  /// The number of blocks that will not change.
  private var blockCount: Int { if case .growing(_, let blocks) = state { blocks } else { index.blockCount } }

  /// True if the recording can be shown as a film.
  package var isFilm: Bool { index.shift != nil }

  /// The end of the presentation in nanoseconds.
  package var end: Int64 { index.leading.timing.nanoseconds(index.end) }

  // MARK: Parts of the film

  /// Returns a part of the film.
  ///
  /// - Throws: `ViewError`: `.noSuchPart` also for the part that only growing recordings have.
  package func part(_ part: FilmPart) throws(ViewError) -> View {
    switch part {
    case .initialization(let entry, let sound): try initialization(entry, sound: sound)
    case .videoInitialization(let entry): try videoInitialization(entry)
    case .segment(let number, let sound): try segment(number, sound: sound)
    case .keyFrame(let number): try keyFrameSegment(number)
    case .next: throw .noSuchPart
    }
  }

  /// Returns the init segment of a description, which counts from 0.
  ///
  /// - Parameter sound: the sound that its segments have.
  /// - Throws: `ViewError`: `.noSuchPart`; `.noVideo` for another sound than that of a recording without pictures;
  ///   `.broken`.
  package func initialization(_ entry: Int, sound: FilmSound = .own) throws(ViewError) -> View {
    let initialization = try self.entry(entry)
    try check(sound)
    let bytes =
      switch sound {
      case .own: initialization.bytes
      case .mute: initialization.leadingAlone
      case .silence(let coding):
        try mapError(ViewError.broken, try SilentTrack(coding, besides: index.leading).added(to: initialization))
      }
    return View(composition: Composition(bytes, then: []), label: film("init\(entry)", sound))
  }

  /// Returns the init segment without the sound, as key frames need it.
  ///
  /// - Throws: `ViewError.noSuchPart`.
  package func videoInitialization(_ entry: Int) throws(ViewError) -> View {
    View(composition: Composition(try self.entry(entry).leadingAlone, then: []), label: film("video\(entry)"))
  }

  private func entry(_ entry: Int) throws(ViewError) -> SampleIndex.Initialization {
    guard isFilm, index.initializations.indices.contains(entry) else { throw .noSuchPart }
    return index.initializations[entry]
  }

  /// Other sound than its own is for pictures.
  private func check(_ sound: FilmSound) throws(ViewError) {
    guard sound == .own || index.leading.handler == "vide" else { throw .noVideo }
  }

  /// Returns a segment, whose number counts from 0.
  ///
  /// - Throws: `ViewError`: `.noFilm`, `.noSuchPart`, `.index`; `.noVideo` for another sound than that of a recording
  ///   without pictures.
  package func segment(_ number: Int, sound: FilmSound = .own) throws(ViewError) -> View {
    guard number < segmentCount else { throw .noSuchPart }
    try check(sound)
    return View(
      composition: try FilmSegment.segment(number, of: index, source, sound: sound), label: film("s\(number)", sound))
  }

  /// Returns a key frame as a segment, by the number of its block.
  ///
  /// - Throws: `ViewError`: `.noFilm`, `.noSuchPart`, `.index`.
  package func keyFrameSegment(_ number: Int) throws(ViewError) -> View {
    guard number < blockCount else { throw .noSuchPart }
    return View(composition: try FilmSegment.keyFrame(number, of: index, source), label: film("f\(number)"))
  }

  private func film(_ part: String, _ sound: FilmSound = .own) -> String {
    "h\(FilmSegment.viewVersion)-\(part)\(sound.name.map { "-\($0)" } ?? "")"
  }

  // MARK: Movies

  /// Returns the key frame at or before a time.
  ///
  /// - Throws: `ViewError`.
  package func keyFrame(at seconds: DecimalSeconds) throws(ViewError) -> View {
    let picture = try KeyFrame(at: seconds, of: index, source)
    // The label has the sample's place in the file, so that it is the same for all times that lead to this sample.
    return View(composition: picture.composition, label: "k\(KeyFrame.viewVersion)-\(picture.place)")
  }

  /// Returns the key frames as a movie.
  ///
  /// - Throws: `ViewError`.
  package func keyFrames(every distance: DecimalSeconds, speed: Int) throws(ViewError) -> View {
    View(
      composition: try KeyFrameMovie.make(every: distance, speed: speed, of: index, source),
      label: "l\(KeyFrameMovie.viewVersion)-\(distance.nanoseconds)-\(speed)")
  }

  /// Returns a part of the recording as one movie.
  ///
  /// - Parameters:
  ///   - start: the start of the part, or nil for the beginning.
  ///   - end: the end of the part, or nil for the end. A time after the end means the end.
  /// - Throws: `ViewError`, which may be `.outside` if the recording ends before that time, or `.tooLong`.
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

  /// Returns the multivariant playlist with the relative URLs of two other playlists.
  ///
  /// - Throws: `ViewError`.
  package func variants(media: String, keyFrames: String) throws(ViewError) -> [UInt8] {
    try FilmVariants.playlist(of: index, source, media: media, keyFrames: keyFrames, isGrowing: isGrowing)
  }

  /// Returns the playlist of segments.
  ///
  /// - Parameters:
  ///   - start: the time at which the presentation begins.
  ///   - prefix: the prefix of the parts' names in their relative URLs.
  /// - Throws: `ViewError`.
  package func mediaPlaylist(from start: UnixTimestamp, prefix: String) throws(ViewError) -> [UInt8] {
    var playlist = FilmPlaylist(.segments, isGrowing: !stays)
    try playlist.append(segments: 0..<segmentCount, of: index, source, start: start, prefix: prefix)
    return playlist.text(isComplete: !isGrowing)
  }

  /// Returns the playlist of key frames.
  ///
  /// - Throws: `ViewError`.
  package func keyFramePlaylist(from start: UnixTimestamp, prefix: String) throws(ViewError) -> [UInt8] {
    var playlist = FilmPlaylist(.keyFrames, isGrowing: !stays)
    try playlist.append(
      keyFramesOf: index, upTo: isGrowing ? blockCount : nil, source, start: start, prefix: prefix)
    return playlist.text(isComplete: !isGrowing)
  }

  /// Returns the numbers of the segments that show a range of times.
  ///
  /// - Parameters:
  ///   - times: the times in the presentation, in milliseconds.
  ///   - isCutAtStart: true if nothing before that range may be shown. Otherwise the first segment may begin earlier.
  ///   - isCutAtEnd: true if nothing after that range may be shown. Otherwise the last segment may end later.
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
      let row = try index.segmentRows(first..<(first + 1), source)[0]
      let isOver = row.endsBeforeGap && shownEnd(of: row) <= start
      if isOver || isCutAtStart && row.time < start { first += 1 }
      var upper = try index.segment(at: end - 1, source) + 1
      if isCutAtEnd {
        let rows = try index.segmentRows((upper - 1)..<min(upper + 1, index.segmentCount), source)
        let next = rows[0].endsBeforeGap ? shownEnd(of: rows[0]) : rows.count > 1 ? rows[1].time : index.end
        if next > end { upper -= 1 }
      }
      return min(first, segmentCount)..<min(max(first, upper), segmentCount)
    } catch {
      throw .index(error)
    }
  }

  /// Returns the end of what a segment before a gap shows, in ticks of the leading track.
  private func shownEnd(of row: SegmentRow) -> Int64 {
    row.time + index.leading.timing.ticks(hundredThousandths: row.shownTime)
  }
}
