internal import Synchronization

/// The order in which jobs are done.
protocol JobOrder {
  associatedtype Job

  /// Removes the job that is done next; nil where none waits.
  mutating func popFirst() -> Job?
}

extension FIFOQueue: JobOrder {
  typealias Job = Element
}

extension RoundRobin: JobOrder {
  typealias Job = Element
}

/// Jobs that wait for threads, in some order. The threads hold it too, so that whoever adds to it may go before them.
///
/// There is one signal for each job, and at the end one for each thread: whichever thread takes which, each job is done
/// and each thread ends.
final class JobQueue<Order: JobOrder & Sendable>: Sendable where Order.Job: Sendable {
  private struct State {
    var waiting: Order
    var isStopping = false
  }

  private let state: Mutex<State>
  private let semaphore = Semaphore()

  /// - Parameter order: empty.
  init(_ order: Order) { state = Mutex(State(waiting: order)) }

  /// - Parameter insert: adds one job; not called where no more jobs are taken.
  /// - Returns: false where no more jobs are taken; a thread that has seen the end would not look again.
  @discardableResult
  func add(_ insert: (inout Order) -> Void) -> Bool {
    let isTaken = state.withLock { state in
      if !state.isStopping { insert(&state.waiting) }
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
  func next() -> Order.Job? {
    while true {
      semaphore.wait()
      let (job, isStopping) = state.withLock { state in (state.waiting.popFirst(), state.isStopping) }
      if let job { return job }
      if isStopping { return nil }
    }
  }
}
