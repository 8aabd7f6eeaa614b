/// A folder that is open, so that what is asked of it is asked of this one, whatever takes its name meanwhile.
package final class OpenFolder {
  let descriptor: FileDescriptor
  let path: String

  init(_ descriptor: consuming FileDescriptor, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// What is in it but `.` and `..`, in byte order of the names. Calls `openat` and `readdir`; may block.
  package func entries() throws(StorageError) -> [FolderListing.Entry] {
    try StorageError.of("list", path) { () throws(Errno) in try descriptor.entries() }
  }

  /// The thing of this name; a link is looked at itself. Calls `fstatat`; may block.
  package func status(of name: String) throws(StorageError) -> FileStatus {
    try StorageError.of("look at", "\(path)/\(name)") { () throws(Errno) in try descriptor.status(of: name) }
  }

  /// Makes a folder in it, which others may use as they may use this one. Calls `fstat` and `mkdirat`; may block.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` where something has the name.
  package func createFolder(_ name: String) throws(StorageError) {
    try StorageError.of("create", "\(path)/\(name)") { () throws(Errno) in
      try descriptor.createFolder(name, mode: descriptor.status().mode & 0o777)
    }
  }

  /// Gives what is in it another name, unless something has that. Calls `renameat2`; may block.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` where the name is taken.
  package func rename(_ name: String, to target: String) throws(StorageError) {
    try StorageError.of("rename", "\(path)/\(name)") { () throws(Errno) in try descriptor.rename(name, to: target) }
  }

  /// Removes a file's name from it; that it is gone already is fine. Calls `unlinkat`; blocks for as long as the disk
  /// takes to free a large file.
  package func remove(_ name: String) throws(StorageError) {
    try StorageError.of("delete", "\(path)/\(name)") { () throws(Errno) in try descriptor.remove(name) }
  }

  /// Makes the names in it durable. Calls `fsync`; blocks.
  package func sync() throws(StorageError) {
    do throws(Errno) { try descriptor.sync() } catch {
      // A file system that has nothing to sync for a folder.
      guard error == .invalidArgument else { throw StorageError("make durable", path, .system(error)) }
    }
  }

  /// Whether it belongs to the user whom this process acts for. Calls `fstat`.
  package var isOwn: Bool { (try? descriptor.status())?.owner == Process.user }

  /// Removes everything in it, following no link. Blocks.
  ///
  /// - Parameter last: names that go after all others, so that they are still there where this is cut off.
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

  /// Removes what a killed process left of a temporary file; leaves it alone while somebody still writes to it.
  package func sweep(_ name: String) {
    guard let file = try? descriptor.open(name, [.reading, .refusingLink, .withoutWaiting]),
      (try? file.lock()) != nil
    else { return }
    try? descriptor.remove(name)
  }
}
