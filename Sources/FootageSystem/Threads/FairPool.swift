internal import Synchronization

/// A few threads for slow work, shared fairly between keys: each key has a queue of its own, and the keys with waiting
/// work take turns. Work that belongs to no key, and must not wait for a turn, runs elsewhere.
package final class FairPool<Key: Hashable & Sendable>: Sendable {
  private let jobs = JobQueue(RoundRobin<Key, @Sendable () -> Void>())
  private let threads = Mutex<[Thread]>([])

  /// - Parameters:
  ///   - threadCount: the number of jobs that run at once.
  ///   - name: the name of the threads; 15 bytes of it are kept.
  /// - Throws: `SystemError` if the system has no thread left.
  package init(threadCount: Int, name: String) throws(SystemError) {
    for _ in 0..<threadCount {
      let thread = try Thread.start(name) { [jobs] in
        while let job = jobs.next() { job() }
      }
      threads.withLock { $0.append(thread) }
    }
  }

  /// Makes a thread run a job when it is its key's turn. After `stop`, the calling thread runs it.
  package func add(for key: Key, _ job: @escaping @Sendable () -> Void) {
    if !jobs.add({ $0.append(job, for: key) }) { job() }
  }

  /// Runs `body` on one of the threads when it is its key's turn, and returns to the caller's executor. After `stop`,
  /// the caller's own thread runs it.
  ///
  /// - Throws: what `body` throws.
  package func run<Value: Sendable, Failure>(
    for key: Key, _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let outcome = await Suspension<Result<Value, Failure>>.suspend { suspension in
      add(for: key) { suspension.resume(returning: Result(catching: body)) }
    }
    return try outcome.get()
  }

  /// Finishes all requested work, and ends the threads.
  package func stop() {
    let ending = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    jobs.stop(threadCount: ending.count)
    for thread in ending { thread.join() }
  }
}
