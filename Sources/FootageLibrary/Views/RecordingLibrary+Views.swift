package import FootageAPI
package import FootageBase
internal import FootageMedia

extension RecordingOpener {
  /// Opens the bytes to serve for a recording, and rebuilds damaged files. Blocks: do not call on an event loop.
  ///
  /// - Throws: `LibraryError`: the errors of `Recording.open`.
  package func open(_ recording: Recording) throws(LibraryError) -> Representation {
    try mending(recording) { (rebuilt) throws(LibraryError) in try recording.open(rebuilt: rebuilt) }
  }

  /// Opens a recording for views of it. Blocks: do not call on an event loop.
  ///
  /// - Throws: `LibraryError`: `.notReady`; `.nothingToShow` if no views can be made of it; `.changed`,
  ///   `.indexDamaged`, `.storage`.
  package func openFilm(_ recording: Recording) throws(LibraryError) -> OpenFilm {
    if let film = recording.film { return try OpenFilm(film, of: recording) }
    return try mending(recording) { (rebuilt) throws(LibraryError) in try OpenFilm(recording, rebuilt: rebuilt) }
  }

  /// Opens only the index, which is all that a playlist needs. Blocks.
  ///
  /// - Throws: the errors of `openFilm`.
  func indexedFilm(_ recording: Recording) throws(LibraryError) -> IndexedFilm {
    if let film = recording.film { return try OpenFilm(film, of: recording).indexed }
    return try mending(recording) { (rebuilt) throws(LibraryError) in try IndexedFilm(recording, rebuilt: rebuilt) }
  }

  /// Returns the start of a recording's last picture before a moment; nil if it is unknown. Blocks.
  package func lastPicture(of recording: Recording, before moment: UnixTimestamp) -> UnixTimestamp? {
    let start = recording.startedAt
    guard recording.film != nil || recording.content?.index?.length ?? 0 > 0, moment > start,
      let film = try? openFilm(recording)
    else { return nil }
    let milliseconds = moment.milliseconds - start.milliseconds
    guard milliseconds < Int64.max / 1_000_000, let last = try? film.lastPicture(before: milliseconds * 1_000_000)
    else { return nil }
    return start.advanced(byMilliseconds: last / 1_000_000)
  }

  /// Opens a film that is growing, or was within the last day. Blocks if the film is closed; do not call it on an event
  /// loop then.
  ///
  /// - Throws: `LibraryError`: `.changed`, `.indexDamaged`, `.storage`.
  package func openFilm(_ film: GrowingFilm, of recording: Recording) throws(LibraryError) -> OpenFilm {
    try OpenFilm(film, of: recording)
  }

  /// Opens the film whose playlist is requested, by its ID.
  ///
  /// - Parameter id: nil for the current film.
  /// - Throws: `LibraryError.noSuchFilm` if the recording has no film with this ID, or no longer has it.
  private func film(_ id: FilmKey?, of recording: Recording) throws(LibraryError) -> OpenFilm {
    guard let id else { return try openFilm(recording) }
    guard let film = films.film(id), film.path == recording.path else { throw .noSuchFilm(name: recording.name) }
    return try openFilm(film, of: recording)
  }

  /// Opens the bytes of a view of a recording. Blocks: do not call on an event loop.
  ///
  /// - Throws: `LibraryError`: the errors of `Recording.open`; `.nothingToShow`.
  package func open(_ recording: Recording, _ view: RecordingView) throws(LibraryError) -> Representation {
    switch view {
    case .details, .protection, .movie: return try open(recording)
    case .playlist:
      let (base, id) = (recording.lastComponent, recording.film.map { "?id=\($0.id.text)" } ?? "")
      return try openFilm(recording).variants(
        media: "\(base).media.m3u8\(id)", keyFrames: "\(base).iframes.m3u8\(id)")
    case .mediaPlaylist(let id):
      let film = try film(id, of: recording)
      return try film.mediaPlaylist(prefix: recording.prefix(of: film))
    case .keyFramePlaylist(let id):
      let film = try film(id, of: recording)
      return try film.keyFramePlaylist(prefix: recording.prefix(of: film))
    case .index:
      return try mending(recording) { (rebuilt) throws(LibraryError) in
        try recording.representation(ofIndex: try recording.openIndex(rebuilt: rebuilt))
      }
    case .manifest:
      switch try manifest(of: recording, for: .viewer) {
      case .ready(let manifest): return try recording.representation(ofManifest: manifest)
      case .beingMade: throw .manifestBeingMade(name: recording.name)
      }
    case .raw:
      do throws(LibraryError) { return try recording.openRefused() } catch {
        if case .changed = error { requestLook(at: recording.path) }
        throw error
      }
    case .keyFrame(let seconds, _): return try openFilm(recording).keyFrame(at: seconds)
    case .keyFrames(let distance, let speed, _):
      return try openFilm(recording).keyFrames(every: distance, speed: speed)
    case .clip(let start, let end, _): return try openFilm(recording).clip(start: start, end: end)
    }
  }
}

extension Recording {
  /// The last component of the recording's URLs, without the extension, encoded for a relative URL.
  fileprivate var lastComponent: String {
    PercentEncoding.encodePath(name.split(separator: "/").last.map(String.init) ?? name)
  }

  /// Returns the text before the names of its film's parts, for URLs that are relative to its playlists.
  fileprivate func prefix(of film: OpenFilm) -> String {
    let depth = name.utf8.count { $0 == UInt8(ascii: "/") } + 1
    return String(repeating: "../", count: depth) + "hls/\(VersionTag(entityTag: film.tag).text)/"
  }
}
