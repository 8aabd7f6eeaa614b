/// A few threads for what may block: cold reads, opening files, looking things up.

internal import Synchronization

package final class BlockingPool: Sendable {
  private struct State {
    var work: [@Sendable () -> Void] = []
    var first = 0
    var isStopping = false
    var threads: [Thread] = []
  }

  private let state: Mutex<State> = Mutex(State())
  private let semaphore: Semaphore

  /// - Parameter threadCount: how many calls may block at once; the others wait in order.
  package init(threadCount: Int) throws(NetworkingError) {
    semaphore = Semaphore()
    for _ in 0..<threadCount {
      let thread = try Thread.start("footage-disk") { [self] in work() }
      state.withLock { $0.threads.append(thread) }
    }
  }

  /// Runs `body` on one of the threads and comes back to the caller's executor.
  package func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await Suspension.suspend { suspension in
      state.withLock { $0.work.append { suspension.resume(returning: body()) } }
      semaphore.signal()
    }
  }

  /// Finishes what was asked for and ends the threads.
  package func stop() {
    let threads = state.withLock { state in
      state.isStopping = true
      defer { state.threads = [] }
      return state.threads
    }
    for _ in threads { semaphore.signal() }
    for thread in threads { thread.join() }
  }

  private func work() {
    while true {
      semaphore.wait()
      let (next, isStopping) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
        guard state.first < state.work.count else { return (nil, state.isStopping) }
        let next = state.work[state.first]
        state.first += 1
        if state.first == state.work.count {
          state.work.removeAll(keepingCapacity: true)
          state.first = 0
        }
        return (next, state.isStopping)
      }
      if let next { next() } else if isStopping { return }
    }
  }
}
