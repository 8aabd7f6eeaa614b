internal import Glibc

/// Sockets that have a path instead of an address (man 7 unix), for processes on this machine only.
package enum LocalSocket {
  /// The longest path in bytes: `sun_path` without the zero at its end.
  package static let longestPath = 107

  /// Returns true if a process listens at this path. Never waits.
  package static func isHeld(_ path: String) -> Bool {
    guard let descriptor = try? make() else { return false }
    defer { close(descriptor) }
    guard (try? connect(descriptor, to: path)) != nil else { return errno == EAGAIN }
    return true
  }

  /// Creates a socket that does not block.
  static func make() throws(Errno) -> CInt {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .current }
    return descriptor
  }

  static func connect(_ descriptor: CInt, to path: String) throws(Errno) {
    guard unsafe try withAddress(path, { unsafe Glibc.connect(descriptor, $0, $1) }) == 0 else { throw .current }
  }

  static func bind(_ descriptor: CInt, to path: String) throws(Errno) {
    guard unsafe try withAddress(path, { unsafe Glibc.bind(descriptor, $0, $1) }) == 0 else { throw .current }
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) throws(Errno) -> CInt {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count <= longestPath, !bytes.contains(0) else { throw .nameTooLong }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // Safe because the path is shorter than the field, which is otherwise zero.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// A listening socket with a path, and the name that it created.
package final class LocalListener: Sendable {
  package let socket: ListeningSocket
  package let path: String
  private let identity: FileVersion.Identity?

  /// Listens under a path. It replaces the socket that a dead server left there, but not the socket of a running
  /// server.
  ///
  /// When the name appears, it already has its mode, and connections to it are already accepted.
  ///
  /// - Parameter mode: the permissions to connect, in addition to the folder's.
  /// - Throws: `.addressInUse` if a running server listens at the path; `.nameTooLong`; no permission.
  package init(_ path: String, mode: UInt32) throws(Errno) {
    guard !LocalSocket.isHeld(path) else { throw .addressInUse }
    let temporary = "\(path).\(Process.identifier)"
    let descriptor = try LocalSocket.make()
    unsafe unlink(temporary)
    do throws(Errno) {
      try LocalSocket.bind(descriptor, to: temporary)
      guard unsafe chmod(temporary, mode) == 0, listen(descriptor, 16) == 0 else { throw .current }
      identity = Self.identity(of: temporary)
      guard unsafe rename(temporary, path) == 0 else { throw .current }
    } catch {
      unsafe unlink(temporary)
      close(descriptor)
      throw error
    }
    socket = ListeningSocket(adoptingLocal: descriptor)
    self.path = path
  }

  /// Removes the name, unless it belongs to another socket now.
  package func remove() {
    guard let identity, Self.identity(of: path) == identity else { return }
    unsafe unlink(path)
  }

  /// Returns the identity of the name itself, without following a link.
  private static func identity(of path: String) -> FileVersion.Identity? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return FileStatus(status).version.identity
  }
}
