#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The number by which the system says why a call failed, with its words (man 3 errno).
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: CInt

  package init(rawValue: CInt) { self.rawValue = rawValue }

  /// The error of the system call that just failed on this thread.
  package static var current: Errno { .init(rawValue: errno) }

  /// What the C library says of it, in English.
  package var description: String {
    SystemCalls.errorText(rawValue) ?? "error \(rawValue)"
  }
}
