internal import Synchronization

/// A few threads for what may block: cold reads, opening files, looking things up.
package final class BlockingPool: Sendable {
  private let jobs = JobQueue(FIFOQueue<@Sendable () -> Void>())
  private let threads = Mutex<[Thread]>([])

  /// - Parameter threadCount: how many calls may block at once; the others wait in order.
  /// - Throws: `SystemError` where the system has no thread left.
  package init(threadCount: Int) throws(SystemError) {
    for _ in 0..<threadCount {
      let thread = try Thread.start("footage-disk") { [jobs] in
        while let job = jobs.next() { job() }
      }
      threads.withLock { $0.append(thread) }
    }
  }

  /// Runs `body` on one of the threads and comes back to the caller's executor. After the end of the pool the caller's
  /// own thread runs it.
  ///
  /// - Throws: what `body` throws.
  package func run<Value: Sendable, Failure>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let outcome = await Suspension<Result<Value, Failure>>.suspend { suspension in
      let job = { @Sendable in suspension.resume(returning: Result(catching: body)) }
      if !jobs.add({ $0.append(job) }) { job() }
    }
    return try outcome.get()
  }

  /// Finishes what was asked for and ends the threads.
  package func stop() {
    let ending = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    jobs.stop(threadCount: ending.count)
    for thread in ending { thread.join() }
  }

  /// Drops a reference on one of the threads: what is closed with the last one, a large file that was deleted above
  /// all, may keep its caller for long.
  ///
  /// - Parameter object: retained for this call, which takes it over.
  package func release(_ object: Unmanaged<some AnyObject & Sendable>) {
    // Safe because nobody else has this reference.
    let reference = unsafe Reference(object)
    if !jobs.add({ $0.append { reference.release() } }) { reference.release() }
  }

  /// Released exactly once, wherever that is; that makes it safe to send.
  @safe
  private struct Reference<Object: AnyObject & Sendable>: @unchecked Sendable {
    private let object: Unmanaged<Object>

    init(_ object: Unmanaged<Object>) { unsafe self.object = object }

    func release() { unsafe object.release() }
  }
}
