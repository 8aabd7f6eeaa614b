internal import CLinux
internal import Glibc

/// The number by which the system says why a call failed, with its words (man 3 errno).
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: CInt

  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// The error of the system call that just failed on this thread.
  package static var current: Errno { .init(rawValue: errno) }

  /// What `strerror` says in the C locale.
  package var description: String {
    // Safe because the string is a constant of the C library, ended by a zero.
    guard let words = unsafe clinux_error_text(rawValue) else { return "error \(rawValue)" }
    return unsafe String(cString: words)
  }
}
