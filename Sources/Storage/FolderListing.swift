/// What is in a folder, by name and kind.

internal import CLinux
internal import Glibc

package enum FolderListing {
  package struct Entry: Hashable, Sendable {
    /// As UTF-8, or nil where the bytes are none.
    package let name: String?
    /// The name as it is on disk.
    package let bytes: [UInt8]
    /// Of the entry itself; a symbolic link is not followed.
    package let kind: FileStatus.Kind
  }

  /// The entries of a folder but `.` and `..`, in byte order of their names. A folder that is reached by a symbolic
  /// link as its last part is not listed. Calls `openat` and `readdir`; may block.
  ///
  /// - Throws: `StorageError`: not there, no permission, not a folder.
  package static func entries(of folder: String) throws(StorageError) -> [Entry] {
    let descriptor = unsafe clinux_openat(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
    guard descriptor >= 0 else { throw .system("list", folder) }
    return try entries(adopting: descriptor, path: folder)
  }

  /// Takes over the descriptor of a folder and closes it.
  static func entries(adopting descriptor: CInt, path: String) throws(StorageError) -> [Entry] {
    // Safe because the stream owns the descriptor from here on, and is used up to `closedir` by this call alone.
    guard let stream = unsafe fdopendir(descriptor) else {
      let error = StorageError.system("list", path)
      close(descriptor)
      throw error
    }
    defer { unsafe closedir(stream) }
    var entries: [Entry] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw .system("list", path) }
        break
      }
      let bytes = unsafe name(of: entry)
      if bytes == [UInt8(ascii: ".")] || bytes == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
      guard let kind = unsafe kind(of: entry, in: descriptor) else { continue }
      entries.append(Entry(name: String(validating: bytes, as: UTF8.self), bytes: bytes, kind: kind))
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
}
