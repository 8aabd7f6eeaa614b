internal import Synchronization

/// The order in which jobs are run.
protocol JobOrder {
  associatedtype Job

  /// Removes and returns the next job; nil if none is waiting.
  mutating func popFirst() -> Job?
}

extension FIFOQueue: JobOrder {
  typealias Job = Element
}

extension RoundRobin: JobOrder {
  typealias Job = Element
}

/// Jobs that wait for threads, in the order of an `Order`. The threads hold the queue, too, so the object that adds
/// jobs may be released before them.
///
/// There is one signal for each job, and at the end one for each thread. Whichever thread gets which signal, each job
/// is run and each thread ends.
final class JobQueue<Order: JobOrder & Sendable>: Sendable where Order.Job: Sendable {
  private struct State {
    var waiting: Order
    var isStopping = false
  }

  private let state: Mutex<State>
  private let semaphore = Semaphore()

  /// - Parameter order: an empty order.
  init(_ order: Order) { state = Mutex(State(waiting: order)) }

  /// - Parameter insert: adds one job; not called if no more jobs are accepted.
  /// - Returns: false if no more jobs are accepted, since a thread that has seen the end does not check again.
  @discardableResult
  func add(_ insert: (inout Order) -> Void) -> Bool {
    let isTaken = state.withLock { state in
      if !state.isStopping { insert(&state.waiting) }
      return !state.isStopping
    }
    if isTaken { semaphore.signal() }
    return isTaken
  }

  /// Makes the threads end when all waiting jobs are done.
  ///
  /// - Parameter threadCount: the number of threads that run jobs.
  func stop(threadCount: Int) {
    state.withLock { $0.isStopping = true }
    for _ in 0..<threadCount { semaphore.signal() }
  }

  /// Waits for a job, and returns it; nil at the end. Blocks.
  func next() -> Order.Job? {
    while true {
      semaphore.wait()
      let (job, isStopping) = state.withLock { state in (state.waiting.popFirst(), state.isStopping) }
      if let job { return job }
      if isStopping { return nil }
    }
  }
}
