#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An entry of a folder.
package struct FolderEntry: Hashable, Sendable {
  /// The name as UTF-8, or nil if its bytes are not valid UTF-8.
  package let name: String?
  /// The name as it is on disk.
  package let bytes: [UInt8]
  /// The kind of the entry itself; a symbolic link is not followed.
  package let kind: FileStatus.Kind
}

extension FileDescriptor {
  /// Returns the entries of this folder except `.` and `..`, in byte order of the names. Calls `openat` and `readdir`;
  /// may block.
  package func entries() throws(Errno) -> [FolderEntry] {
    // A separate descriptor, since reading moves a position that all users of this one share.
    let own = unsafe SystemCalls.open(number, ".", O_RDONLY | O_DIRECTORY, 0)
    guard own >= 0 else { throw .current }
    return try Self.entries(using: own)
  }

  /// Returns the same entries as `entries()`, and closes this folder. For folders that were opened only to be listed.
  /// Calls `readdir`; may block.
  package consuming func closingEntries() throws(Errno) -> [FolderEntry] {
    let own = number
    discard self
    return try Self.entries(using: own)
  }

  /// - Parameter own: a descriptor of the folder that no other code reads from. This function closes it.
  private static func entries(using own: CInt) throws(Errno) -> [FolderEntry] {
    // Safe because the stream owns the descriptor from here on, and only this call uses it until `closedir`.
    guard let stream = unsafe fdopendir(own) else {
      let error = Errno.current
      close(own)
      throw error
    }
    defer { unsafe closedir(stream) }
    var entries: [FolderEntry] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw .current }
        break
      }
      let bytes = unsafe name(of: entry)
      if bytes == [UInt8(ascii: ".")] || bytes == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
      guard let kind = unsafe kind(of: entry, in: own) else { continue }
      entries.append(FolderEntry(name: String(validating: bytes, as: UTF8.self), bytes: bytes, kind: kind))
    }
    return entries.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Returns the name of an entry. It is read through the pointer, because a copy of the imported `dirent` would
  /// include bytes beyond the end of this entry.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    // Safe because `d_name` ends with a zero.
    unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { name in
        unsafe Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
      }
    }
  }

  /// Returns the kind of an entry; nil if the entry has disappeared in the meantime.
  private static func kind(of entry: UnsafeMutablePointer<dirent>, in folder: CInt) -> FileStatus.Kind? {
    switch unsafe Int(entry.pointee.d_type) {
    case Int(DT_REG): return .regular
    case Int(DT_DIR): return .folder
    case Int(DT_LNK): return .symbolicLink
    case Int(DT_UNKNOWN): break
    default: return .other
    }
    var status = stat()
    let found = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { name in
        unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW)
      }
    }
    return found == 0 ? FileStatus(status).kind : nil
  }

  /// Creates a folder in this one. Calls `mkdirat`.
  ///
  /// - Parameter mode: the mode of the new folder, minus the bits in the process's umask.
  /// - Throws: `.alreadyExists` if something has the name.
  package func createFolder(_ name: String, mode: UInt32) throws(Errno) {
    guard unsafe mkdirat(number, name, mode_t(mode)) == 0 else { throw .current }
  }

  /// Removes a name from this folder; it is not an error if it does not exist. Calls `unlinkat`.
  package func remove(_ name: String, isFolder: Bool = false) throws(Errno) {
    guard unsafe unlinkat(number, name, isFolder ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT else { throw .current }
  }

  /// Renames an entry of this folder, unless something has the new name. Calls `renameat2` or `renameatx_np`. If the
  /// kernel or the file system does not support these, calls `linkat` and `unlinkat`. If the file system has no hard
  /// links either, calls `fstatat` and `renameat`.
  ///
  /// - Throws: `.alreadyExists` if the name is taken.
  package func rename(_ name: String, to target: String) throws(Errno) {
    guard unsafe SystemCalls.rename(in: number, name, target) != 0 else { return }
    var error = Errno.current
    guard error == .invalidArgument || error == .notImplemented else { throw error }
    if unsafe linkat(number, name, number, target, 0) == 0 { return try remove(name) }
    error = .current
    guard [.notPermitted, .notSupported, .notImplemented].contains(error) else { throw error }
    do throws(Errno) { _ = try status(of: target) } catch {
      guard error == .notFound else { throw error }
      guard unsafe renameat(number, name, number, target) == 0 else { throw .current }
      return
    }
    throw .alreadyExists
  }
}
