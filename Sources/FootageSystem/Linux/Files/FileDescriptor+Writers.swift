internal import CFootageLinux
internal import Glibc

/// The system's answer about processes that write to a file.
package enum WriterAnswer: Equatable, Sendable {
  /// No process has it open for writing.
  case free
  case held
  /// The file belongs to another user, or the file system cannot tell.
  case unknown
}

extension FileDescriptor {
  /// Returns whether a process has the file open for writing now. Calls `fcntl(F_SETLEASE)`.
  package func writers() -> WriterAnswer {
    guard clinux_take_read_lease(number) == 0 else { return errno == EAGAIN ? .held : .unknown }
    _ = clinux_drop_lease(number)
    return .free
  }
}
