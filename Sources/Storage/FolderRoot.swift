internal import CLinux
internal import Glibc
internal import System

/// A folder in which names are looked up without leaving it: a link is followed nowhere on the way, nor is `..`. Whoever may
/// write in the folder can exchange a part of a path for a link at any moment, and would otherwise have anything read.
///
/// The folder is opened for each use alone, since a descriptor that is held keeps its file system from being unmounted. The
/// folder itself may lie behind links that its owner made: those are resolved before.
package struct FolderRoot: Hashable, Sendable {
  /// Absolute.
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Whether an absolute path lies in the folder, by its words alone.
  package func contains(_ other: String) -> Bool {
    path == "/" || other == path || other.utf8.starts(with: "\(path)/".utf8)
  }

  /// Opens a regular file for reading. Calls `openat2`; may block.
  ///
  /// - Throws: `StorageError`: not there, no permission, not a regular file, or reached by a link (`.wrongKind`).
  package func open(_ path: String) throws(StorageError) -> RandomAccessFile {
    // O_NONBLOCK keeps a FIFO of that name from holding the caller for ever.
    let descriptor = descriptor(of: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      let number = Errno.current
      throw StorageError(
        "open", full(path), number == .symbolicLink ? .wrongKind("a symbolic link") : .system(number))
    }
    return try RandomAccessFile(adopting: descriptor, path: full(path))
  }

  /// What is at the path; a symbolic link as its last part is looked at itself. Calls `openat2` and `fstat`; may block.
  ///
  /// - Throws: `StorageError`, `.notAFolder` where a link stands in for a folder on the way.
  package func status(of path: String) throws(StorageError) -> FileStatus {
    let descriptor = descriptor(of: path, CLINUX_O_PATH)
    guard descriptor >= 0 else {
      let number = Errno.current
      throw StorageError("look at", full(path), .system(number == .symbolicLink ? .notAFolder : number))
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system("look at", full(path)) }
    return FileStatus(status)
  }

  /// Opens a folder to list it; the empty path is the root itself. Calls `openat2`; may block.
  ///
  /// - Throws: `StorageError`: not there, no permission, not a folder, or reached by a link.
  package func folder(_ path: String) throws(StorageError) -> OpenFolder {
    let descriptor = descriptor(of: path, O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { throw .system("list", full(path)) }
    return OpenFolder(adopting: descriptor, path: full(path))
  }

  /// The absolute path, for words.
  private func full(_ path: String) -> String { path.isEmpty ? self.path : "\(self.path)/\(path)" }

  /// Below 0 where it fails, with the reason in `errno`.
  private func descriptor(of path: String, _ flags: CInt) -> CInt {
    let root = unsafe clinux_open_for_looking(AT_FDCWD, self.path)
    guard root >= 0 else { return -1 }
    defer { closeKeepingError(root) }
    let descriptor = unsafe clinux_open_beneath(root, path.isEmpty ? "." : path, flags)
    // Kernels before 5.6 do not have it, and a container's filter may refuse a call that it does not know.
    if descriptor < 0, errno == ENOSYS || errno == EPERM { return Self.walk(path, from: root, flags) }
    return descriptor
  }

  /// The same in as many steps as the path has parts.
  ///
  /// - Parameter root: stays open.
  static func walk(_ path: String, from root: CInt, _ flags: CInt) -> CInt {
    var parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Array($0) }
    let isLeaving = parts.contains { $0 == [UInt8(ascii: "."), UInt8(ascii: ".")] }
    guard !isLeaving, path.isEmpty || parts.allSatisfy({ !$0.isEmpty }), let last = parts.popLast() else {
      errno = isLeaving || path.utf8.first == UInt8(ascii: "/") ? EXDEV : ENOENT
      return -1
    }
    var folder = root
    for part in parts {
      let next = unsafe clinux_open_for_looking(folder, String(decoding: part, as: UTF8.self))
      if folder != root { closeKeepingError(folder) }
      guard next >= 0 else { return -1 }
      folder = next
    }
    let name = last.isEmpty ? "." : String(decoding: last, as: UTF8.self)
    let descriptor = unsafe clinux_openat(folder, name, flags | O_NOFOLLOW, 0)
    if folder != root { closeKeepingError(folder) }
    return descriptor
  }
}

/// `close` may set `errno`, which the caller has yet to read.
private func closeKeepingError(_ descriptor: CInt) {
  let number = errno
  close(descriptor)
  errno = number
}
