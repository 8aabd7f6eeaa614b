#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The number by which the system reports why a call failed, with its text (man 3 errno).
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: CInt

  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// The error of the system call that just failed on this thread.
  package static var current: Errno { .init(rawValue: errno) }

  /// The C library's text for the error, in English.
  package var description: String {
    SystemCalls.errorText(rawValue) ?? "error \(rawValue)"
  }
}
