internal import Synchronization
package import FootageSystem
package import FootageTLS

/// One thread that waits for sockets and runs the tasks that wait for them: an executor.
///
/// Everything marked "loop" is touched by the loop's own thread alone, which `assertOnLoop` checks in debug builds; the
/// rest is immutable, atomic or behind a mutex. That makes `@unchecked Sendable` true.
@safe
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private struct Inbox {
    var jobs: [UnownedJob] = []
    var isAwake = true
    var isStopping = false
  }

  /// What deadlines of this loop are moments of.
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
  /// When the first of the sleepers and timers is due.
  private var nextSleeper = Deadline.never
  private var registrations: [PollRegistration?] = []
  private var nextGeneration: UInt32 = 0
  private var nextSweep: Deadline

  /// Loop. When it last looked at its sockets: as good as now, and for nothing.
  private(set) var now: Deadline

  /// Loop. How many streams have more in the kernel than the others may.
  var fastStreamCount = 0

  /// Loop. How many streams have as much in the kernel as somebody may who takes what is sent.
  var grantedStreamCount = 0

  /// Loop. Ciphertext that streams keep since their sockets do not take it.
  var unsentByteCount = 0

  /// Loop. Plaintext on its way in or out; nobody may hold it across an `await`.
  package let scratch: UnsafeMutableRawBufferPointer
  /// Loop. Ciphertext on its way in.
  let received: UnsafeMutableRawBufferPointer
  /// Loop. Ciphertext on its way out.
  package let records: RecordBuffer

  /// - Parameter receivedByteCount: how much one `recv` may bring; a client that downloads gains from more than a
  ///   server.
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

  /// Ends the thread once it has nothing left to run, and waits for it. Tasks that still wait never go on: whoever owns
  /// them ends them first. Not to be called on the loop.
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
      // Behind those whose sockets have news: who stops or aborts them would else come in between, and take away what
      // they were told is there.
      if !arrived.jobs.isEmpty { jobs.append(contentsOf: arrived.jobs) }
      runJobs()
    }
  }

  package var isOnLoop: Bool { threadIdentity.load(ordering: .relaxed) == Thread.current }

  package func assertOnLoop() { assert(isOnLoop, "what belongs to a loop was touched on another thread") }

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
    precondition(isOnLoop, "what belongs to a loop was touched on another thread")
  }

  /// - Returns: what has come from other threads, whether there is nothing to do but to wait for sockets, and whether
  ///   the loop is to end.
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
      // Who comes from now on has to wake it.
      inbox.isAwake = !isIdle || isStopping
      return []
    }
    return (arrived, isIdle && !isStopping, isIdle && isStopping)
  }

  /// Runs what is ready, and what becomes ready by it, for a bounded number of rounds: sockets want their turn too.
  private func runJobs() {
    for _ in 0..<BufferSize.jobRounds where !jobs.isEmpty {
      // Taken out, since running them adds others.
      var batch = spareJobs
      spareJobs = []
      swap(&batch, &jobs)
      for job in batch {
        // A job of a task that prefers this executor runs isolated to it and with it, or the next one goes elsewhere.
        unsafe job.runSynchronously(
          isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
      batch.removeAll(keepingCapacity: true)
      spareJobs = batch
    }
  }

  // MARK: Waiting

  /// Lets the others have their turn; goes on when all who yielded before have gone on, and the sockets have been
  /// looked at after each.
  package func yield() async {
    assertOnLoop()
    await Suspension.suspend { yielded.append($0) }
  }

  /// One at a time: a turn is long against a probe, and who comes in meanwhile shall not wait for a turn of everybody.
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

  /// Loop. Has `action` called on the loop's thread at a moment, or soon after. It holds nothing up, and waits for
  /// nothing.
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
    // Safe because nobody waits again before all is told.
    let events = unsafe poller.wait(milliseconds: patience)
    for index in events.indices {
      let event = unsafe events[index]
      registration(for: event.token)?.receive(event.news)
    }
  }

  /// An event can outlive its socket within one batch; the generation tells.
  private func registration(for token: UInt64) -> PollRegistration? {
    let descriptor = Int(token & 0xFFFF_FFFF)
    guard descriptor < registrations.count, let registration = registrations[descriptor],
      registration.generation == UInt32(token >> 32)
    else {
      return nil
    }
    return registration
  }

  /// Deadlines are numbers, looked at once a second: a timer for each would cost more than what it guards.
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

  /// Begins to poll a descriptor, edge-triggered, both ways.
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

  /// Ends a registration; whoever still waits on it is told that it was aborted.
  ///
  /// - Parameter isClosing: whether the descriptor is closed next, which ends what the system knows of it as well.
  func deregister(_ registration: PollRegistration, isClosing: Bool = false) {
    assertOnLoop()
    let index = Int(registration.descriptor)
    guard index < registrations.count, registrations[index] === registration else { return }
    registrations[index] = nil
    if !isClosing { poller.remove(registration.descriptor) }
    registration.abort()
  }
}

/// The sizes of a loop's own buffers, and the bounds of its turns.
package enum BufferSize {
  /// Plaintext that one turn may read and encrypt.
  package static let turn = 256 * 1024
  /// A turn, and a head before it.
  package static let scratch = turn + 32 * 1024
  /// A turn as records of 16 KiB, each with its header and tag, and a handshake's flight.
  static let records = scratch + scratch / 64 + 32 * 1024
  /// Ciphertext that one `recv` may bring to a server.
  package static let received = 32 * 1024
  /// What the kernel may hold for a peer that takes it in a moment, and for how many of a loop's at once.
  static let unsentForFast = 4 * 1024 * 1024
  static let fastStreams = 8
  /// What the kernel may hold for a peer before it has shown that it takes what it is sent, and for how many of a
  /// loop's more than that: a thousand peers that take nothing shall not cost a robot its memory.
  static let unsentAtFirst = 32 * 1024
  static let grantedStreams = 32
  /// Ciphertext that may wait in all of a loop's streams before turns become short, and how short.
  static let unsentOfAll = 4 * 1024 * 1024
  static let tightTurn = 8 * 1024
  /// The first turn of a connection; the next ones are longer where the socket takes them.
  static let firstTurn = 64 * 1024
  static let events = 256
  static let jobRounds = 16
  static let yieldedSlack = 64
  static let sweepMilliseconds: UInt64 = 1_000
}
