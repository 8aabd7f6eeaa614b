/// A few threads for what may block: cold reads, opening files, looking things up.

internal import Synchronization

package final class BlockingPool: Sendable {
  private struct State {
    var work = FIFOQueue<@Sendable () -> Void>()
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

  /// Drops a reference on one of the threads: what is closed with the last one, a large file that was deleted above all,
  /// may keep its caller for long.
  ///
  /// - Parameter object: retained for this call, which takes it over.
  package func release(_ object: Unmanaged<some AnyObject & Sendable>) {
    // Safe because nobody else has this reference.
    let reference = unsafe Reference(object)
    let isStopping = state.withLock { state in
      if !state.isStopping { state.work.append { reference.release() } }
      return state.isStopping
    }
    if isStopping { reference.release() } else { semaphore.signal() }
  }

  /// Released exactly once, wherever that is; that makes it safe to send.
  @safe
  private struct Reference<Object: AnyObject & Sendable>: @unchecked Sendable {
    private let object: Unmanaged<Object>

    init(_ object: Unmanaged<Object>) { unsafe self.object = object }

    func release() { unsafe object.release() }
  }

  private func work() {
    while true {
      semaphore.wait()
      let (next, isStopping) = state.withLock { state in (state.work.popFirst(), state.isStopping) }
      if let next { next() } else if isStopping { return }
    }
  }
}
