#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// This process.
package enum Process {
  /// Returns a variable of the environment; nil if it is not set.
  package static func variable(_ name: String) -> String? {
    // Safe because the string is copied immediately, and nothing in this process changes the environment.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The number of the user that this process acts for.
  package static var user: UInt32 { geteuid() }

  /// The number of this process.
  package static var identifier: Int32 { getpid() }
}
