internal import CFootageLinux
internal import Glibc

/// Paths in a folder that other users write to, opened without leaving it.
extension FileDescriptor {
  /// Opens a file below this folder if its path contains neither a link nor a way out of the folder. Calls `openat2`.
  /// If the kernel is older than 5.6, or a container's filter rejects `openat2`, calls `openat` for each part.
  ///
  /// - Throws: `.symbolicLink` for a link as the last part, unless `asking` is requested; `.notAFolder` or
  ///   `.symbolicLink` for a link on the way; `.crossDevice` for a path that leads out of the folder.
  package func openBeneath(_ path: String, _ opening: Opening) throws(Errno) -> FileDescriptor {
    let descriptor = unsafe clinux_open_beneath(number, path.isEmpty ? "." : path, opening.flags)
    return try opened(descriptor, path, opening)
  }

  /// Opens a file by a path that need not be UTF-8. Kernels without `openat2` cannot open such a path.
  ///
  /// - Parameter path: must not contain a zero.
  package func openBeneath(bytes path: [UInt8], _ opening: Opening) throws(Errno) -> FileDescriptor {
    guard !path.isEmpty, !path.contains(0) else { throw .notFound }
    let name = path.map { CChar(bitPattern: $0) } + [0]
    // Safe because the name ends with a zero.
    let descriptor = unsafe clinux_open_beneath(number, name, opening.flags)
    guard descriptor >= 0 else { throw .current }
    return FileDescriptor(adopting: descriptor)
  }

  private func opened(_ descriptor: CInt, _ path: String, _ opening: Opening) throws(Errno) -> FileDescriptor {
    if descriptor >= 0 { return FileDescriptor(adopting: descriptor) }
    let error = Errno.current
    guard error == .notImplemented || error == .notPermitted else { throw error }
    return try walk(path, opening)
  }

  /// Opens a path in as many steps as it has parts.
  func walk(_ path: String, _ opening: Opening) throws(Errno) -> FileDescriptor {
    var parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Array($0) }
    let isLeaving = parts.contains { $0 == [UInt8(ascii: "."), UInt8(ascii: ".")] }
    guard !isLeaving, path.isEmpty || parts.allSatisfy({ !$0.isEmpty }), let last = parts.popLast() else {
      throw isLeaving || path.utf8.first == UInt8(ascii: "/") ? .crossDevice : .notFound
    }
    var folder = try Self.openToSearch(".", in: number)
    for part in parts { folder = try Self.openToSearch(String(decoding: part, as: UTF8.self), in: folder.number) }
    let name = last.isEmpty ? "." : String(decoding: last, as: UTF8.self)
    return try folder.open(name, opening.union(.refusingLink))
  }

  /// Opens a folder to look up names in it, which requires no right to list it. A link as the last part is rejected.
  /// Calls `openat`.
  package static func openToSearch(_ path: String) throws(Errno) -> FileDescriptor {
    try openToSearch(path, in: AT_FDCWD)
  }

  private static func openToSearch(_ path: String, in folder: CInt) throws(Errno) -> FileDescriptor {
    let descriptor = unsafe clinux_open_for_looking(folder, path)
    guard descriptor >= 0 else { throw .current }
    return FileDescriptor(adopting: descriptor)
  }
}
