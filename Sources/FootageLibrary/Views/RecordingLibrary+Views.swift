package import FootageAPI
package import FootageBase
internal import FootageMedia
package import FootageSystem

extension RecordingOpener {
  /// Opens the bytes to serve for a recording, and rebuilds damaged files. Blocks: do not call on an event loop.
  ///
  /// - Throws: `LibraryError`: the errors of `Recording.open`.
  package func open(_ recording: Recording) throws(LibraryError) -> Representation {
    try mending(recording) { (rebuilt) throws(LibraryError) in try recording.open(rebuilt: rebuilt) }
  }

  /// Opens a recording for views of it. Blocks: do not call on an event loop.
  ///
  /// - Parameter track: the number of the video track, from 1 on; nil for the one that films show.
  /// - Throws: `LibraryError`: `.notReady`; `.nothingToShow` if no views can be made of it, or there is no such track;
  ///   `.changed`, `.indexDamaged`, `.storage`.
  package func openFilm(_ recording: Recording, track: Int? = nil) throws(LibraryError) -> OpenFilm {
    if let track {
      return try OpenFilm(recording, index: try index(of: recording, track: track), track: track)
    }
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
  /// - Parameters:
  ///   - id: nil for the current film.
  ///   - track: the number of the video track; nil for the one that films show.
  /// - Throws: `LibraryError.noSuchFilm` if the recording has no film with this ID, or no longer has it.
  private func film(_ id: ItemTag?, track: Int?, of recording: Recording) throws(LibraryError) -> OpenFilm {
    guard let id else { return try openFilm(recording, track: track) }
    guard let film = films.film(id), film.path == recording.path else { throw .noSuchFilm(name: recording.name) }
    return try openFilm(film, of: recording)
  }

  /// Opens the bytes of a view of a recording. Blocks: do not call on an event loop.
  ///
  /// - Throws: `LibraryError`: the errors of `Recording.open`; `.nothingToShow`.
  package func open(_ recording: Recording, _ view: RecordingView) throws(LibraryError) -> Representation {
    switch view {
    case .details, .protection, .movie: return try open(recording)
    case .playlist(let track):
      let film = try openFilm(recording, track: track)
      // Both playlists belong to the same film, whatever the recording has become until they are requested.
      let query = track.map { "?track=\($0)" } ?? recording.film.map { "?id=\($0.id.text)" } ?? ""
      let base = recording.lastComponent
      return try film.variants(media: "\(base).media.m3u8\(query)", keyFrames: "\(base).iframes.m3u8\(query)")
    case .mediaPlaylist(let id, let track):
      let film = try film(id, track: track, of: recording)
      return try film.mediaPlaylist(prefix: recording.prefix(of: film))
    case .keyFramePlaylist(let id, let track):
      let film = try film(id, track: track, of: recording)
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
    case .keyFrame(let seconds, let track, _): return try openFilm(recording, track: track).keyFrame(at: seconds)
    case .keyFrames(let distance, let speed, let track, _):
      return try openFilm(recording, track: track).keyFrames(every: distance, speed: speed)
    case .clip(let start, let end, let track, _):
      return try openFilm(recording, track: track).clip(start: start, end: end)
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
    return String(repeating: "../", count: depth) + film.address.folder
  }
}

extension RecordingLibrary {
  package func index(of recording: Recording, track: Int) throws(LibraryError) -> BoundComposition {
    try trackIndexes.index(of: try recording.address(ofTrack: track)) { () throws(LibraryError) in
      // The process that reads files can only read files on this machine.
      if recording.isRemote {
        return try mending(recording) { (rebuilt) throws(LibraryError) in
          try recording.storedIndex(ofTrack: track, rebuilt: rebuilt)
        }
      }
      let file: RandomAccessFile
      do throws(LibraryError) { (file, _) = try recording.openFile() } catch {
        if case .changed = error { requestLook(at: recording.path) }
        throw error
      }
      switch examiner.samples(of: file, track: track) {
      case .index(let index): return index
      case .none(let reason): throw recording.hasNoFilm(ofTrack: track, reason)
      case .unavailable(let reason): throw .unreadable(file: file.path, reason: reason)
      }
    }
  }
}

extension Recording {
  /// Returns the address of a track's film.
  ///
  /// - Throws: `LibraryError`: `.notReady`; `.nothingToShow` if it is known that there is no such track.
  func address(ofTrack track: Int) throws(LibraryError) -> FilmAddress {
    guard let key = filmKey else {
      guard film == nil else {
        throw .nothingToShow(
          name: name, reason: "Its tracks can be selected once the recording is complete: remove track.")
      }
      throw notReady
    }
    let known = videoTracks
    guard known.isEmpty || known.contains(where: { $0.number == track }) || known.count == VideoTrack.numbers.count
    else { throw hasNoFilm(ofTrack: track, "its last video track is track \(known.count)") }
    return .version(key, track: track)
  }

  func hasNoFilm(ofTrack track: Int, _ reason: String) -> LibraryError {
    .nothingToShow(name: name, reason: "There is no film of video track \(track): \(reason).")
  }

  /// Makes the index of a track of a recording whose bytes are in a store. Its robot has examined and signed these bytes,
  /// so they are read in this process.
  func storedIndex(ofTrack track: Int, rebuilt: DerivedFiles?) throws(LibraryError) -> BoundComposition {
    let (file, content) = try openFile()
    let served = try open(rebuilt: rebuilt)
    let tables: MovieTables
    do throws(MP4Error) { tables = try MovieTables(served: served.bytes, of: content.composition) } catch {
      if case .unreadable = error { throw .storeAway(name: name) }
      throw hasNoFilm(ofTrack: track, error.description)
    }
    let made = TrackSamples.made(tables, media: file, track: track)
    guard !made.index.isEmpty else { throw hasNoFilm(ofTrack: track, made.reason) }
    return BoundComposition(made.index)
  }
}
