/// A failed system call.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the function.
  package let call: String
  package let number: Errno

  package init(_ call: String, _ number: Errno) {
    self.call = call
    self.number = number
  }

  /// Returns the error of the call that just failed on this thread.
  package static func current(_ call: String) -> SystemError { SystemError(call, .current) }

  package var description: String { "\(call) failed: \(number)" }
}
