package import FootageAPI
internal import Formats
internal import ISOMedia
internal import Storage

extension RecordingLibrary {
  /// Opens what a view shows of a recording. Blocks: not for an event loop.
  ///
  /// - Throws: `LibraryError`, as `Recording.open`; `.nothingToShow`.
  package func open(_ recording: Recording, _ view: RecordingView) throws(LibraryError) -> Representation {
    switch view {
    case .details, .protection, .movie: return try open(recording)
    case .clip, .keyFrames, .playlist, .mediaPlaylist, .keyFramePlaylist:
      throw .nothingToShow(name: recording.name, reason: "This version of Footage does not make this view.")
    case .index:
      return try mending(recording) { (rebuilt) throws(LibraryError) in
        try recording.representation(ofIndex: try recording.openIndex(rebuilt: rebuilt))
      }
    case .raw:
      do throws(LibraryError) { return try recording.openRefused() } catch {
        if case .changed = error { requestLook(at: recording.path) }
        throw error
      }
    case .keyFrame(let seconds, _):
      do throws(LibraryError) { return try keyFrame(of: recording, at: seconds) } catch {
        if case .changed = error { requestLook(at: recording.path) }
        throw error
      }
    }
  }

  private func keyFrame(
    of recording: Recording, at seconds: DecimalSeconds
  ) throws(LibraryError) -> Representation {
    let (file, content) = try recording.openFile()
    let picture: KeyFrame
    if let known = views.keyFrame(of: content.tag, at: seconds) {
      picture = known
    } else {
      do throws(ViewFailure) {
        if let failure = views.failure(of: content.tag) { throw failure }
        picture = try examiner.keyFrame(of: file, at: seconds)
      } catch {
        guard file.isStill(recording.version) else { throw .changed(name: recording.name) }
        switch error {
        case .nothing(let reason):
          views.keep(error, of: content.tag)
          throw .nothingToShow(name: recording.name, reason: reason)
        case .nothingThere(let reason): throw .nothingToShow(name: recording.name, reason: reason)
        case .fatal(let reason):
          // It is not looked at again for every request: each costs two processes.
          views.keep(error, of: content.tag)
          throw .unreadable(file: recording.path.text, reason: reason)
        case .unreadable(let reason): throw .unreadable(file: recording.path.text, reason: reason)
        }
      }
      // Made of bytes that were this version's all the time.
      guard file.isStill(recording.version) else { throw .changed(name: recording.name) }
      views.keep(picture, of: content.tag)
    }
    // A sample has its place in the file for itself, whatever second it was asked for by.
    let tag = VersionTag.entityTag(of: content.tag, view: "k\(KeyFrame.viewVersion)-\(picture.place)")
    return recording.representation(of: picture.composition, in: file, entityTag: tag)
  }
}
