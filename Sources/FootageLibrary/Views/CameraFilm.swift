internal import FootageDigest
internal import FootageAPI
package import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The footage of a camera over a range of time, across its recordings, as a film and as a clip.
///
/// Each moment is shown by the recording that `Timeline` selects. Everything here blocks: do not call on an event loop.
package struct CameraFilm: Sendable {
  private let library: any RecordingOpener
  private let camera: String?
  private let range: Range<UnixTimestamp>
  private let parts: [Timeline<Recording>.Part]

  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - recordings: the recordings that the client may see.
  /// - Throws: `LibraryError`: `.noFootage` with the nearest moments if nothing playable was recorded in the range.
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

  /// Throws if a range is too long, even if little was recorded in it.
  ///
  /// - Throws: `LibraryError.tooLong`.
  package static func check(_ range: Range<UnixTimestamp>, isClip: Bool) throws(LibraryError) {
    guard range.milliseconds <= (isClip ? Clip.longest / 1_000_000 : LibraryLimits.filmMilliseconds) else {
      throw .tooLong(isClip ? Clip.isTooLong : LibraryLimits.filmIsTooLong)
    }
  }

  /// The recordings that the film or clip consists of.
  var recordings: [Recording] { parts.map(\.recording) }

  /// The recording by whose camera the client's right to the answer is checked.
  package var firstRecording: Recording { parts[0].recording }

  // MARK: Film

  /// Returns the playlist of all segments in the range, with a discontinuity between recordings, and with sound of one
  /// codec.
  ///
  /// - Parameters:
  ///   - isGrowing: true if the playlist includes future recordings, so that it has no end yet.
  ///   - prefix: the relative URL of the folder above `hls`.
  /// - Throws: `LibraryError`: `.tooLong`.
  package func playlist(isGrowing: Bool, prefix: String) throws(LibraryError) -> Representation {
    try Self.check(range, isClip: false)
    var choice = FilmSoundChoice(isGrowing: isGrowing)
    var playlist = try self.playlist(isGrowing: isGrowing, prefix: prefix) { kind, milliseconds in
      choice.add(kind, milliseconds: milliseconds)
      // Of a film that is complete, the sound is known once all of its recordings are.
      return isGrowing ? choice.sound(of: kind) : .own
    }
    if !isGrowing, !choice.isOwn {
      playlist = try self.playlist(isGrowing: isGrowing, prefix: prefix) { kind, _ in choice.sound(of: kind) }
    }
    guard playlist.entryCount > 0 else { throw .noFootage(before: nil, after: nil) }
    let last = parts[parts.count - 1].recording
    return try library.openFilm(last).representation(ofPlaylist: playlist.text(isComplete: !isGrowing))
  }

  /// - Parameter choose: returns the sound with which a recording is listed, by its kind of sound and the time for which
  ///   it is shown; nil if it is left out. It is called for each recording with segments, and for the first one of a
  ///   growing film.
  private func playlist(
    isGrowing: Bool, prefix: String, _ choose: (SoundKind, Int64) -> FilmSound?
  ) throws(LibraryError) -> FilmPlaylist {
    var playlist = FilmPlaylist(.segments, isGrowing: isGrowing)
    for (number, part) in parts.enumerated() {
      let film = try film(of: part.recording, isGrowing: isGrowing)
      let start = film.start
      let segments = try film.segments(
        of: part.from.milliseconds - start.milliseconds..<part.to.milliseconds - start.milliseconds,
        isCutAtStart: part.from > start && part.from > range.lowerBound,
        isCutAtEnd: part.to < part.recording.timelineEntry.to && part.to < range.upperBound)
      // The first recording may decide although its first segment is not complete yet.
      guard isGrowing && number == 0 || !segments.isEmpty else { continue }
      let sound = choose(film.views.index.soundKind, part.to.milliseconds - part.from.milliseconds)
      guard let sound, !segments.isEmpty else { continue }
      guard playlist.entryCount + segments.count <= LibraryLimits.filmSegments else {
        throw .tooLong(LibraryLimits.filmIsTooLong)
      }
      do throws(ViewError) {
        try playlist.append(
          segments: segments, of: film.views.index, film.views.source, start: start,
          prefix: prefix + film.address.folder + sound.folder)
      } catch {
        throw LibraryError(error, of: part.recording.name)
      }
    }
    return playlist
  }

  /// Opens a recording's film. In a growing playlist, films that were growing within the last day keep their IDs.
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

  /// Returns the whole range as one movie.
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
      // A complete part extends to its last sample, which is between two milliseconds.
      let end = part.to == entry.to ? film.views.end : (part.to.milliseconds - start) * 1_000_000
      let times =
        (part.from.milliseconds - start) * 1_000_000..<max(end, (part.from.milliseconds - start) * 1_000_000 + 1)
      let gap = last.map { max(0, part.from.milliseconds - $0.milliseconds) * 1_000_000 } ?? 0
      do throws(ViewError) {
        let wanted = Clip.Wanted(times: times, gap: gap, isLast: number == parts.count - 1)
        try clip.append(wanted, of: film.views.index, film.views.source)
      } catch {
        switch error {
        // No picture begins in so short a time.
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

  /// The targets of the parts, each as a separate clip.
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
  /// True if the recording is ready or growing, and can be shown as a film.
  fileprivate var isFilm: Bool { film != nil || state == .ready && content?.index?.shift != nil }
}

extension Range<UnixTimestamp> {
  /// The length of the range, clamped.
  fileprivate var milliseconds: Int64 {
    let (difference, overflows) = upperBound.milliseconds.subtractingReportingOverflow(lowerBound.milliseconds)
    return overflows ? .max : difference
  }
}
