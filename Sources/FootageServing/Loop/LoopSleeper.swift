internal import FootageSystem

/// Lets the one task that works on a loop rest until a moment, or until somebody wakes it. Belongs to the loop's thread.
package final class LoopSleeper {
  private let loop: EventLoop
  private var sleeping: Suspension<Void>?
  private var timer: LoopTimer?

  package init(on loop: EventLoop) { self.loop = loop }

  /// Returns after so long, or when it is woken. Nobody else may sleep here meanwhile.
  package func sleep(for duration: Duration) async {
    guard duration > .zero else { return }
    await Suspension.suspend { suspension in
      sleeping = suspension
      timer = loop.schedule(at: loop.clock.deadline(after: duration)) { [weak self] in self?.wake() }
    }
  }

  /// That nobody sleeps is fine.
  package func wake() {
    timer?.cancel()
    timer = nil
    let waiting = sleeping
    sleeping = nil
    waiting?.resume()
  }
}
