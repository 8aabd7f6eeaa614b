/// An open folder. Its methods apply to this folder, even if another one takes its name in the meantime.
package final class OpenFolder {
  let descriptor: FileDescriptor
  let path: String

  init(_ descriptor: consuming FileDescriptor, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Returns its entries except `.` and `..`, in byte order of the names. Calls `openat` and `readdir`; may block.
  package func entries() throws(StorageError) -> [FolderListing.Entry] {
    try StorageError.of("list", path) { () throws(Errno) in try descriptor.entries() }
  }

  /// Returns the status of the entry with this name; a link is not followed. Calls `fstatat`; may block.
  package func status(of name: String) throws(StorageError) -> FileStatus {
    try StorageError.of("examine", "\(path)/\(name)") { () throws(Errno) in try descriptor.status(of: name) }
  }

  /// Creates a folder in this folder, with the same permissions. Calls `fstat` and `mkdirat`; may block.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` if something has the name.
  package func createFolder(_ name: String) throws(StorageError) {
    try StorageError.of("create", "\(path)/\(name)") { () throws(Errno) in
      try descriptor.createFolder(name, mode: descriptor.status().mode & 0o777)
    }
  }

  /// Renames an entry, unless something has the new name. Calls `renameat2`; may block.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` if the name is taken.
  package func rename(_ name: String, to target: String) throws(StorageError) {
    try StorageError.of("rename", "\(path)/\(name)") { () throws(Errno) in try descriptor.rename(name, to: target) }
  }

  /// Removes a file's name from it; it is not an error if it does not exist. Calls `unlinkat`; blocks for as long as
  /// the disk takes to free a large file.
  package func remove(_ name: String) throws(StorageError) {
    try StorageError.of("delete", "\(path)/\(name)") { () throws(Errno) in try descriptor.remove(name) }
  }

  /// Makes the names in it durable. Calls `fsync`; blocks.
  package func sync() throws(StorageError) {
    do throws(Errno) { try descriptor.sync() } catch {
      // Some file systems have nothing to sync for a folder.
      guard error == .invalidArgument else { throw StorageError("sync", path, .system(error)) }
    }
  }

  /// True if it belongs to the user that this process acts for. Calls `fstat`.
  package var isOwn: Bool { (try? descriptor.status())?.owner == Process.user }

  /// Removes everything in it, without following links. Blocks.
  ///
  /// - Parameter last: the names to remove after all others, so that they still exist if the removal is interrupted.
  package func removeContents(last: [String] = []) throws(StorageError) {
    let all = try entries()
    let isLast = { (entry: FolderListing.Entry) in entry.name.map { last.contains($0) } ?? false }
    for entry in all.filter({ !isLast($0) }) + all.filter(isLast) {
      guard let name = entry.name else { continue }
      let isFolder = entry.kind == .folder
      let inner = "\(path)/\(name)"
      if isFolder {
        let folder = try StorageError.of("list", inner) { () throws(Errno) in
          try descriptor.open(name, [.reading, .folder, .refusingLink])
        }
        try OpenFolder(folder, path: inner).removeContents()
      }
      try StorageError.of("delete", inner) { () throws(Errno) in try descriptor.remove(name, isFolder: isFolder) }
    }
  }

  /// Removes a temporary file that a killed process left, unless a process is still writing to it.
  package func sweep(_ name: String) {
    guard let file = try? descriptor.open(name, [.reading, .refusingLink, .withoutWaiting]),
      (try? file.lock()) != nil
    else { return }
    try? descriptor.remove(name)
  }
}
