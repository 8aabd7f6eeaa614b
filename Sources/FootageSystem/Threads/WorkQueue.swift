/// A serial executor on a thread of its own. An actor that runs on it may block without delaying others.
///
/// When it is released, it ends its thread after all requested work is done.
package final class WorkQueue: SerialExecutor {
  private let jobs: JobQueue<FIFOQueue<Job>>

  /// - Parameter name: the name of the thread; 15 bytes of it are kept.
  /// - Throws: `SystemError` if the system has no thread left.
  package init(name: String) throws(SystemError) {
    let jobs = JobQueue(FIFOQueue<Job>())
    self.jobs = jobs
    try Thread.start(name) {
      while let job = jobs.next() { job.run() }
    }.detach()
  }

  deinit { jobs.stop(threadCount: 1) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = unsafe Job(job: UnownedJob(job), executor: asUnownedSerialExecutor())
    jobs.add { $0.append(job) }
  }

  @safe
  private struct Job: Sendable {
    private let job: UnownedJob
    private let executor: UnownedSerialExecutor

    init(job: UnownedJob, executor: UnownedSerialExecutor) {
      self.job = job
      unsafe self.executor = executor
    }

    /// Runs the job. Safe because the job's actor lives while it runs, and holds the executor.
    func run() { unsafe job.runSynchronously(on: executor) }
  }
}
