internal import CLinux
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
  /// Keeps other processes that ask out, for as long as this is open. Calls `flock`, without waiting.
  ///
  /// - Throws: `.wouldBlock` where another one has it.
  package func lock() throws(Errno) { guard flock(number, LOCK_EX | LOCK_NB) == 0 else { throw .current } }

  /// Lets others have it before this is closed. Calls `flock`.
  package func unlock() { flock(number, LOCK_UN) }

  /// Whether somebody has the file open for writing just now. Calls `fcntl(F_SETLEASE)`.
  package func writers() -> WriterAnswer {
    guard clinux_take_read_lease(number) == 0 else { return errno == EAGAIN ? .held : .unknown }
    _ = clinux_drop_lease(number)
    return .free
  }

  /// Gives the file a modification time, in nanoseconds since 1970. Calls `futimens`.
  package func setModified(nanoseconds: Int64) throws(Errno) {
    let second: Int64 = 1_000_000_000
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: second)
    let time = timespec(
      tv_sec: Int(remainder < 0 ? quotient - 1 : quotient), tv_nsec: Int(remainder < 0 ? remainder + second : remainder)
    )
    let times = [time, time]
    guard unsafe futimens(number, times) == 0 else { throw .current }
  }

  /// Sets an extended attribute (man 7 xattr). Calls `fsetxattr`.
  package func setAttribute(_ name: String, to value: [UInt8]) throws(Errno) {
    guard unsafe clinux_set_attribute(number, name, value, value.count) == 0 else { throw .current }
  }

  /// The value of an extended attribute. Calls `fgetxattr`.
  ///
  /// - Parameter limit: in bytes; what is longer is an error.
  package func attribute(_ name: String, limit: Int) throws(Errno) -> [UInt8] {
    var value = [UInt8](repeating: 0, count: limit)
    let count = unsafe clinux_attribute(number, name, &value, limit)
    guard count >= 0 else { throw .current }
    return Array(value.prefix(count))
  }

  /// Takes an extended attribute away. Calls `fremovexattr`.
  ///
  /// - Throws: `.noData` where there is none of that name.
  package func removeAttribute(_ name: String) throws(Errno) {
    guard unsafe clinux_remove_attribute(number, name) == 0 else { throw .current }
  }

  // MARK: Files in memory

  /// A file without a name, in memory alone (man 2 memfd_create).
  ///
  /// - Parameter name: shown to who looks at this process.
  package static func memory(named name: String) throws(Errno) -> FileDescriptor {
    let descriptor = unsafe clinux_memory_file(name)
    guard descriptor >= 0 else { throw .current }
    return FileDescriptor(adopting: descriptor)
  }

  /// From now on nobody can change a file in memory. Calls `fcntl(F_ADD_SEALS)`.
  package func seal() throws(Errno) { guard clinux_seal_memory_file(number) == 0 else { throw .current } }

  /// Another descriptor of the same open file. Calls `fcntl(F_DUPFD_CLOEXEC)`.
  package func duplicate() throws(Errno) -> FileDescriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .current }
    return FileDescriptor(adopting: copy)
  }
}
