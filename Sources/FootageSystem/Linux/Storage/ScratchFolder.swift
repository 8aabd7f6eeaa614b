/// A folder of this process in `$TMPDIR`, or else in `/tmp`. It is removed with this object. If the process was killed,
/// the sweep of a later process removes it; a lock shows that no process needs it any more.
package final class ScratchFolder: Sendable {
  package let path: String
  private let lock: FileLock

  private static let namePrefix = "footage-"
  /// The number of characters that `mkdtemp` chooses.
  private static let serialLength = 6
  private static let lockName = "scratch.lock"

  /// Creates the folder, readable only by its owner. Calls `mkdtemp`, `openat`, `flock`; may block.
  ///
  /// - Throws: `StorageError`: no room, no permission.
  package init() throws(StorageError) {
    let path = try Self.create()
    self.path = path
    // Locked before it gets its name, so that no sweep comes between the two.
    let unnamed = "\(path)/.\(Self.lockName)"
    lock = try FileLock(path: unnamed)
    try FileTree.rename(unnamed, replacing: "\(path)/\(Self.lockName)")
  }

  deinit { try? FileTree.removeFolder(path) }

  /// Removes the folders that killed processes of this user left. Blocks.
  ///
  /// - Parameter otherLocks: names of further files in such folders that a living process keeps locked. A folder
  ///   without any lock file is not removed.
  package static func sweep(otherLocks: [String] = []) {
    guard let base = try? FileTree.canonical(Self.base), let entries = try? FolderListing.entries(of: base) else {
      return
    }
    let lockNames = [lockName] + otherLocks
    for entry in entries where entry.kind == .folder {
      guard let name = entry.name, name.utf8.starts(with: namePrefix.utf8),
        name.utf8.count == namePrefix.utf8.count + serialLength,
        let folder = try? FolderRoot(base).folder(name), folder.isOwn
      else { continue }
      let present = lockNames.filter { (try? folder.status(of: $0)) != nil }
      let held = present.compactMap { FileLock($0, in: folder) }
      guard !held.isEmpty, held.count == present.count else { continue }
      try? folder.removeContents(last: present)
      try? FileNames.removeFolder("\(base)/\(name)")
    }
  }

  private static var base: String {
    guard let folder = Process.variable("TMPDIR"), !folder.isEmpty else { return "/tmp" }
    return folder
  }

  private static func create() throws(StorageError) -> String {
    let base = base
    return try StorageError.of("create a temporary folder in", base) { () throws(Errno) in
      try FileNames.createTemporaryFolder("\(base)/\(namePrefix)")
    }
  }
}
