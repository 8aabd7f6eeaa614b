internal import CFootageLinux
internal import Glibc

/// Paths in a folder that others write to, which lead nowhere else.
extension FileDescriptor {
  /// Opens what lies below this folder and is reached through no link and no way out of it. Calls `openat2`; where the
  /// kernel is older than 5.6, or a container's filter refuses a call that it does not know, `openat` for each part.
  ///
  /// - Throws: `.symbolicLink` for a link as the last part, unless it is opened for asking; `.notAFolder` or
  ///   `.symbolicLink` for one on the way, `.crossDevice` for a way out.
  package func openBeneath(_ path: String, _ opening: Opening) throws(Errno) -> FileDescriptor {
    let descriptor = unsafe clinux_open_beneath(number, path.isEmpty ? "." : path, opening.flags)
    return try opened(descriptor, path, opening)
  }

  /// The same of a path that need not be UTF-8, which no kernel without `openat2` opens.
  ///
  /// - Parameter path: without a zero in it.
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

  /// The same in as many steps as the path has parts.
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

  /// A folder to look names up in, which needs no right to list it. A link as the last part is refused. Calls `openat`.
  package static func openToSearch(_ path: String) throws(Errno) -> FileDescriptor {
    try openToSearch(path, in: AT_FDCWD)
  }

  private static func openToSearch(_ path: String, in folder: CInt) throws(Errno) -> FileDescriptor {
    let descriptor = unsafe clinux_open_for_looking(folder, path)
    guard descriptor >= 0 else { throw .current }
    return FileDescriptor(adopting: descriptor)
  }
}
