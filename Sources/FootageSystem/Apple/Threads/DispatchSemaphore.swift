internal import Dispatch

/// A counting semaphore between threads. It uses Dispatch, since Darwin has no `sem_init`.
package final class Semaphore: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func signal() { semaphore.signal() }

  package func wait() { semaphore.wait() }

  /// - Parameter deadline: on the system's clock. Like the clock of Dispatch, it stands still while the machine sleeps.
  /// - Returns: false if the deadline passed first.
  package func wait(until deadline: Deadline) -> Bool {
    let remaining = Int(clamping: deadline.milliseconds) - Int(clamping: Clock.system.now.milliseconds)
    guard deadline != .never else {
      wait()
      return true
    }
    return semaphore.wait(timeout: .now() + .milliseconds(max(0, remaining))) == .success
  }
}
