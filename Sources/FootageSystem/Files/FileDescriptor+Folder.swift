#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What is in a folder.
package struct FolderEntry: Hashable, Sendable {
  /// As UTF-8, or nil where the bytes are none.
  package let name: String?
  /// The name as it is on disk.
  package let bytes: [UInt8]
  /// Of the entry itself; a symbolic link is not followed.
  package let kind: FileStatus.Kind
}

extension FileDescriptor {
  /// What is in this folder but `.` and `..`, in byte order of the names. Calls `openat` and `readdir`; may block.
  package func entries() throws(Errno) -> [FolderEntry] {
    // A descriptor of its own, since reading moves a place that all who have this one share.
    let own = unsafe SystemCalls.open(number, ".", O_RDONLY | O_DIRECTORY, 0)
    guard own >= 0 else { throw .current }
    return try Self.entries(using: own)
  }

  /// The same, of a folder that was opened for nothing else: this closes it. Calls `readdir`; may block.
  package consuming func closingEntries() throws(Errno) -> [FolderEntry] {
    let own = number
    discard self
    return try Self.entries(using: own)
  }

  /// - Parameter own: a descriptor that nobody else reads, which this closes.
  private static func entries(using own: CInt) throws(Errno) -> [FolderEntry] {
    // Safe because the stream owns the descriptor from here on, and is used up to `closedir` by this call alone.
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

  /// Read through the pointer: the imported `dirent` may claim more bytes than this entry has.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    // Safe because `d_name` is ended by a zero.
    unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { name in
        unsafe Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
      }
    }
  }

  /// Nil where the entry has gone in the meantime.
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

  /// Makes a folder in this one. Calls `mkdirat`.
  ///
  /// - Parameter mode: less what the process's mask takes away.
  /// - Throws: `.alreadyExists` where something has the name.
  package func createFolder(_ name: String, mode: UInt32) throws(Errno) {
    guard unsafe mkdirat(number, name, mode_t(mode)) == 0 else { throw .current }
  }

  /// Removes a name from this folder; that it is gone already is fine. Calls `unlinkat`.
  package func remove(_ name: String, isFolder: Bool = false) throws(Errno) {
    guard unsafe unlinkat(number, name, isFolder ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT else { throw .current }
  }

  /// Gives what is in this folder another name, unless something has that. Calls `renameat2` or
  /// `renameatx_np`; where the kernel or the
  /// file system cannot do that, `linkat` and `unlinkat`; and where there are no links, `fstatat` and `renameat`.
  ///
  /// - Throws: `.alreadyExists` where the name is taken.
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
