internal import FootageHTTP
internal import FootageSystem
internal import FootageTLS

/// A connection of the server, from its handshake to its end, that serves one request after another. It carries out the
/// decisions of its state machine.
///
/// Belongs to its loop's thread and to the one task that runs it. Other tasks on that thread only read its state, or
/// end the connection or its current answer, for example with `stop`, `giveUp` or `abort`.
final class HTTPConnection {
  let stream: Stream
  let environment: Environment
  var machine: StateMachine
  private var next = Next.receive
  /// The time until which the next request, or the rest of it, has to arrive.
  private var deadline = Deadline.never
  /// The input whose answer needs a wait. It is a property and not an argument, because each async function would
  /// reserve memory for it for as long as the connection exists.
  var incoming: StateMachine.Incoming?
  /// The answer to `incoming`, if the handler returned it without a wait but sending it needs a wait.
  var found: (any ResponseBody)?
  private var readingRate: ReadingRate?
  /// The pace for this client, set once the client is known; nil if nothing limits the rate.
  private(set) var pace: ConnectionPace?
  /// The visitor; nil if the server accepts all connections.
  let visitor: Visitor?
  var note: AnyObject?

  /// The next step of the connection's task when it wakes.
  private enum Next {
    case receive
    /// Wait until the socket has accepted the answer.
    case flush
    /// All of the answer is sent, and the next request has arrived.
    case takeNext
    /// Answer `incoming`.
    case answer
    case end(Ending)
  }

  private enum Ending {
    case close, linger, abort
    case fail(StreamError)
  }

  /// The objects that the connections of a loop share.
  final class Environment {
    let handler: any HTTPHandler
    let limits: TransportLimits
    let delays: StateMachine.Delays
    let heads: ResponseHeadBuffer
    let crossOriginPolicy: CrossOriginPolicy?
    /// The newest TLS context of this loop, by which clients are checked.
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

  // MARK: Interruptions

  /// Answers the current request, if any, and then closes.
  func stop() { carryOut(machine.stop()) }

  /// Closes the connection to make room for another one: in an orderly way if it is idle, and after an answer if a
  /// request is held. Otherwise it also discards the bytes that the kernel holds for the connection.
  func giveUp() { carryOut(machine.giveUp()) }

  /// Ends the connection's pace. Called when the connection's task has ended.
  func ended() { pace?.end() }

  /// Cuts off the current answer, if any. A held request is not affected, because its answer will follow the new rules.
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

  /// Returns the present activity. For a connection that is sending, the result is more accurate the more often this is
  /// called.
  func activity(at now: Deadline) -> ConnectionActivity {
    if let waiting = machine.waiting { return waiting }
    // If nothing waits to be sent, the peer waits for the disk or for this loop.
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

  // MARK: Running

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

  // Not inlined, like the other functions of this kind on a connection's way. The variables of an inlined function
  // become part of the async function around it, which keeps them as long as the connection lives.
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

  /// Lets other tasks run if several requests arrived together.
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

  /// Carries out an action, if that needs no wait; otherwise leaves it to the task.
  ///
  /// - Returns: the time until which to wait for a request; nil if the task must continue.
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

  /// Refuses bytes that were sent without TLS. They are parsed only to find the requested host, for the answer.
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

  /// The largest size of a host with its port, in bytes (RFC 1035 §2.3.4).
  private static let longestAuthority = 261
}

extension HTTPConnection: ReceivedBytesHandler {
  /// Parses the received bytes in place, and answers them if that needs no wait.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Deadline? {
    // Safe because the buffer is lent for this call.
    unsafe carryOut(machine.received(bytes.bindMemory(to: UInt8.self).span) { clock.now })
  }
}
