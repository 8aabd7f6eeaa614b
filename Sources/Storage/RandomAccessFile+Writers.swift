/// Whether somebody has a file open for writing.

internal import CLinux
internal import Glibc

extension RandomAccessFile {
  /// Whether it is certain that nobody has the file open for writing just now; false too where the system does not
  /// tell (another owner's file, some file systems). Calls `fcntl(F_SETLEASE)`.
  package func hasNoWriter() -> Bool {
    guard clinux_take_read_lease(descriptor) == 0 else { return false }
    _ = clinux_drop_lease(descriptor)
    return true
  }
}
