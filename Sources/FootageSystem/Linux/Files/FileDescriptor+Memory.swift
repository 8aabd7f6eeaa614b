internal import CFootageLinux
internal import Glibc

/// Files in memory, which one process passes to another.
extension FileDescriptor {
  /// Creates a file without a name, in memory only (man 2 memfd_create).
  ///
  /// - Parameter name: shown to people who inspect this process.
  package static func memory(named name: String) throws(Errno) -> FileDescriptor {
    let descriptor = unsafe clinux_memory_file(name)
    guard descriptor >= 0 else { throw .current }
    return FileDescriptor(adopting: descriptor)
  }

  /// Prevents every process from changing a file in memory from now on. Calls `fcntl(F_ADD_SEALS)`.
  package func seal() throws(Errno) { guard clinux_seal_memory_file(number) == 0 else { throw .current } }

  /// Returns another descriptor of the same open file. Calls `fcntl(F_DUPFD_CLOEXEC)`.
  package func duplicate() throws(Errno) -> FileDescriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .current }
    return FileDescriptor(adopting: copy)
  }
}
