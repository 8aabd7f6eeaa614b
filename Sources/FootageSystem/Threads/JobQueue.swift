internal import Synchronization

/// Jobs that wait for threads, the first first. The threads hold it too, so that whoever adds to it may go before them.
final class JobQueue<Job: Sendable>: Sendable {
  private struct State {
    var waiting = FIFOQueue<Job>()
    var isStopping = false
  }

  private let state = Mutex(State())
  private let semaphore = Semaphore()

  /// - Returns: false where no more jobs are taken; a thread that has seen the end would not look again.
  @discardableResult
  func add(_ job: Job) -> Bool {
    let isTaken = state.withLock { state in
      if !state.isStopping { state.waiting.append(job) }
      return !state.isStopping
    }
    if isTaken { semaphore.signal() }
    return isTaken
  }

  /// Has the threads end when all that waits is done.
  ///
  /// - Parameter threadCount: how many take jobs.
  func stop(threadCount: Int) {
    state.withLock { $0.isStopping = true }
    for _ in 0..<threadCount { semaphore.signal() }
  }

  /// Waits for a job; nil at the end. Blocks.
  func next() -> Job? {
    while true {
      semaphore.wait()
      let (job, isStopping) = state.withLock { state in (state.waiting.popFirst(), state.isStopping) }
      if let job { return job }
      if isStopping { return nil }
    }
  }
}
