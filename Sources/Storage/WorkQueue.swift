/// A serial executor on a thread of its own: an actor that runs on it may block without holding up anybody else.

internal import Glibc
internal import Synchronization

/// Ends its thread when it goes away, after what was asked for is done.
package final class WorkQueue: SerialExecutor {
  private let jobs: Jobs

  /// - Parameter name: of the thread; the kernel keeps 15 bytes of it.
  /// - Throws: `StorageError` where the system has no thread left.
  package init(name: String) throws(StorageError) {
    let jobs = Jobs()
    self.jobs = jobs
    try WorkerThread(name: name) {
      while let job = jobs.next() { job.run() }
    }.detach()
  }

  deinit { jobs.stop() }

  package func enqueue(_ job: consuming ExecutorJob) {
    unsafe jobs.add(Jobs.Entry(job: UnownedJob(job), executor: asUnownedSerialExecutor()))
  }
}

/// What waits for the thread. Held by the thread too, so that the queue itself may go first.
private final class Jobs: Sendable {
  @safe
  struct Entry: Sendable {
    private let job: UnownedJob
    private let executor: UnownedSerialExecutor

    init(job: UnownedJob, executor: UnownedSerialExecutor) {
      self.job = job
      unsafe self.executor = executor
    }

    /// Safe because the actor whose job it is lives while it runs, and holds the executor.
    func run() { unsafe job.runSynchronously(on: executor) }
  }

  private struct State {
    var waiting: [Entry] = []
    var first = 0
    var isStopping = false
  }

  private let state = Mutex(State())
  private let semaphore = Semaphore()

  func add(_ entry: Entry) {
    state.withLock { $0.waiting.append(entry) }
    semaphore.signal()
  }

  func stop() {
    state.withLock { $0.isStopping = true }
    semaphore.signal()
  }

  /// Waits for a job; nil at the end.
  func next() -> Entry? {
    while true {
      semaphore.wait()
      let (entry, isStopping) = state.withLock { state -> (Entry?, Bool) in
        guard state.first < state.waiting.count else { return (nil, state.isStopping) }
        let entry = state.waiting[state.first]
        state.first += 1
        if state.first == state.waiting.count {
          state.waiting.removeAll(keepingCapacity: true)
          state.first = 0
        }
        return (entry, false)
      }
      if let entry { return entry }
      if isStopping { return nil }
    }
  }
}

@safe
private final class Semaphore: @unchecked Sendable {
  // Safe to share: a semaphore is for several threads, and the pointer never changes.
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    unsafe semaphore = .allocate(capacity: 1)
    // Safe because the memory is this object's own until `deinit`; a fresh semaphore at 0 cannot fail.
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  func signal() { unsafe sem_post(semaphore) }

  func wait() { while unsafe sem_wait(semaphore) != 0 {} }
}
