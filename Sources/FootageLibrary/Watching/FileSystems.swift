internal import FootageSystem

/// Disks that come and go: what is on one that is away waits for it.
final class FileSystems {
  private let model: FolderModel
  private let stored: StoredKnowledge
  /// By device, as far as this scan has asked: the number of a device may be another disk's at the next.
  private var present: [UInt64: FileSystemIdentity] = [:]
  /// The own number of the file system on which a recording was met last, or by its row.
  private var numbers: [RelativePath: UInt64] = [:]
  /// The number by which a file system goes now, where its files were met under another one than before.
  private var successors: [UInt64: UInt64] = [:]
  /// On a file system that is not there. Their rows stay, and nobody sees them.
  private(set) var away: [RelativePath: Recording] = [:]
  /// The same of what a store has as well, which stays on the list.
  private(set) var awayStored: Set<RelativePath> = []
  /// The recordings folder itself, and what is mounted around it.
  private var root: FileVersion?
  private var mounts: [String] = []

  init(_ model: FolderModel, _ stored: StoredKnowledge) {
    self.model = model
    self.stored = stored
  }

  /// Whether something was mounted or unmounted around the recordings.
  func haveChanged(_ table: MountTable) -> Bool {
    let lines = table.lines(around: model.place.recordings)
    guard lines != mounts else { return false }
    mounts = lines
    return true
  }

  /// Whether the recordings folder is another one than before: a disk was mounted over it, or taken away from above it.
  /// Its watches go.
  func hasRootMoved() -> Bool {
    guard let root = try? model.place.folder(.root).identity() else { return false }
    defer { self.root = root }
    guard let before = self.root, before != root else { return false }
    model.watcher.forget(.root)
    return true
  }

  /// A scan begins.
  func beginScan() { present = [:] }

  /// A row tells on which file system its recording was met.
  func note(_ number: UInt64?, of path: RelativePath) { numbers[path] = number }

  /// What is known waits for its file system.
  func wait(for recording: Recording) { away[recording.path] = recording }

  /// What was known of a file that a scan has met.
  ///
  /// - Returns: whether it was away, or had another device's number.
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
    // Whoever has taken the name meanwhile keeps it.
    guard model.registry.holder(of: found.name).map({ $0 == path }) ?? true else { return false }
    _ = model.registry.put(found)
    model.unsaved.insert(path)
    return isAway
  }

  /// What becomes of a recording whose file is not there: it is gone, unless its whole file system is.
  func isAway(_ recording: Recording) -> Bool {
    guard let here = fileSystem(around: recording.path) else { return true }
    let before = numbers[recording.path] ?? 0
    guard before != 0, here.number != 0 else { return recording.version.device != here.device }
    return successors[before] ?? before != here.number
  }

  /// Takes recordings off the list until their file system is back; their rows, preambles and indexes stay.
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
        .warning("\(count) recording\(count == 1 ? "" : "s") left with a file system: listed again when it is back"))
    }
  }

  /// Forgets what is not on its file system though that is back.
  ///
  /// - Parameter seen: what a scan of `folder` has met.
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

  /// What the file system of a recording says of itself.
  func number(of recording: Recording) -> UInt64? {
    if let number = numbers[recording.path] { return number }
    let number = fileSystem(of: recording.path, device: recording.version.device)?.number
    numbers[recording.path] = number
    return number
  }

  /// The file system of a device that a scan has met.
  private func fileSystem(of path: RelativePath, device: UInt64) -> FileSystemIdentity? {
    if let known = present[device] { return known }
    guard let found = fileSystem(around: path), found.device == device else { return nil }
    present[device] = found
    return found
  }

  /// Of the folder that a path is in, or the next one above it that is there.
  private func fileSystem(around path: RelativePath) -> FileSystemIdentity? {
    var folder = path.parent
    while true {
      if let found = try? model.place.folder(folder).fileSystem() { return found }
      if folder == .root { return nil }
      folder = folder.parent
    }
  }
}
