internal import Synchronization

/// Tells a thread that waits that it is to end.
package final class StopSignal: Sendable {
  private let flag = Atomic<Bool>(false)
  private let semaphore = Semaphore()

  package init() {}

  package var isSet: Bool { flag.load(ordering: .relaxed) }

  package func set() {
    flag.store(true, ordering: .relaxed)
    semaphore.signal()
  }

  /// Returns when it is set, or after so long. Blocks.
  package func wait(for duration: Duration) {
    guard !isSet else { return }
    _ = semaphore.wait(until: Clock.system.deadline(after: duration))
  }
}
