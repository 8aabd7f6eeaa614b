package import Dispatch
package import FootageSystem

/// A serial queue as the thread of connections: Network calls back on it, and their tasks run on it.
///
/// What is marked "queue" is touched on the queue alone, which `checkIsolated` checks; the rest never changes. That makes
/// `@unchecked Sendable` true.
package final class QueueExecutor: ConnectionExecutor, @unchecked Sendable {
  /// What connections and listeners are started on.
  package let queue: DispatchQueue
  package let clock: Clock

  // Queue. Those that a moved clock may bring about.
  private var timers: [QueueTimer] = []

  /// What all connections of a process share.
  package static let shared = QueueExecutor()

  package init(clock: Clock = .system) {
    queue = DispatchQueue(label: "footage.connections")
    self.clock = clock
    clock.whenMoved { [weak self] in self?.lookAtTimers() }
  }

  // MARK: Executor

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in
      // A job of a task that prefers this executor runs isolated to it and with it, or the next one goes elsewhere.
      unsafe job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// What Network has to tell is a block of the same queue, which has its turn by that.
  package func yield() async { await Task.yield() }

  // MARK: Timers

  package func timer(at deadline: Deadline, _ action: @escaping () -> Void) -> any ConnectionTimer {
    checkIsolated()
    timers.removeAll { $0.isOver }
    let timer = QueueTimer(deadline, action)
    timers.append(timer)
    arm(timer)
    return timer
  }

  private func arm(_ timer: QueueTimer) {
    // A clock that stands still wakes those who wait when it is moved.
    let patience = clock.patience(until: timer.deadline)
    guard patience >= 0 else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(patience))) { [weak self, weak timer] in
      guard let timer, !timer.isOver else { return }
      self?.look(at: timer)
    }
  }

  private func look(at timer: QueueTimer) {
    if clock.now >= timer.deadline { timer.fire() } else { arm(timer) }
  }

  private func lookAtTimers() {
    queue.async { [self] in
      for timer in timers where !timer.isOver && clock.now >= timer.deadline { timer.fire() }
    }
  }
}

/// Its deadline never changes. Its action is touched on its executor's queue alone: it is made there, which
/// `checkIsolated` checks, the queue fires it, and whoever it was made for cancels it there. That makes
/// `@unchecked Sendable` true.
private final class QueueTimer: ConnectionTimer, @unchecked Sendable {
  let deadline: Deadline
  private var action: (() -> Void)?

  init(_ deadline: Deadline, _ action: @escaping () -> Void) {
    self.deadline = deadline
    self.action = action
  }

  var isOver: Bool { action == nil }

  func cancel() { action = nil }

  /// Does it, once.
  func fire() {
    guard let action else { return }
    self.action = nil
    action()
  }
}
