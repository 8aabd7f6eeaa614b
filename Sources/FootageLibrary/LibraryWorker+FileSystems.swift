/// Disks that come and go: what is on one that is away waits for it.

internal import FootageSystem

/// What is known of the file systems below the recordings folder.
struct FileSystems {
  /// By device, as far as this scan has asked: the number of a device may be another disk's at the next.
  var present: [UInt64: FileSystemIdentity] = [:]
  /// The own number of the file system on which a recording was met last, or by its row.
  var numbers: [RelativePath: UInt64] = [:]
  /// The number by which a file system goes now, where its files were met under another one than before.
  var successors: [UInt64: UInt64] = [:]
  /// On a file system that is not there. Their rows stay, and nobody sees them.
  var away: [RelativePath: Recording] = [:]
  /// The same of what a store has as well, which stays on the list.
  var awayStored: Set<RelativePath> = []
  /// The recordings folder itself, and what is mounted around it.
  var root: FileVersion?
  var mounts: [String] = []
}

extension LibraryWorker {
  /// Something was mounted or unmounted somewhere.
  func noteMounts(_ table: MountTable) {
    let lines = table.lines(around: place.recordings)
    guard lines != fileSystems.mounts else { return }
    fileSystems.mounts = lines
    nextScan = .min
  }

  /// Whether the recordings folder is another one than before: a disk was mounted over it, or taken away from above it.
  /// Its watches go, and what is kept among the recordings is opened where it is now.
  func noteRoot() {
    guard let root = try? place.folder(.root).identity() else { return }
    defer { fileSystems.root = root }
    guard let before = fileSystems.root, before != root else { return }
    watcher.forget(.root)
    if FolderRoot(place.recordings).contains(place.state) { moveState() }
  }

  /// What was known of a file that a scan has met.
  ///
  /// - Returns: whether it was away, or had another device's number.
  func meet(_ path: RelativePath, _ status: FileStatus) -> Bool {
    let system = fileSystem(of: path, device: status.version.device)
    let before = fileSystems.numbers[path]
    fileSystems.numbers[path] = system?.number
    let isAway = registry[path] == nil
    fileSystems.awayStored.remove(path)
    let known = registry[path] ?? fileSystems.away.removeValue(forKey: path)
    guard let known, let found = known.at(status.version) else { return false }
    if let before, let system, before != system.number, system.number != 0 {
      fileSystems.successors[before] = system.number
    }
    guard known.version != status.version || isAway else { return false }
    // Whoever has taken the name meanwhile keeps it.
    guard registry.holder(of: found.name).map({ $0 == path }) ?? true else { return false }
    _ = registry.put(found)
    unpersisted.insert(path)
    return isAway
  }

  /// What becomes of a recording whose file is not there: it is gone, unless its whole file system is.
  func isAway(_ recording: Recording) -> Bool {
    guard let here = fileSystem(around: recording.path) else { return true }
    let before = fileSystems.numbers[recording.path] ?? 0
    guard before != 0, here.number != 0 else { return recording.version.device != here.device }
    return fileSystems.successors[before] ?? before != here.number
  }

  /// Takes recordings off the list until their file system is back; their rows, preambles and indexes stay.
  func putAway(_ paths: [RelativePath]) {
    var count = 0
    for path in paths {
      if let remote = registry[path].flatMap(self.remote) {
        _ = registry.put(remote)
        fileSystems.awayStored.insert(path)
        schedule.forget(path)
        continue
      }
      guard let recording = registry.remove(path) else { continue }
      schedule.forget(path)
      for other in registry.claimants(of: recording.name) { look(again: other) }
      if recording.state == .ready {
        fileSystems.away[path] = recording
        count += 1
      }
    }
    if count > 0 {
      log(.warning("\(count) recording\(count == 1 ? "" : "s") left with a file system: listed again when it is back"))
    }
  }

  /// Forgets what is not on its file system though that is back.
  ///
  /// - Parameter seen: what a scan of `folder` has met.
  func forgetMissing(in folder: RelativePath, seen: Set<RelativePath>) {
    let missing = fileSystems.away.filter { path, recording in
      path.isInside(folder) && !seen.contains(path) && !isAway(recording)
    }
    for path in fileSystems.awayStored where path.isInside(folder) && !seen.contains(path) {
      guard let recording = registry[path], isAway(recording) else {
        fileSystems.awayStored.remove(path)
        continue
      }
    }
    for path in missing.keys {
      fileSystems.away[path] = nil
      fileSystems.numbers[path] = nil
      unpersisted.insert(path)
    }
  }

  /// What the file system of a recording says of itself.
  func fileSystemNumber(of recording: Recording) -> UInt64? {
    if let number = fileSystems.numbers[recording.path] { return number }
    let number = fileSystem(of: recording.path, device: recording.version.device)?.number
    fileSystems.numbers[recording.path] = number
    return number
  }

  /// The file system of a device that a scan has met.
  private func fileSystem(of path: RelativePath, device: UInt64) -> FileSystemIdentity? {
    if let known = fileSystems.present[device] { return known }
    guard let found = fileSystem(around: path), found.device == device else { return nil }
    fileSystems.present[device] = found
    return found
  }

  /// Of the folder that a path is in, or the next one above it that is there.
  private func fileSystem(around path: RelativePath) -> FileSystemIdentity? {
    var folder = path.parent
    while true {
      if let found = try? place.folder(folder).fileSystem() { return found }
      if folder == .root { return nil }
      folder = folder.parent
    }
  }
}
