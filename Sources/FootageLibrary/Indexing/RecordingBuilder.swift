internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// A builder of the listed recording from the result of an examination of its file.
struct RecordingBuilder {
  let path: RelativePath
  let name: RecordingName
  /// The recording that was known for the file before.
  let old: Recording?
  let place: LibraryPaths
  let naming: RecordingNaming
  /// The present, in nanoseconds since 1970.
  let wall: Int64
  /// The film of the file while it grows.
  var film: GrowingFilm?

  /// - Parameters:
  ///   - changed: the time of the file's last change of any kind, in nanoseconds since 1970.
  ///   - tag: the entity tag if it is not the one in the report.
  func ready(_ file: IndexedFile, changed: Int64?, tag: String? = nil) -> Recording {
    let content = file.content
    let movie = content.movie
    let meaning = naming.meaning(of: name.text)
    // Once shared, always shared: which of the recordings remain does not change how the recorder works.
    let isShared = old?.isCreationShared ?? false && old?.creationSeconds == movie.creationTime
    let witnesses = TimeWitnesses(
      creationSeconds: movie.creationTime, isCreationShared: isShared,
      modifiedNanoseconds: file.version.modifiedNanoseconds, duration: movie.duration)
    return Recording(
      path: path, name: name.text, camera: meaning.camera, state: .ready, isRecovered: content.isRecovered,
      start: meaning.start(witnesses, now: UnixTimestamp(nanoseconds: wall)), creationSeconds: movie.creationTime,
      isCreationShared: isShared, duration: movie.duration, video: movie.video, audio: movie.audio,
      severalVideoTracks: movie.videoTracks.ifSeveral,
      version: file.version, changedNanoseconds: changed,
      content: Recording.Content(
        tag: tag ?? content.tag, composition: content.composition, preambleDigest: file.preambleDigest,
        mediaType: content.mediaType, index: content.index, indexDigest: file.indexDigest),
      place: place)
  }

  /// Returns the recording of a growing file. It keeps the start with which it was first listed, or the start of its
  /// film, and so its place in the list while it grows.
  func unfinished(_ version: FileVersion) -> Recording {
    let (camera, start) = cameraAndStart(version)
    let film = film.flatMap { !$0.isClosed && $0.inode == version.inode ? $0 : nil }
    return Recording(
      path: path, name: name.text, camera: camera, state: .recording,
      start: film?.start ?? old.flatMap { $0.state == .recording ? $0.start : nil } ?? start, version: version,
      film: film, place: place)
  }

  func refused(_ reason: String, isCutOff: Bool = false, _ version: FileVersion?) -> Recording {
    let version = version ?? FileVersion(device: 0, inode: 0, size: 0, modifiedNanoseconds: 0)
    let (camera, start) = cameraAndStart(version)
    return Recording(
      path: path, name: name.text, camera: camera, state: .refused(reason, isCutOff: isCutOff), start: start,
      version: version, place: place)
  }

  /// Returns a refused recording that is listed by its path with the extension, because another file has the same name
  /// without the extension.
  func clashing(with holder: RelativePath, _ version: FileVersion?) -> Recording {
    let version = version ?? FileVersion(device: 0, inode: 0, size: 0, modifiedNanoseconds: 0)
    let (camera, start) = cameraAndStart(version)
    return Recording(
      path: path, name: path.text, camera: camera,
      state: .refused("name taken by \(FileTree.name(of: holder.text)): rename one of the two"),
      start: start, version: version, place: place)
  }

  /// Returns the camera and start for a file whose contents could not be read.
  private func cameraAndStart(_ version: FileVersion) -> (camera: String?, start: StartTime) {
    let meaning = naming.meaning(of: name.text)
    let witnesses = TimeWitnesses(modifiedNanoseconds: version.modifiedNanoseconds)
    return (meaning.camera, meaning.start(witnesses, now: UnixTimestamp(nanoseconds: wall)))
  }
}

extension [VideoTrack] {
  /// The same tracks if there are several; none otherwise.
  var ifSeveral: [VideoTrack] { count > 1 ? self : [] }
}

extension Recording {
  /// The name that this recording would have if another file did not have it; nil if the recording has that name.
  var contestedName: String? {
    guard name == path.text, case .recording(let own) = RecordingName.of(path) else { return nil }
    return own.text
  }

  /// Returns whether the two recordings are equal in everything that clients can see.
  func isSame(as other: Recording) -> Bool {
    path == other.path && name == other.name && state == other.state && version == other.version
      && content == other.content && start == other.start && camera == other.camera
      && creationSeconds == other.creationSeconds && isCreationShared == other.isCreationShared
      && severalVideoTracks == other.severalVideoTracks && duration == other.duration && video == other.video
      && audio == other.audio && isRecovered == other.isRecovered
      && keeper == other.keeper && whereabouts.item == other.whereabouts.item && film === other.film
  }
}
