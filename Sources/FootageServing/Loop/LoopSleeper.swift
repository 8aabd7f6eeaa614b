internal import FootageSystem

/// A sleeper that lets a task on a loop sleep for a time, or until it is woken. Belongs to the loop's thread.
package final class LoopSleeper {
  private let loop: EventLoop
  private var sleeping: Suspension<Void>?
  private var timer: LoopTimer?

  package init(on loop: EventLoop) { self.loop = loop }

  /// Returns after `duration`, or when it is woken. Only one task may use the sleeper at a time.
  package func sleep(for duration: Duration) async {
    guard duration > .zero else { return }
    await Suspension.suspend { suspension in
      sleeping = suspension
      timer = loop.schedule(at: loop.clock.deadline(after: duration)) { [weak self] in self?.wake() }
    }
  }

  /// Wakes the task. Does nothing if no task sleeps.
  package func wake() {
    timer?.cancel()
    timer = nil
    let waiting = sleeping
    sleeping = nil
    waiting?.resume()
  }
}
