internal import CFootageLinux
internal import Glibc

/// A signal that ends the wait of another thread, or its next wait if it is not waiting now.
package final class WakeUp: Sendable {
  /// The descriptor, which is readable from a signal until `take` is called.
  let descriptor: CInt

  /// - Throws: `SystemError`: the process has too many open files.
  package init() throws(SystemError) {
    descriptor = clinux_eventfd()
    guard descriptor >= 0 else { throw .current("eventfd") }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Ends the wait. May be called from any thread.
  package func signal() {
    var one: UInt64 = 1
    // Safe because the eight bytes belong to the variable. If the counter is full, the thread is awake anyway.
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Clears the signals received so far.
  func take() {
    var count: UInt64 = 0
    // Safe because the eight bytes belong to the variable.
    _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
