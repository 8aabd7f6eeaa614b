/// Verbs on files and folders by path, each a system call or two.
package enum FileTree {
  /// Writes a file that is there whole, or not at all, even after a power cut. Blocks.
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
      // A file system that has nothing to sync for a folder.
      guard error == .invalidArgument else { throw StorageError("make durable", folder, .system(error)) }
    }
  }

  /// Makes a folder, readable by its owner alone unless said otherwise, where there is none. Calls `mkdir`.
  package static func createFolder(_ path: String, mode: UInt32 = 0o700) throws(StorageError) {
    do throws(Errno) { try FileNames.createFolder(path, mode: mode) } catch {
      guard error == .alreadyExists, try FileStatus.of(path, followingLinks: true).kind == .folder else {
        throw StorageError("create", path, .system(error))
      }
    }
  }

  /// Makes a folder and those above it, as far as they are not there. Calls `mkdir`.
  package static func createFolders(_ path: String, mode: UInt32 = 0o700) throws(StorageError) {
    do throws(StorageError) { try createFolder(path, mode: mode) } catch {
      let parent = folder(of: path)
      guard error.reason == .system(.notFound), parent != path, parent != "." else { throw error }
      try createFolders(parent, mode: mode)
      try createFolder(path, mode: mode)
    }
  }

  /// Whether there is something of this name that can be looked at. Calls `fstatat`.
  package static func exists(_ path: String) -> Bool { (try? FileStatus.of(path)) != nil }

  /// Removes a name; that it is gone already is fine. Calls `unlink`.
  package static func remove(_ path: String) throws(StorageError) {
    try StorageError.of("delete", path) { () throws(Errno) in try FileNames.remove(path) }
  }

  /// Removes a folder of ours with everything in it, following no link.
  package static func removeFolder(_ path: String) throws(StorageError) {
    for entry in try FolderListing.entries(of: path) {
      guard let name = entry.name else { continue }
      if entry.kind == .folder { try removeFolder("\(path)/\(name)") } else { try remove("\(path)/\(name)") }
    }
    try StorageError.of("delete", path) { () throws(Errno) in try FileNames.removeFolder(path) }
  }

  /// Gives a file another name in place of what has it. Calls `rename`.
  package static func rename(_ path: String, replacing target: String) throws(StorageError) {
    try StorageError.of("rename \(path) to", target) { () throws(Errno) in
      try FileNames.rename(path, replacing: target)
    }
  }

  /// A rename would put a file in the place of a device or a link, too.
  ///
  /// - Throws: `StorageError`, `.wrongKind` where the name is that of something else than a regular file.
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
  /// - Throws: `StorageError`, `.alreadyExists` where the name is taken.
  package static func link(_ path: String, as target: String) throws(StorageError) {
    try StorageError.of("link \(path) as", target) { () throws(Errno) in try FileNames.link(path, as: target) }
  }

  /// The absolute path without links, `.` and `..`. Calls `realpath`.
  package static func canonical(_ path: String) throws(StorageError) -> String {
    try StorageError.of("find", path) { () throws(Errno) in try FileNames.canonical(path) }
  }

  /// What stands before the last `/`.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// What stands behind the last `/`.
  package static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }
}
