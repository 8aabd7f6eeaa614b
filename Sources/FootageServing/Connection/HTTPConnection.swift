internal import FootageHTTP
internal import FootageSystem
internal import FootageTLS

/// One connection of the server, from its handshake to its end, request after request: carries out what its state
/// machine decides.
///
/// Belongs to its loop's thread and to the one task that runs it; only `stop`, `giveUp` and `abort` come from outside,
/// on the same thread.
final class HTTPConnection {
  let stream: Stream
  let environment: Environment
  var machine: StateMachine
  private var next = Next.receive
  /// Until when the next request, or the rest of it, has to have come.
  private var deadline = Deadline.never
  /// What has to be answered with waits. It is here and not handed from function to function because each that is async
  /// would keep the room for it as long as the connection lives.
  var incoming: StateMachine.Incoming?
  /// The answer to it, where the handler had one without a wait, and sending it takes one.
  var found: (any ResponseBody)?
  private var readingRate: ReadingRate?
  /// Once it is known who asks; nil where nothing limits the rate.
  private(set) var pace: ConnectionPace?
  /// Nil where everybody is let in.
  let visitor: Visitor?
  var note: AnyObject?

  /// What the connection's task has to do, once it is awake.
  private enum Next {
    case receive
    /// Wait until the socket has taken the answer.
    case flush
    /// All of the answer is sent, and the next request is there.
    case takeNext
    /// Answer what is `incoming`.
    case answer
    case end(Ending)
  }

  private enum Ending {
    case close, linger, abort
    case fail(StreamError)
  }

  /// What the connections of a loop have in common.
  final class Environment {
    let handler: any HTTPHandler
    let limits: TransportLimits
    let delays: StateMachine.Delays
    let heads: ResponseHeadBuffer
    let crossOriginPolicy: CrossOriginPolicy?
    /// By which clients are judged: the newest that this loop has heard of.
    var tls: TLSServerContext?
    let clientDates: ClientDates
    let documentBudget = DocumentBudget()
    let newcomers: Newcomers?
    let pacer: LoopPacer?
    let observers: ExchangeObservers

    init(
      handler: any HTTPHandler, limits: TransportLimits, clientDates: ClientDates, counter: ExchangeCounter,
      pacer: LoopPacer?, clock: Clock
    ) {
      self.handler = handler
      crossOriginPolicy = handler.crossOriginPolicy
      self.clientDates = clientDates
      self.limits = limits
      delays = StateMachine.Delays(idle: limits.idle, request: limits.request)
      newcomers = limits.newcomers.map(Newcomers.init)
      self.pacer = pacer
      observers = ExchangeObservers(counter: counter, others: handler.observers, clock: clock)
      let common = handler.commonFields
      // Safe because a static string lives as long as the program.
      heads = unsafe ResponseHeadBuffer(
        commonFields: Array(UnsafeBufferPointer(start: common.utf8Start, count: common.utf8CodeUnitCount)), clock: clock
      )
    }
  }

  init(_ stream: Stream, in environment: Environment) {
    self.stream = stream
    self.environment = environment
    visitor = environment.newcomers?.visitor(over: stream)
    machine = StateMachine(environment.delays, admittedUntil: visitor?.deadline, at: stream.loop.clock.now)
  }

  var handler: any HTTPHandler { environment.handler }
  var limits: TransportLimits { environment.limits }
  var clock: Clock { stream.loop.clock }

  // MARK: From outside

  /// Answers the request that is running, if any, and closes then.
  func stop() { carryOut(machine.stop()) }

  /// Closes to make room for another: politely where nothing is under way, after its answer where a request is held,
  /// and else with all that the kernel holds for it.
  func giveUp() { carryOut(machine.giveUp()) }

  /// Its task is over.
  func ended() { pace?.end() }

  /// Cuts off the answer that is under way, if any; a request that is held may be answered otherwise by now.
  func cutOffAnswer() { carryOut(machine.cutOffAnswer()) }

  /// Closes at once.
  func abort() {
    machine.end()
    stream.abort()
  }

  private func carryOut(_ interruption: StateMachine.Interruption) {
    switch interruption {
    case .none: break
    case .close: stream.close()
    case .endHold: stream.endHold()
    case .abort: stream.abort(discardingUnsent: true)
    }
  }

  /// What it is doing just now; of one that sends, the answer is better the more often it is asked.
  func activity(at now: Deadline) -> ConnectionActivity {
    if let waiting = machine.waiting { return waiting }
    // Where nothing waits to be sent, it is the disk that keeps the peer waiting, or this loop.
    guard stream.isWaitingToSend else {
      readingRate = nil
      return .busy
    }
    let taken = stream.takenByteCount
    guard var rate = readingRate else {
      readingRate = ReadingRate(taken, at: now)
      return .busy
    }
    let slowSince = rate.look(taken, at: now, limits.room)
    readingRate = rate
    return slowSince.map { .stalled(since: $0) } ?? .busy
  }

  // MARK: Its task

  func run() async {
    do throws(StreamError) {
      let handshakeEnd = clock.deadline(after: limits.handshake)
      do throws(StreamError) { try await stream.handshake(until: handshakeEnd) } catch .deadlinePassed {
        throw .tls(.timedOut)
      }
      if let rejection = judgeNewClient() { return await turnAway(rejection, until: handshakeEnd) }
      begin()
      while true {
        switch next {
        case .receive: try await receiveRequest()
        case .flush:
          try await stream.flush(idle: limits.writing)
          next = .takeNext
        case .takeNext:
          await yieldToOthers()
          goOn(after: .kept)
        case .answer:
          let continuation = try await answer()
          await yieldToOthers()
          goOn(after: continuation)
        case .end(.close): return stream.close()
        case .end(.linger): return await linger()
        case .end(.abort): return stream.abort()
        case .end(.fail(let error)): throw error
        }
      }
    } catch {
      fail(error)
    }
  }

  // Not inlined, as are others of their kind on a connection's way: what an inlined function needs becomes part of the
  // async one around it, and that is held for as long as the connection lives.
  @inline(never)
  private func begin() {
    pace = environment.pacer.map { ConnectionPace($0, stream, of: Viewer(identity, at: stream.peer)) }
    if let plaintext = stream.plaintext { return refuse(plaintext) }
    _ = carryOut(machine.handshakeEnded(at: clock.now))
  }

  @inline(never)
  private func goOn(after continuation: StateMachine.Continuation) {
    incoming = nil
    found = nil
    _ = carryOut(machine.answered(continuation, at: clock.now))
  }

  /// Requests that came together must not keep the others waiting.
  private func yieldToOthers() async {
    if machine.hasUnreadBytes { await stream.loop.yield() }
  }

  @inline(never)
  func linger() async {
    await stream.lingeringClose(until: clock.deadline(after: limits.lingering), dropping: limits.lingeringBytes)
    machine.end()
  }

  @inline(never)
  private func fail(_ error: StreamError) {
    machine.end()
    stream.abort()
    if error != .aborted { environment.observers.connectionFailed(error, from: stream.peer) }
  }

  // MARK: Requests

  /// Waits for a request, and answers those that can be answered at once.
  @inline(never)
  private func receiveRequest() async throws(StreamError) {
    do throws(StreamError) {
      guard try await stream.receive(until: deadline, into: self) else { return clientLeft() }
    } catch .deadlinePassed {
      requestDeadlinePassed()
    } catch .aborted where machine.isStopping {
      next = .end(.close)
    }
  }

  @inline(never)
  private func clientLeft() { _ = carryOut(machine.clientLeft()) }

  @inline(never)
  private func requestDeadlinePassed() { _ = carryOut(machine.deadlinePassed()) }

  /// Does what can be done without a wait, and leaves the rest to the task.
  ///
  /// - Returns: until when to wait for a request; nil where the task has to go on.
  private func carryOut(_ action: StateMachine.Action) -> Deadline? {
    switch action {
    case .receive(let until):
      deadline = until
      next = .receive
      return until
    case .answer(.request(let head)): return begin(head)
    case .answer(let other): answer(other)
    case .close: next = .end(.close)
    case .linger: next = .end(.linger)
    case .abort: next = .end(.abort)
    case .fail(let error): next = .end(.fail(error))
    }
    return nil
  }

  private func begin(_ head: RequestHead) -> Deadline? {
    do throws(StreamError) {
      switch try answerAtOnce(head) {
      case .sent where !machine.hasUnreadBytes: return carryOut(machine.answered(.kept, at: clock.now))
      case .sent: next = .takeNext
      case .sending: next = .flush
      case .notAtOnce: answer(.request(head))
      }
    } catch {
      next = .end(.fail(error))
    }
    return nil
  }

  private func answer(_ incoming: StateMachine.Incoming) {
    self.incoming = incoming
    next = .answer
  }

  /// Nothing more is done with what came without TLS than to see which address was meant.
  private func refuse(_ plaintext: [UInt8]) {
    environment.observers.connectionFailed(.tls(.plainHTTP), from: stream.peer)
    var parser = RequestHeadParser()
    var authority: String?
    if case .complete(let request, _) = parser.parse(plaintext.span), let asked = request.authority,
      asked.count <= Self.longestAuthority
    {
      authority = String(decoding: asked, as: UTF8.self)
    }
    machine.refuse()
    answer(.insecure(authority: authority))
  }

  /// In bytes: a host name (RFC 1035 §2.3.4) and a port.
  private static let longestAuthority = 261
}

extension HTTPConnection: ReceivedBytesHandler {
  /// Parses what has just come, where it lies, and answers it if that takes no wait.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Deadline? {
    // Safe because the buffer is lent for this call.
    unsafe carryOut(machine.received(bytes.bindMemory(to: UInt8.self).span) { clock.now })
  }
}
