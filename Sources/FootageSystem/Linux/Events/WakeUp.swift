internal import CFootageLinux
internal import Glibc

/// Ends the wait of another thread, the next one if it does not wait just now.
package final class WakeUp: Sendable {
  /// Readable from a wake-up until that was taken.
  let descriptor: CInt

  /// - Throws: `SystemError`: the process has too many open files.
  package init() throws(SystemError) {
    descriptor = clinux_eventfd()
    guard descriptor >= 0 else { throw .current("eventfd") }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// May be called from any thread.
  package func signal() {
    var one: UInt64 = 1
    // Safe because the eight bytes are the variable's own. Full means that it is awake anyway.
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Takes what was signalled.
  func take() {
    var count: UInt64 = 0
    // Safe because the eight bytes are the variable's own.
    _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}
