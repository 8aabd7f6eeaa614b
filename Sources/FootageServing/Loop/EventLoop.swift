internal import Synchronization
package import FootageSystem
package import FootageTLS

/// An executor with one thread, which waits for sockets and runs the tasks that wait for them.
///
/// Everything marked "Loop" is touched only by the loop's own thread, which `assertOnLoop` checks in debug builds. The
/// rest is immutable, atomic or protected by a mutex. That makes `@unchecked Sendable` true.
@safe
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private struct Inbox {
    var jobs: [UnownedJob] = []
    var isAwake = true
    var isStopping = false
  }

  /// The clock of this loop's deadlines.
  package let clock: Clock
  private let poller: Poller
  private let inbox = Mutex(Inbox())
  private let threadIdentity = Atomic<UInt>(0)
  private let thread = Mutex<Thread?>(nil)

  // Loop.
  private var jobs: [UnownedJob] = []
  private var spareJobs: [UnownedJob] = []
  private var yielded: [Suspension<Void>] = []
  private var firstYielded = 0
  private var sleepers: [(deadline: Deadline, suspension: Suspension<Void>)] = []
  private var timers: [LoopTimer] = []
  /// The time at which the first of the sleepers and timers is due.
  private var nextSleeper = Deadline.never
  private var registrations: [PollRegistration?] = []
  private var nextGeneration: UInt32 = 0
  private var nextSweep: Deadline

  /// The time of the last poll, which is close enough to the present time and needs no system call. Use it only on the
  /// loop.
  private(set) var now: Deadline

  /// The number of streams that may have more unsent bytes in the kernel than others, because their peers are fast. Use
  /// it only on the loop.
  var fastStreamCount = 0

  /// The number of streams that may have the usual number of unsent bytes in the kernel, because their peers accept
  /// bytes. Use it only on the loop.
  var grantedStreamCount = 0

  /// The bytes of ciphertext that streams keep because their sockets do not accept them. Use it only on the loop.
  var unsentByteCount = 0

  /// The buffer for plaintext on its way in or out. Use it only on the loop, and not across an `await`.
  package let scratch: UnsafeMutableRawBufferPointer
  /// The buffer for ciphertext on its way in. Use it only on the loop.
  let received: UnsafeMutableRawBufferPointer
  /// The buffer for ciphertext on its way out. Use it only on the loop.
  package let records: RecordBuffer

  /// - Parameter receivedByteCount: the largest number of bytes that one `recv` may bring; downloads are faster with a
  ///   larger number than a server needs.
  package init(
    clock: Clock = .system, receivedByteCount: Int = BufferSize.received
  ) throws(NetworkingError) {
    self.clock = clock
    now = clock.now
    nextSweep = now
    do throws(SystemError) { poller = try Poller(capacity: BufferSize.events) } catch { throw .system(error) }
    unsafe scratch = .allocate(byteCount: BufferSize.scratch, alignment: 4096)
    unsafe received = .allocate(byteCount: receivedByteCount, alignment: 4096)
    records = RecordBuffer(capacity: BufferSize.records)
    clock.whenMoved { [weak self] in self?.poller.wake() }
  }

  deinit {
    unsafe scratch.deallocate()
    unsafe received.deallocate()
  }

  // MARK: Thread

  /// Starts the loop's thread.
  package func start() throws(NetworkingError) {
    do throws(SystemError) {
      let started = try Thread.start("footage-loop") { [self] in run() }
      thread.withLock { $0 = started }
    } catch { throw .system(error) }
  }

  /// Ends the thread once no job is ready, and waits until it has ended. Tasks that still wait never continue, so their
  /// owner must end them first. Must not be called on the loop.
  package func stop() {
    inbox.withLock { $0.isStopping = true }
    poller.wake()
    let ending = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    ending?.join()
  }

  private func run() {
    threadIdentity.store(Thread.current, ordering: .relaxed)
    while true {
      let arrived = takeInbox()
      if arrived.mayStop { return }
      poll(mayWait: arrived.mayWait)
      sweepWhenDue()
      resumeYielded()
      // These run after the tasks whose sockets have news. A job that stops or aborts one of them would otherwise come
      // in between, and take away the bytes that it was woken for.
      if !arrived.jobs.isEmpty { jobs.append(contentsOf: arrived.jobs) }
      runJobs()
    }
  }

  package var isOnLoop: Bool { threadIdentity.load(ordering: .relaxed) == Thread.current }

  package func assertOnLoop() { assert(isOnLoop, "an object of a loop was used on another thread") }

  // MARK: Executor

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOnLoop {
      jobs.append(job)
      return
    }
    let mustWake = inbox.withLock { inbox in
      inbox.jobs.append(job)
      defer { inbox.isAwake = true }
      return !inbox.isAwake
    }
    if mustWake { poller.wake() }
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

  package func checkIsolated() {
    precondition(isOnLoop, "an object of a loop was used on another thread")
  }

  /// - Returns: the jobs from other threads; true if the loop may wait for sockets; and true if the loop must end.
  private func takeInbox() -> (jobs: [UnownedJob], mayWait: Bool, mayStop: Bool) {
    var isIdle = jobs.isEmpty && yielded.isEmpty
    var isStopping = false
    let arrived: [UnownedJob] = inbox.withLock { inbox in
      isStopping = inbox.isStopping
      guard inbox.jobs.isEmpty else {
        isIdle = false
        inbox.isAwake = true
        return exchange(&inbox.jobs, with: [])
      }
      // A job that comes after this has to wake the loop.
      inbox.isAwake = !isIdle || isStopping
      return []
    }
    return (arrived, isIdle && !isStopping, isIdle && isStopping)
  }

  /// Runs the jobs that are ready, and those that become ready meanwhile. The number of rounds is limited, so that
  /// sockets are polled in between.
  private func runJobs() {
    for _ in 0..<BufferSize.jobRounds where !jobs.isEmpty {
      // Taken out, since running the jobs adds others.
      var batch = spareJobs
      spareJobs = []
      swap(&batch, &jobs)
      for job in batch {
        // A job of a task that prefers this executor has to run isolated to it and with it. Otherwise the next job goes
        // elsewhere.
        unsafe job.runSynchronously(
          isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
      batch.removeAll(keepingCapacity: true)
      spareJobs = batch
    }
  }

  // MARK: Waiting

  /// Lets other tasks run. Continues when all tasks that yielded earlier have continued, with a poll of the sockets
  /// after each.
  package func yield() async {
    assertOnLoop()
    await Suspension.suspend { yielded.append($0) }
  }

  /// Resumes one of the tasks that have yielded. The sockets are polled before the next one, because a turn takes long
  /// compared with a small request, which should not have to wait for all turns.
  private func resumeYielded() {
    guard firstYielded < yielded.count else { return }
    let next = yielded[firstYielded]
    firstYielded += 1
    next.resume()
    // Moved up only now and then, so that it costs nothing.
    guard firstYielded == yielded.count || firstYielded >= BufferSize.yieldedSlack else { return }
    yielded.removeFirst(firstYielded)
    firstYielded = 0
  }

  package func sleep(for duration: Duration) async { await sleep(until: clock.deadline(after: duration)) }

  package func sleep(until deadline: Deadline) async {
    assertOnLoop()
    await Suspension.suspend {
      sleepers.append((deadline, $0))
      nextSleeper = min(nextSleeper, deadline)
    }
  }

  /// Calls `action` on the loop's thread at the deadline, or soon after it. The action must not block or wait. Use it
  /// only on the loop.
  package func schedule(at deadline: Deadline, _ action: @escaping () -> Void) -> LoopTimer {
    assertOnLoop()
    timers.removeAll { $0.isOver }
    let timer = LoopTimer(deadline, action)
    timers.append(timer)
    nextSleeper = min(nextSleeper, deadline)
    return timer
  }

  private func poll(mayWait: Bool) {
    let patience = mayWait ? clock.patience(until: min(nextSweep, nextSleeper)) : 0
    // Safe because no other wait begins before all events are handled.
    let events = unsafe poller.wait(milliseconds: patience)
    for index in events.indices {
      let event = unsafe events[index]
      registration(for: event.token)?.receive(event.news)
    }
  }

  /// Returns the registration of an event. An event can outlive its socket within one batch; the generation shows that.
  private func registration(for token: UInt64) -> PollRegistration? {
    let descriptor = Int(token & 0xFFFF_FFFF)
    guard descriptor < registrations.count, let registration = registrations[descriptor],
      registration.generation == UInt32(token >> 32)
    else {
      return nil
    }
    return registration
  }

  /// Ends waits whose deadlines have passed. Deadlines are numbers, checked once a second: a timer for each wait would
  /// cost more.
  private func sweepWhenDue() {
    now = clock.now
    if now >= nextSleeper { resumeSleepers(at: now) }
    guard now >= nextSweep else { return }
    nextSweep = Deadline(milliseconds: now.milliseconds + BufferSize.sweepMilliseconds)
    for registration in registrations { registration?.expire(at: now) }
  }

  private func resumeSleepers(at now: Deadline) {
    let due = sleepers.filter { $0.deadline <= now }
    sleepers.removeAll { $0.deadline <= now }
    let dueTimers = timers.filter { $0.deadline <= now }
    timers.removeAll { $0.deadline <= now || $0.isOver }
    nextSleeper = min(sleepers.map(\.deadline).min() ?? .never, timers.map(\.deadline).min() ?? .never)
    for sleeper in due { sleeper.suspension.resume() }
    for timer in dueTimers { timer.fire() }
  }

  // MARK: Registrations

  /// Begins to poll a descriptor, edge-triggered, for reading and writing.
  func register(_ descriptor: CInt) throws(NetworkingError) -> PollRegistration {
    assertOnLoop()
    nextGeneration &+= 1
    if nextGeneration == .max { nextGeneration = 0 }
    let registration = PollRegistration(descriptor: descriptor, generation: nextGeneration)
    let token = UInt64(nextGeneration) << 32 | UInt64(UInt32(bitPattern: descriptor))
    do throws(SystemError) { try poller.add(descriptor, token: token) } catch { throw .system(error) }
    while registrations.count <= Int(descriptor) { registrations.append(nil) }
    registrations[Int(descriptor)] = registration
    return registration
  }

  /// Ends a registration. A wait that is still in progress returns as aborted.
  ///
  /// - Parameter isClosing: true if the descriptor is closed next, which ends the system's registration as well.
  func deregister(_ registration: PollRegistration, isClosing: Bool = false) {
    assertOnLoop()
    let index = Int(registration.descriptor)
    guard index < registrations.count, registrations[index] === registration else { return }
    registrations[index] = nil
    if !isClosing { poller.remove(registration.descriptor) }
    registration.abort()
  }
}

/// The sizes of a loop's own buffers, and the limits of its turns.
package enum BufferSize {
  /// The plaintext that one turn may read and encrypt, in bytes.
  package static let turn = 256 * 1024
  /// The size of a turn with a head before it, in bytes.
  package static let scratch = turn + 32 * 1024
  /// The size in bytes of a turn in records of 16 KiB, each with its header and tag, plus the records of a handshake.
  static let records = scratch + scratch / 64 + 32 * 1024
  /// The ciphertext that one `recv` may bring to a server, in bytes.
  package static let received = 32 * 1024
  /// The number of unsent bytes that the kernel may hold for a fast peer. `fastStreams` is the greatest number of a
  /// loop's peers for which it may hold this many at the same time.
  static let unsentForFast = 4 * 1024 * 1024
  static let fastStreams = 8
  /// The number of unsent bytes that the kernel may hold for a peer that has not accepted many bytes yet.
  /// `grantedStreams` is the greatest number of a loop's peers for which it may hold more. Without this limit, a
  /// thousand peers that accept nothing could use up a robot's memory.
  static let unsentAtFirst = 32 * 1024
  static let grantedStreams = 32
  /// The ciphertext in bytes that may wait in all of a loop's streams before turns shrink to `tightTurn`.
  static let unsentOfAll = 4 * 1024 * 1024
  static let tightTurn = 8 * 1024
  /// The first turn of a connection in bytes. The next ones are longer if the socket accepts them.
  static let firstTurn = 64 * 1024
  static let events = 256
  static let jobRounds = 16
  static let yieldedSlack = 64
  static let sweepMilliseconds: UInt64 = 1_000
}
