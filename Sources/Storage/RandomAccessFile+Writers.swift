/// Whether somebody has a file open for writing.

internal import CLinux
internal import Glibc

/// What the file system says of a file's writers.
package enum LeaseAnswer: Equatable, Sendable {
  /// Nobody has it open for writing.
  case free
  case held
  /// Another user's file, or a file system without leases.
  case unknown
}

extension RandomAccessFile {
  /// Whether somebody has the file open for writing just now. Calls `fcntl(F_SETLEASE)`.
  package func leaseAnswer() -> LeaseAnswer {
    guard clinux_take_read_lease(descriptor) == 0 else { return errno == EAGAIN ? .held : .unknown }
    _ = clinux_drop_lease(descriptor)
    return .free
  }

  /// Whether it is certain that nobody has the file open for writing just now.
  package func hasNoWriter() -> Bool { leaseAnswer() == .free }
}
