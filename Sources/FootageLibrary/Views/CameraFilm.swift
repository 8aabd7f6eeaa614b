internal import FootageDigest
internal import FootageAPI
package import FootageBase
internal import FootageMedia
internal import FootageSystem

/// What a camera recorded over some time, across its recordings: as a film and as a clip.
///
/// Each moment is shown by the recording that `Timeline` says. Everything here blocks: not for an event loop.
package struct CameraFilm: Sendable {
  private let library: any RecordingOpener
  private let camera: String?
  private let range: Range<UnixTimestamp>
  private let parts: [Timeline<Recording>.Part]

  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - recordings: what the asker may see.
  /// - Throws: `LibraryError`: `.noFootage` with the nearest moments where nothing that plays is there.
  package init(
    ofCamera camera: String?, in range: Range<UnixTimestamp>, of recordings: VisibleRecordings,
    _ library: any RecordingOpener
  ) throws(LibraryError) {
    self.library = library
    self.camera = camera
    self.range = range
    parts = recordings.timeline(ofCamera: camera, in: range, where: \.isFilm)?.parts ?? []
    guard parts.isEmpty else { return }
    let around = recordings.momentsAround(range, ofCamera: camera, where: \.isFilm)
    throw .noFootage(before: around.before, after: around.after)
  }

  /// Whether a time is short enough, whatever was recorded then.
  ///
  /// - Throws: `LibraryError.tooLong`.
  package static func check(_ range: Range<UnixTimestamp>, isClip: Bool) throws(LibraryError) {
    guard range.milliseconds <= (isClip ? Clip.longest / 1_000_000 : LibraryLimits.filmMilliseconds) else {
      throw .tooLong(isClip ? Clip.isTooLong : LibraryLimits.filmIsTooLong)
    }
  }

  /// What it is made of.
  var recordings: [Recording] { parts.map(\.recording) }

  /// Of which the answer is a part, for who asks whether it may be seen.
  package var firstRecording: Recording { parts[0].recording }

  // MARK: Film

  /// The playlist of all segments in that time, each recording a stretch of its own.
  ///
  /// - Parameters:
  ///   - isGrowing: whether what is recorded next belongs to it, so that it has no end yet.
  ///   - prefix: what stands before a version's tag in the parts' relative URLs.
  /// - Throws: `LibraryError`: `.tooLong`.
  package func playlist(isGrowing: Bool, prefix: String) throws(LibraryError) -> Representation {
    try Self.check(range, isClip: false)
    var playlist = FilmPlaylist(isGrowing ? .growing : .whole)
    var last: Recording?
    for part in parts {
      let film = try film(of: part.recording, isGrowing: isGrowing)
      last = part.recording
      let start = film.start
      let segments = try film.segments(
        of: part.from.milliseconds - start.milliseconds..<part.to.milliseconds - start.milliseconds,
        isCutAtStart: part.from > start && part.from > range.lowerBound,
        isCutAtEnd: part.to < part.recording.timelineEntry.to && part.to < range.upperBound)
      guard !segments.isEmpty else { continue }
      guard playlist.entryCount + segments.count <= LibraryLimits.filmSegments else {
        throw .tooLong(LibraryLimits.filmIsTooLong)
      }
      do throws(ViewError) {
        try playlist.append(
          segments: segments, of: film.views.index, film.views.source, start: start,
          prefix: "\(prefix)\(VersionTag(entityTag: film.tag).text)/")
      } catch {
        throw LibraryError(error, of: part.recording.name)
      }
    }
    guard let last, playlist.entryCount > 0 else { throw .noFootage(before: nil, after: nil) }
    return try library.openFilm(last).representation(ofPlaylist: playlist.text(isComplete: !isGrowing))
  }

  /// In a playlist that grows, what grew within the last day stays what it was.
  private func film(of recording: Recording, isGrowing: Bool) throws(LibraryError) -> IndexedFilm {
    if isGrowing, recording.state == .ready, let grown = library.films.film(at: recording.path) {
      do throws(LibraryError) { return try library.openFilm(grown, of: recording).indexed } catch {
        guard case .storage = error else { return try library.indexedFilm(recording) }
        throw error
      }
    }
    return try library.indexedFilm(recording)
  }

  // MARK: Clip

  /// All of that time as one movie.
  ///
  /// - Throws: `LibraryError`: `.tooLong`, `.formatsDiffer` with the parts' targets.
  package func clip() throws(LibraryError) -> Representation {
    try Self.check(range, isClip: true)
    guard parts.count <= LibraryLimits.clipRecordings else { throw .tooLong(LibraryLimits.clipHasTooManyRecordings) }
    var clip = Clip()
    var films: [OpenFilm] = []
    var digest = SHA256()
    digest.update(Array("\(Clip.viewVersion) \(range.lowerBound.milliseconds) \(range.upperBound.milliseconds)".utf8))
    var last: UnixTimestamp?
    for (number, part) in parts.enumerated() {
      let film = try library.openFilm(part.recording)
      let start = part.recording.startedAt.milliseconds
      let entry = part.recording.timelineEntry
      // What is whole is taken to its last sample, which lies between two milliseconds.
      let end = part.to == entry.to ? film.views.end : (part.to.milliseconds - start) * 1_000_000
      let times =
        (part.from.milliseconds - start) * 1_000_000..<max(end, (part.from.milliseconds - start) * 1_000_000 + 1)
      let gap = last.map { max(0, part.from.milliseconds - $0.milliseconds) * 1_000_000 } ?? 0
      do throws(ViewError) {
        let wanted = Clip.Wanted(times: times, gap: gap, isLast: number == parts.count - 1)
        try clip.append(wanted, of: film.views.index, film.views.source)
      } catch {
        switch error {
        // No picture of it begins in so short a time.
        case .outside: continue
        case .formatsDiffer: throw .formatsDiffer(targets: targets)
        default: throw LibraryError(error, of: part.recording.name)
        }
      }
      digest.update(Array(" \(film.tag) \(times.lowerBound) \(times.upperBound)".utf8))
      films.append(film)
      last = part.to
    }
    let composition: Composition
    do throws(ViewError) { composition = try clip.composition() } catch {
      throw .noFootage(before: nil, after: nil)
    }
    let tag = "\(Hexadecimal.encode(digest.finish().prefix(16)))-m\(Clip.viewVersion)"
    return OpenFilm.representation(of: composition, in: films, entityTag: tag)
  }

  /// Where the parts are, each as a clip of its own.
  private var targets: [String] {
    parts.map { part in
      let start = part.recording.startedAt.milliseconds
      return Resource.recording(
        name: part.recording.name,
        .clip(
          start: DecimalSeconds(nanoseconds: max(0, part.from.milliseconds - start) * 1_000_000),
          end: DecimalSeconds(nanoseconds: max(1, part.to.milliseconds - start) * 1_000_000),
          version: part.recording.versionTag)
      ).target
    }
  }
}

extension Recording {
  /// Whether it is ready, or grows, and can be shown as a film.
  fileprivate var isFilm: Bool { film != nil || state == .ready && content?.index?.shift != nil }
}

extension Range<UnixTimestamp> {
  /// Its length; clamped.
  fileprivate var milliseconds: Int64 {
    let (difference, overflows) = upperBound.milliseconds.subtractingReportingOverflow(lowerBound.milliseconds)
    return overflows ? .max : difference
  }
}
