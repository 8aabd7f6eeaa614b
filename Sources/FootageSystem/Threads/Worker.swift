internal import Synchronization

/// A thread that runs one turn after another until it is stopped.
///
/// Each turn also waits until the next one is due: in `sleep`, or in a system call that `wake` interrupts.
package final class Worker: Sendable {
  private let name: String
  private let isOver = Atomic<Bool>(false)
  private let thread = Mutex<Thread?>(nil)
  private let alarm = Semaphore()
  private let wakeElsewhere: (@Sendable () -> Void)?

  /// - Parameters:
  ///   - name: the name of the thread; 15 bytes of it are kept.
  ///   - wake: ends the wait of a turn that waits in a system call instead of `sleep`.
  package init(_ name: String, wake: (@Sendable () -> Void)? = nil) {
    self.name = name
    wakeElsewhere = wake
  }

  /// Starts the thread. Call this once.
  ///
  /// - Parameter begin: called on the thread; returns the turn, which is called over and over.
  /// - Throws: `SystemError` if the system has no thread left.
  package func start(_ begin: @escaping @Sendable () -> (() -> Void)) throws(SystemError) {
    let started = try Thread.start(name) { [self] in
      let turn = begin()
      while !isStopped { turn() }
    }
    thread.withLock { $0 = started }
  }

  /// True once the thread should end. A turn that takes long checks this.
  package var isStopped: Bool { isOver.load(ordering: .relaxed) }

  /// Ends the wait of the current turn, or the next wait.
  package func wake() {
    if let wakeElsewhere { wakeElsewhere() } else { alarm.signal() }
  }

  /// Waits until the deadline, a wake-up or the stop. Only the thread itself may call this.
  package func sleep(until deadline: Deadline) {
    guard !isStopped else { return }
    _ = alarm.wait(until: deadline)
  }

  /// Ends the thread after the current turn, and waits until it has ended. Does nothing without a thread.
  package func stop() { end()?.join() }

  /// Ends the thread after the current turn, but does not wait for its end.
  package func abandon() { end()?.detach() }

  private func end() -> Thread? {
    isOver.store(true, ordering: .relaxed)
    wake()
    return thread.withLock { $0.take() }
  }
}
