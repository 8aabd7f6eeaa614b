internal import FootageSystem

/// The disks of the recordings, which may be mounted and unmounted. Recordings on a disk that is not mounted leave the
/// list until it is mounted again.
final class FileSystems {
  private let model: FolderModel
  private let stored: StoredKnowledge
  /// The file systems by device, among those that this scan has queried. At the next scan, a device number may belong
  /// to another disk.
  private var present: [UInt64: FileSystemIdentity] = [:]
  /// The file system's own identifier for each recording: the one that was read when the file was last found, or the
  /// one in its row.
  private var numbers: [RelativePath: UInt64] = [:]
  /// The identifiers of file systems that have replaced others, by the identifiers under which their files were known
  /// before.
  private var successors: [UInt64: UInt64] = [:]
  /// The recordings on file systems that are not mounted. Their rows stay, but they are not listed.
  private(set) var away: [RelativePath: Recording] = [:]
  /// The paths on file systems that are not mounted, whose recordings are also in a store and therefore stay on the
  /// list.
  private(set) var awayStored: Set<RelativePath> = []
  /// The recordings folder itself, to detect that another folder has replaced it.
  private var root: FileVersion?
  /// The lines of the mount table for mounts above or below the recordings folder.
  private var mounts: [String] = []

  init(_ model: FolderModel, _ stored: StoredKnowledge) {
    self.model = model
    self.stored = stored
  }

  /// Returns whether a file system was mounted or unmounted above or below the recordings folder.
  func haveChanged(_ table: MountTable) -> Bool {
    let lines = table.lines(around: model.place.recordings)
    guard lines != mounts else { return false }
    mounts = lines
    return true
  }

  /// Returns whether the recordings folder was replaced, because a disk was mounted over it or unmounted from it. If
  /// so, its watches are ended.
  func hasRootMoved() -> Bool {
    guard let root = try? model.place.folder(.root).identity() else { return false }
    defer { self.root = root }
    guard let before = self.root, before != root else { return false }
    model.watcher.forget(.root)
    return true
  }

  /// Begins a scan.
  func beginScan() { present = [:] }

  /// Records the identifier of the file system on which a recording was found.
  func note(_ number: UInt64?, of path: RelativePath) { numbers[path] = number }

  /// Records that a recording waits until its file system is mounted again.
  func wait(for recording: Recording) { away[recording.path] = recording }

  /// Matches a file that a scan found with the recording that was known for it. Lists that recording again if its file
  /// system was not mounted or had another device number.
  ///
  /// - Returns: true if its file system was not mounted and it is listed again.
  func meet(_ path: RelativePath, _ status: FileStatus) -> Bool {
    let system = fileSystem(of: path, device: status.version.device)
    let before = numbers[path]
    numbers[path] = system?.number
    let isAway = model.registry[path] == nil
    awayStored.remove(path)
    let known = model.registry[path] ?? away.removeValue(forKey: path)
    guard let known, let found = known.at(status.version) else { return false }
    if let before, let system, before != system.number, system.number != 0 {
      successors[before] = system.number
    }
    guard known.version != status.version || isAway else { return false }
    // A file that has taken the name meanwhile keeps it.
    guard model.registry.holder(of: found.name).map({ $0 == path }) ?? true else { return false }
    _ = model.registry.put(found)
    model.unsaved.insert(path)
    return isAway
  }

  /// Returns whether the file system of a missing file is not mounted. If it is mounted, the recording no longer
  /// exists.
  func isAway(_ recording: Recording) -> Bool {
    guard let here = fileSystem(around: recording.path) else { return true }
    let before = numbers[recording.path] ?? 0
    guard before != 0, here.number != 0 else { return recording.version.device != here.device }
    return successors[before] ?? before != here.number
  }

  /// Removes recordings from the list until their file system is mounted again; their rows, preambles and indexes stay.
  func putAway(_ paths: [RelativePath]) {
    var count = 0
    for path in paths {
      if let remote = model.registry[path].flatMap(stored.remote) {
        _ = model.registry.put(remote)
        awayStored.insert(path)
        model.schedule.forget(path)
        continue
      }
      guard let recording = model.registry.remove(path) else { continue }
      model.schedule.forget(path)
      for other in model.registry.claimants(of: recording.name) { model.schedule.noteDemandedAgain(other) }
      if recording.state == .ready {
        away[path] = recording
        count += 1
      }
    }
    if count > 0 {
      model.log(
        .warning(
          "\(count) recording\(count == 1 ? "" : "s") disappeared with a file system: listed again when it returns"))
    }
  }

  /// Forgets recordings that are missing from their file system although it is mounted again.
  ///
  /// - Parameter seen: the paths that a scan of `folder` found.
  func forgetMissing(in folder: RelativePath, seen: Set<RelativePath>) {
    let missing = away.filter { path, recording in
      path.isInside(folder) && !seen.contains(path) && !isAway(recording)
    }
    for path in awayStored where path.isInside(folder) && !seen.contains(path) {
      guard let recording = model.registry[path], isAway(recording) else {
        awayStored.remove(path)
        continue
      }
    }
    for path in missing.keys {
      away[path] = nil
      numbers[path] = nil
      model.unsaved.insert(path)
    }
  }

  /// Returns the file system's own identifier for the file system of a recording.
  func number(of recording: Recording) -> UInt64? {
    if let number = numbers[recording.path] { return number }
    let number = fileSystem(of: recording.path, device: recording.version.device)?.number
    numbers[recording.path] = number
    return number
  }

  /// Returns the file system of a device on which a scan found a file.
  private func fileSystem(of path: RelativePath, device: UInt64) -> FileSystemIdentity? {
    if let known = present[device] { return known }
    guard let found = fileSystem(around: path), found.device == device else { return nil }
    present[device] = found
    return found
  }

  /// Returns the file system of the folder that contains a path, or of the nearest folder above it that exists.
  private func fileSystem(around path: RelativePath) -> FileSystemIdentity? {
    var folder = path.parent
    while true {
      if let found = try? model.place.folder(folder).fileSystem() { return found }
      if folder == .root { return nil }
      folder = folder.parent
    }
  }
}
