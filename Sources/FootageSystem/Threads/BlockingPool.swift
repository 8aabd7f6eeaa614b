internal import Synchronization

/// A few threads for calls that may block: cold reads, opening files, lookups.
package final class BlockingPool: Sendable {
  private let jobs = JobQueue(FIFOQueue<@Sendable () -> Void>())
  private let threads = Mutex<[Thread]>([])

  /// - Parameter threadCount: the number of calls that may block at once; the others wait in order.
  /// - Throws: `SystemError` if the system has no thread left.
  package init(threadCount: Int) throws(SystemError) {
    for _ in 0..<threadCount {
      let thread = try Thread.start("footage-disk") { [jobs] in
        while let job = jobs.next() { job() }
      }
      threads.withLock { $0.append(thread) }
    }
  }

  /// Runs `body` on one of the threads, and returns to the caller's executor. After `stop`, the caller's own thread
  /// runs it.
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

  /// Finishes all requested work, and ends the threads.
  package func stop() {
    let ending = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    jobs.stop(threadCount: ending.count)
    for thread in ending { thread.join() }
  }

  /// Releases a reference on one of the threads. Releasing the last reference closes what the object holds, which may
  /// take long, above all for a large file that was deleted.
  ///
  /// - Parameter object: retained for this call, which takes over that reference.
  package func release(_ object: Unmanaged<some AnyObject & Sendable>) {
    // Safe because no other code has this reference.
    let reference = unsafe Reference(object)
    if !jobs.add({ $0.append { reference.release() } }) { reference.release() }
  }

  /// A reference that is released exactly once, on whatever thread; that makes it safe to send.
  @safe
  private struct Reference<Object: AnyObject & Sendable>: @unchecked Sendable {
    private let object: Unmanaged<Object>

    init(_ object: Unmanaged<Object>) { unsafe self.object = object }

    func release() { unsafe object.release() }
  }
}
