package import FootageAPI
internal import Formats
internal import ISOMedia

extension RecordingLibrary {
  /// Opens a recording for views of it. Blocks: not for an event loop.
  ///
  /// - Throws: `LibraryError`: `.notReady`; `.nothingToShow` where none can be made of it; `.changed`, `.indexDamaged`,
  ///   `.storage`.
  package func openFilm(_ recording: Recording) throws(LibraryError) -> OpenFilm {
    try mending(recording) { (rebuilt) throws(LibraryError) in try OpenFilm(recording, rebuilt: rebuilt) }
  }

  /// Opens what a view shows of a recording. Blocks: not for an event loop.
  ///
  /// - Throws: `LibraryError`, as `Recording.open`; `.nothingToShow`.
  package func open(_ recording: Recording, _ view: RecordingView) throws(LibraryError) -> Representation {
    switch view {
    case .details, .protection, .movie: return try open(recording)
    case .playlist:
      let base = recording.lastComponent
      return try openFilm(recording).variants(media: "\(base).media.m3u8", keyFrames: "\(base).iframes.m3u8")
    case .mediaPlaylist: return try openFilm(recording).mediaPlaylist(prefix: recording.filmPrefix)
    case .keyFramePlaylist: return try openFilm(recording).keyFramePlaylist(prefix: recording.filmPrefix)
    case .index:
      return try mending(recording) { (rebuilt) throws(LibraryError) in
        try recording.representation(ofIndex: try recording.openIndex(rebuilt: rebuilt))
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
  /// What its URLs end with, before the dot: as it stands in a URL that is relative to it.
  fileprivate var lastComponent: String {
    PercentEncoding.encodePath(name.split(separator: "/").last.map(String.init) ?? name)
  }

  /// What stands before the names of its film's parts in URLs that are relative to its playlists.
  fileprivate var filmPrefix: String {
    let depth = name.utf8.count { $0 == UInt8(ascii: "/") } + 1
    return String(repeating: "../", count: depth) + "hls/\(versionTag?.text ?? "")/"
  }
}
