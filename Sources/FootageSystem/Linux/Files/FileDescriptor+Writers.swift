internal import CFootageLinux
internal import Glibc

/// What the system says of those that write to a file.
package enum WriterAnswer: Equatable, Sendable {
  /// Nobody has it open for writing.
  case free
  case held
  /// Another user's file, or a file system that does not tell.
  case unknown
}

extension FileDescriptor {
  /// Whether somebody has the file open for writing just now. Calls `fcntl(F_SETLEASE)`.
  package func writers() -> WriterAnswer {
    guard clinux_take_read_lease(number) == 0 else { return errno == EAGAIN ? .held : .unknown }
    _ = clinux_drop_lease(number)
    return .free
  }
}
