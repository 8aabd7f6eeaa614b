#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension FileDescriptor {
  /// Acquires an exclusive lock, which no other process can acquire until this descriptor is closed. Calls `flock`,
  /// without waiting.
  ///
  /// - Throws: `.wouldBlock` if another process holds a lock.
  package func lock() throws(Errno) { guard flock(number, LOCK_EX | LOCK_NB) == 0 else { throw .current } }

  /// Releases the lock without closing this descriptor. Calls `flock`.
  package func unlock() { flock(number, LOCK_UN) }

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
    guard unsafe SystemCalls.setAttribute(number, name, value, value.count) == 0 else { throw .current }
  }

  /// Returns the value of an extended attribute. Calls `fgetxattr`.
  ///
  /// - Parameter limit: in bytes; a longer value is an error.
  package func attribute(_ name: String, limit: Int) throws(Errno) -> [UInt8] {
    var value = [UInt8](repeating: 0, count: limit)
    let count = unsafe SystemCalls.attribute(number, name, &value, limit)
    guard count >= 0 else { throw .current }
    return Array(value.prefix(count))
  }

  /// Removes an extended attribute. Calls `fremovexattr`.
  ///
  /// - Throws: `.noData` if there is none of that name.
  package func removeAttribute(_ name: String) throws(Errno) {
    guard unsafe SystemCalls.removeAttribute(number, name) == 0 else { throw .current }
  }
}
