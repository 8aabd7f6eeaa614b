/// From what was found in a file to the recording that is listed.

internal import ISOMedia
internal import Storage

struct RecordingMaker {
  let path: RelativePath
  let name: RecordingName
  /// What was known of the file before.
  let old: Recording?
  let place: LibraryPlace
  /// Now, in nanoseconds since 1970.
  let wall: Int64

  func ready(_ file: IndexedFile) -> Recording {
    let movie = file.index.movie
    return Recording(
      path: path, name: name.text, camera: name.camera, state: .ready, isRecovered: file.index.isRecovered,
      startedAt: StartTime.of(
        creationTime: movie.creationTime, name: name.text, modified: Self.seconds(file.version.modifiedNanoseconds),
        duration: movie.duration, now: Self.seconds(wall)),
      duration: movie.duration, video: movie.video, audio: movie.audio, version: file.version,
      content: Recording.Content(
        tag: file.tag, headLength: UInt64(file.index.head.count), headDigest: file.headDigest, body: file.index.body,
        mediaType: file.mediaType),
      place: place)
  }

  /// Its beginning stays what it was when it was first seen, so that it keeps its place in the list while it grows.
  func unfinished(_ version: FileVersion) -> Recording {
    Recording(
      path: path, name: name.text, camera: name.camera, state: .recording,
      startedAt: old?.state == .recording ? old?.startedAt ?? 0 : startedAt(version), version: version, place: place)
  }

  func refused(_ reason: String, _ version: FileVersion?) -> Recording {
    let version = version ?? FileVersion(device: 0, inode: 0, size: 0, modifiedNanoseconds: 0)
    return Recording(
      path: path, name: name.text, camera: name.camera, state: .refused(reason), startedAt: startedAt(version),
      version: version, place: place)
  }

  /// Listed by its path with the extension, since the name is another file's.
  func clashing(with holder: RelativePath, _ version: FileVersion?) -> Recording {
    let version = version ?? FileVersion(device: 0, inode: 0, size: 0, modifiedNanoseconds: 0)
    return Recording(
      path: path, name: path.text, camera: name.camera,
      state: .refused("name taken by \(FileTree.name(of: holder.text)): rename one of the two"),
      startedAt: startedAt(version), version: version, place: place)
  }

  private func startedAt(_ version: FileVersion) -> Int64 {
    StartTime.of(
      creationTime: nil, name: name.text, modified: Self.seconds(version.modifiedNanoseconds), duration: nil,
      now: Self.seconds(wall))
  }

  private static func seconds(_ nanoseconds: Int64) -> Int64 {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? seconds - 1 : seconds
  }
}

extension Recording {
  /// The name that this file would have, were it not another's; nil where it has its own.
  var contestedName: String? {
    guard name == path.text, case .recording(let own) = RecordingName.of(path) else { return nil }
    return own.text
  }

  /// Whether nobody could tell the two apart.
  func isSame(as other: Recording) -> Bool {
    path == other.path && name == other.name && state == other.state && version == other.version
      && content == other.content && startedAt == other.startedAt
  }

  /// The same file, which can for this reason not be served.
  func refused(_ reason: String) -> Recording {
    Recording(
      path: path, name: name, camera: camera, state: .refused(reason), startedAt: startedAt, version: version,
      place: place)
  }
}
