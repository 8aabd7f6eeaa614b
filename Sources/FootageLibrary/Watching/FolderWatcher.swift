/// The watched folders below the recordings folder, and the translation of the kernel's events into paths.

internal import FootageBase
internal import FootageSystem

/// The watches on the folders below the recordings folder. Without a stream it watches nothing; all other functions
/// work.
struct FolderWatcher {
  enum Event: Equatable {
    /// A writer closed the file.
    case finished(RelativePath)
    case moved(RelativePath)
    /// The file was created or linked.
    case created(RelativePath)
    case modified(RelativePath)
    /// The file's mode or times were changed.
    case touched(RelativePath)
    case gone(RelativePath)
    /// A video file that is not MP4 appeared in the folder or disappeared.
    case foreign(RelativePath)
    /// The folder appeared, disappeared or was replaced, so it must be listed again.
    case folder(RelativePath)
    /// A folder whose name starts with a dot was deleted or moved away; it may be the state folder.
    case hiddenFolderGone(RelativePath)
    /// The recordings folder itself was removed or replaced.
    case rootGone
    case overflow

    /// True if the event should be handled at once, because a person would notice a delay of a second.
    var isUrgent: Bool {
      switch self {
      case .modified, .foreign: false
      default: true
      }
    }
  }

  private let stream: FolderChanges?
  private let place: LibraryPaths
  private var paths: [FolderChanges.Watch: RelativePath] = [:]
  private var watches: [RelativePath: FolderChanges.Watch] = [:]

  init(_ stream: FolderChanges?, _ place: LibraryPaths) {
    self.stream = stream
    self.place = place
  }

  /// Watches a folder; call this before listing it.
  mutating func watch(_ folder: RelativePath) throws(StorageError) {
    guard let stream else { return }
    let watch: FolderChanges.Watch
    do throws(Errno) { watch = try stream.watch(folder: place.locationBytes(of: folder)) } catch {
      let concernsAllFolders = stream.failure != nil
      throw StorageError(
        "watch", concernsAllFolders ? "folders (raise fs.inotify.max_user_instances)" : place.location(of: folder),
        .system(error))
    }
    // This is the same folder under a new name, or another folder under the old name.
    if let before = paths[watch], before != folder { watches[before] = nil }
    if let before = watches[folder], before != watch { paths[before] = nil }
    paths[watch] = folder
    watches[folder] = watch
  }

  /// Returns whether the kernel reports the events of this file.
  func isWatched(_ path: RelativePath) -> Bool { watches[path.parent] != nil }

  /// Ends the watches of a folder and of all folders in it. Otherwise a moved folder would continue to report events
  /// under its old path.
  mutating func forget(_ folder: RelativePath) {
    for (path, watch) in watches where path.isInside(folder) {
      stream?.end(watch)
      watches[path] = nil
      paths[watch] = nil
    }
  }

  /// Returns the changes since the last call, translated into events, in order.
  mutating func events() -> [Event] {
    (stream?.changes() ?? []).compactMap { event($0) }
  }

  private mutating func event(_ change: FolderChanges.Change) -> Event? {
    guard case .inFolder(let watch, let bytes, let kinds) = change else { return .overflow }
    // The watch has ended, but its last changes were still queued.
    guard let folder = paths[watch] else { return nil }
    if kinds.contains(.ended) {
      paths[watch] = nil
      if watches[folder] == watch { watches[folder] = nil }
      return folder == .root ? .rootGone : nil
    }
    guard let bytes else {
      guard !kinds.isDisjoint(with: .folderGone) else { return nil }
      return folder == .root ? .rootGone : .folder(folder)
    }
    let name = NameBytes.text(bytes)
    // A scan of the containing folder finds out what happened to it.
    guard NameBytes.isPlain(name) else {
      let isInteresting = kinds.contains(.isFolder) || RecordingName.isVideo(bytes)
      return isInteresting
        && !kinds.isDisjoint(with: [.created, .movedHere, .movedAway, .deleted, .closedAfterWriting])
        ? .folder(folder) : nil
    }
    let path = folder.appending(name)
    let isGone = !kinds.isDisjoint(with: [.movedAway, .deleted])
    if name.utf8.first == UInt8(ascii: "."), kinds.contains(.isFolder) || !RecordingName.isVideo(bytes) {
      return isGone && kinds.contains(.isFolder) ? .hiddenFolderGone(path) : nil
    }
    if kinds.contains(.isFolder) {
      if isGone { forget(path) }
      return kinds.isDisjoint(with: [.created, .movedHere, .movedAway, .deleted, .attributes]) ? nil : .folder(path)
    }
    guard RecordingName.isVideo(bytes), !LeavingName.isHidden(name) else {
      let isMoved = !kinds.isDisjoint(with: [.created, .movedHere, .movedAway, .deleted])
      return isMoved && ForeignVideo.isListed(bytes) ? .foreign(folder) : nil
    }
    if kinds.contains(.closedAfterWriting) { return .finished(path) }
    if kinds.contains(.movedHere) { return .moved(path) }
    if isGone { return .gone(path) }
    if kinds.contains(.created) { return .created(path) }
    return kinds.contains(.modified) ? .modified(path) : .touched(path)
  }
}
