package import Dispatch
package import FootageSystem

/// A serial queue as the thread of connections: Network calls back on it, and their tasks run on it.
///
/// Properties marked "Queue" are touched only on the queue, which `checkIsolated` checks. The others never change. That
/// makes `@unchecked Sendable` true.
package final class QueueExecutor: ConnectionExecutor, @unchecked Sendable {
  /// The queue on which connections and listeners are started.
  package let queue: DispatchQueue
  package let clock: Clock

  // Queue. The timers, some of which may become due when the clock is moved.
  private var timers: [QueueTimer] = []

  /// The executor that all connections of a process share.
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
      // A job of a task that prefers this executor has to run isolated to it and with it. Otherwise the next job goes
      // elsewhere.
      unsafe job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Lets other tasks run. Network's events are blocks of the same queue, so they can run as well.
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
    // A clock that stands still wakes its waiters when it is moved.
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

/// A timer of the queue. Its deadline never changes. Its action is touched only on its executor's queue: it is made
/// there, which `checkIsolated` checks, the queue fires it, and its owner cancels it there. That makes `@unchecked
/// Sendable` true.
private final class QueueTimer: ConnectionTimer, @unchecked Sendable {
  let deadline: Deadline
  private var action: (() -> Void)?

  init(_ deadline: Deadline, _ action: @escaping () -> Void) {
    self.deadline = deadline
    self.action = action
  }

  var isOver: Bool { action == nil }

  func cancel() { action = nil }

  /// Runs the action, once.
  func fire() {
    guard let action else { return }
    self.action = nil
    action()
  }
}
