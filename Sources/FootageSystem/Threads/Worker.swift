internal import Synchronization

/// A thread of its own that takes one turn after another until it is stopped.
///
/// A turn waits by itself for the time of the next one: by `sleep`, or in the kernel for what `wake` ends.
package final class Worker: Sendable {
  private let name: String
  private let isOver = Atomic<Bool>(false)
  private let thread = Mutex<Thread?>(nil)
  private let alarm = Semaphore()
  private let wakeElsewhere: (@Sendable () -> Void)?

  /// - Parameters:
  ///   - name: of the thread; 15 bytes of it are kept.
  ///   - wake: ends the waiting of a turn that waits for something else than `sleep`.
  package init(_ name: String, wake: (@Sendable () -> Void)? = nil) {
    self.name = name
    wakeElsewhere = wake
  }

  /// Starts the thread. To be called once.
  ///
  /// - Parameter begin: called on the thread; makes the turn, which is called over and over.
  /// - Throws: `SystemError` where the system has no thread left.
  package func start(_ begin: @escaping @Sendable () -> (() -> Void)) throws(SystemError) {
    let started = try Thread.start(name) { [self] in
      let turn = begin()
      while !isStopped { turn() }
    }
    thread.withLock { $0 = started }
  }

  /// Whether it is to end: what takes long within a turn looks at this.
  package var isStopped: Bool { isOver.load(ordering: .relaxed) }

  /// Has the waiting of the turn end, or that of the next one to wait.
  package func wake() {
    if let wakeElsewhere { wakeElsewhere() } else { alarm.signal() }
  }

  /// Waits until a moment, until it is woken, or until it is stopped. For the thread itself.
  package func sleep(until deadline: Deadline) {
    guard !isStopped else { return }
    _ = alarm.wait(until: deadline)
  }

  /// Ends it after the turn that is under way, and waits for that. Without a thread it does nothing.
  package func stop() { end()?.join() }

  /// Ends it after the turn that is under way, for which nobody waits.
  package func abandon() { end()?.detach() }

  private func end() -> Thread? {
    isOver.store(true, ordering: .relaxed)
    wake()
    return thread.withLock { $0.take() }
  }
}
