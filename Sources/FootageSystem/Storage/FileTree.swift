/// Operations on files and folders by path, each one or two system calls.
package enum FileTree {
  /// Writes a file that is complete or does not exist, even after a power cut. Blocks.
  package static func writeDurably(_ bytes: [UInt8], to path: String) throws(StorageError) {
    let folder = self.folder(of: path)
    let file = try TemporaryFile(in: folder)
    try file.write(bytes)
    try file.sync()
    try file.rename(replacing: path)
    try sync(folder: folder)
  }

  /// Makes the names in a folder durable. Calls `fsync`; blocks.
  package static func sync(folder: String) throws(StorageError) {
    let descriptor = try StorageError.of("open", folder) { () throws(Errno) in
      try FileDescriptor.open(folder, [.reading, .folder])
    }
    do throws(Errno) { try descriptor.sync() } catch {
      // Some file systems have nothing to sync for a folder.
      guard error == .invalidArgument else { throw StorageError("sync", folder, .system(error)) }
    }
  }

  /// Creates a folder if there is none, readable only by its owner unless `mode` says otherwise. Calls `mkdir`.
  package static func createFolder(_ path: String, mode: UInt32 = 0o700) throws(StorageError) {
    do throws(Errno) { try FileNames.createFolder(path, mode: mode) } catch {
      guard error == .alreadyExists, try FileStatus.of(path, followingLinks: true).kind == .folder else {
        throw StorageError("create", path, .system(error))
      }
    }
  }

  /// Creates a folder and the folders above it, unless they exist. Calls `mkdir`.
  package static func createFolders(_ path: String, mode: UInt32 = 0o700) throws(StorageError) {
    do throws(StorageError) { try createFolder(path, mode: mode) } catch {
      let parent = folder(of: path)
      guard error.reason == .system(.notFound), parent != path, parent != "." else { throw error }
      try createFolders(parent, mode: mode)
      try createFolder(path, mode: mode)
    }
  }

  /// Returns true if a file, folder or other entry with this name exists and can be examined. Calls `fstatat`.
  package static func exists(_ path: String) -> Bool { (try? FileStatus.of(path)) != nil }

  /// Removes a name; it is not an error if it does not exist. Calls `unlink`.
  package static func remove(_ path: String) throws(StorageError) {
    try StorageError.of("delete", path) { () throws(Errno) in try FileNames.remove(path) }
  }

  /// Removes a folder that Footage created, with everything in it, without following links.
  package static func removeFolder(_ path: String) throws(StorageError) {
    for entry in try FolderListing.entries(of: path) {
      guard let name = entry.name else { continue }
      if entry.kind == .folder { try removeFolder("\(path)/\(name)") } else { try remove("\(path)/\(name)") }
    }
    try StorageError.of("delete", path) { () throws(Errno) in try FileNames.removeFolder(path) }
  }

  /// Renames a file, and replaces whatever has the new name. Calls `rename`.
  package static func rename(_ path: String, replacing target: String) throws(StorageError) {
    try StorageError.of("rename \(path) to", target) { () throws(Errno) in
      try FileNames.rename(path, replacing: target)
    }
  }

  /// Checks that the name is free or belongs to a regular file, since a rename to it would also replace a device or a
  /// link.
  ///
  /// - Throws: `StorageError`, `.wrongKind` if the name belongs to something other than a regular file.
  package static func expectReplaceable(_ path: String) throws(StorageError) {
    do throws(StorageError) {
      let kind = try FileStatus.of(path).kind
      guard kind != .regular else { return }
      throw StorageError("replace", path, .wrongKind(kind == .folder ? "a folder" : "not a regular file"))
    } catch {
      guard error.reason == .system(.notFound) else { throw error }
    }
  }

  /// Gives a file a second name. Calls `link`.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` if the name is taken.
  package static func link(_ path: String, as target: String) throws(StorageError) {
    try StorageError.of("link \(path) as", target) { () throws(Errno) in try FileNames.link(path, as: target) }
  }

  /// Returns the absolute path without links, `.` and `..`. Calls `realpath`.
  package static func canonical(_ path: String) throws(StorageError) -> String {
    try StorageError.of("find", path) { () throws(Errno) in try FileNames.canonical(path) }
  }

  /// Returns the part of a path before the last `/`.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the part of a path after the last `/`.
  package static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }
}
