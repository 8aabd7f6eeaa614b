internal import CFootageLinux
internal import Glibc

/// A counting semaphore between threads.
@safe
package final class Semaphore: @unchecked Sendable {
  // Safe to share because sem_t is made for that, and the pointer leads to nothing else.
  private let storage: UnsafeMutablePointer<sem_t>

  package init() {
    unsafe storage = .allocate(capacity: 1)
    unsafe sem_init(storage, 0, 0)
  }

  deinit {
    unsafe sem_destroy(storage)
    unsafe storage.deallocate()
  }

  package func signal() { unsafe sem_post(storage) }

  package func wait() { while unsafe sem_wait(storage) != 0 {} }

  /// - Parameter deadline: on the system's clock.
  /// - Returns: false if the deadline passed first.
  package func wait(until deadline: Deadline) -> Bool {
    while unsafe clinux_wait_for_semaphore(storage, deadline.milliseconds) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}
