/// One connection of the server, from its handshake to its end, request after request.

internal import HTTPSemantics
internal import Networking
internal import System
internal import TLS

/// Belongs to its loop's thread and to the one task that runs it; only `stop` and `abort` come from outside, on the same
/// thread.
final class HTTPConnection {
  let stream: Stream
  let environment: Environment
  /// Received and not yet parsed; empty, and without storage, while the connection is idle.
  var inbox: [UInt8] = []
  /// Where a head has begun and not yet ended.
  private var unfinished: UnfinishedHead?
  private var work = Work.none
  /// Until when the next request, or the rest of it, has to have come.
  private var deadline = Deadline.never
  /// What has to be answered with waits. It is here and not handed from function to function because each that is async
  /// would keep the room for it as long as the connection lives.
  var incoming: Incoming?
  var isWaitingForRequest = false
  /// When the handshake began, or, after it, the wait for a request.
  private var waitsSince: Deadline
  /// Whether the rest of a request's body is waited for, which is the peer's to send as the head is.
  private var isReadingBody = false
  private var isHandshakeOver = false
  private var readingRate: ReadingRate?
  private(set) var isStopping = false
  /// Whether the request that is answered waits for a change,
  var isHeld = false
  /// and whether it has.
  var wasHeld = false
  /// Whether its place is wanted for another.
  private var isGivenUp = false
  /// Nil where everybody is let in.
  let visitor: Visitor?

  /// What the connection's task has to do, once it is awake.
  private enum Work {
    case none
    /// Wait until the socket has taken the answer.
    case flush
    /// Answer what is `incoming`.
    case answer
    case fail(StreamError)
  }

  enum Incoming {
    case request(RequestHead)
    case refused(MessageRefusal)
    /// Of a client without a certificate, where one is required; nil where it cannot be read.
    case uncertified(RequestHead?)
    /// It came without TLS, where TLS is spoken.
    case insecure(authority: String?)
  }

  /// Most heads come whole, so that a connection has no room for this.
  private final class UnfinishedHead {
    private var parser: RequestHeadParser

    init(_ parser: RequestHeadParser) { self.parser = parser }

    func parse(_ bytes: [UInt8]) -> RequestHeadParser.Outcome { parser.parse(bytes.span) }
  }

  /// What the connections of a loop have in common.
  final class Environment {
    let handler: any HTTPHandler
    let limits: TransportLimits
    let idle: Deadline.Delay
    let heads: ResponseHeadBuffer
    /// By which clients are judged: the newest that this loop has heard of.
    var tls: TLSServerContext?
    let clientDates: ClientDates
    let heldDocuments = HeldDocuments()
    let newcomers: Newcomers?

    init(handler: any HTTPHandler, limits: TransportLimits, clientDates: ClientDates, clock: Clock) {
      self.handler = handler
      self.clientDates = clientDates
      self.limits = limits
      idle = Deadline.Delay(limits.idle)
      newcomers = limits.newcomers.map(Newcomers.init)
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
    waitsSince = stream.loop.clock.now
    visitor = environment.newcomers?.visitor(over: stream)
  }

  var handler: any HTTPHandler { environment.handler }
  var limits: TransportLimits { environment.limits }
  var heads: ResponseHeadBuffer { environment.heads }
  var heldDocuments: HeldDocuments { environment.heldDocuments }

  /// How long the peer may take nothing of a response: who has to leave has less time.
  var writingIdle: Duration { isGivenUp ? limits.lingering : limits.writing }

  /// Answers the request that is running, if any, and closes then.
  func stop() {
    isStopping = true
    if isWaitingForRequest { stream.close() }
    if isHeld { stream.endHold() }
  }

  /// Closes at once.
  func abort() { stream.abort() }

  /// What it is doing just now; of one that sends, the answer is better the more often it is asked.
  func activity(at now: Deadline) -> ConnectionActivity {
    guard isHandshakeOver else { return .handshaking(since: waitsSince) }
    guard !isWaitingForRequest, unfinished == nil, !isReadingBody, !isHeld else { return .waiting(since: waitsSince) }
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

  /// A body is waited for from now on, or no longer.
  func noteReadingBody(_ isReading: Bool) {
    isReadingBody = isReading
    if isReading { waitsSince = clock.now }
  }

  /// The request waits from now on. However often it is woken, it has waited since the first time.
  func beginHold() {
    if !wasHeld { waitsSince = clock.now }
    wasHeld = true
    isHeld = true
  }

  /// Closes to make room for another: politely where nothing is under way, after its answer where a request is held, and
  /// else with all that the kernel holds for it.
  func giveUp() {
    isGivenUp = true
    if isHeld { return stop() }
    if isHandshakeOver, isWaitingForRequest { stream.close() } else { stream.abort(discardingUnsent: true) }
  }

  func run() async {
    do throws(StreamError) {
      // Who has said nothing yet must not hold up a server that stops.
      isWaitingForRequest = true
      let handshakeEnd = clock.deadline(after: limits.handshake)
      do throws(StreamError) { try await stream.handshake(until: handshakeEnd) } catch .deadlinePassed {
        throw .tls(.timedOut)
      }
      if let rejection = judgeNewClient() { return await turnAway(rejection, until: handshakeEnd) }
      isWaitingForRequest = false
      isHandshakeOver = true
      while try await receiveRequest() {
        switch work {
        case .none: break
        case .flush: try await stream.flush(idle: limits.writing)
        case .answer:
          guard try await answer() else { return }
          incoming = nil
        case .fail(let error): throw error
        }
        work = .none
        // Requests that came together must not keep the others waiting.
        if !inbox.isEmpty { await stream.loop.yield() }
      }
      stream.close()
    } catch {
      fail(error)
    }
  }

  @inline(never)
  private func fail(_ error: StreamError) {
    stream.abort()
    if error != .aborted { handler.log(error, from: stream.peer) }
  }

  // MARK: Requests

  /// Waits for a request, and answers those that can be answered at once.
  ///
  /// - Returns: false where the peer, or this server, wants no more of them.
  @inline(never)
  private func receiveRequest() async throws(StreamError) -> Bool {
    guard !isStopping else { return false }
    if let plaintext = stream.plaintext {
      refuse(plaintext)
      return true
    }
    if !inbox.isEmpty, takeInbox() { return true }
    if unfinished == nil { waitsSince = clock.now }
    isWaitingForRequest = inbox.isEmpty
    defer { isWaitingForRequest = false }
    deadline = whileNewcomer(clock.deadline(after: inbox.isEmpty ? limits.idle : limits.request))
    do throws(StreamError) {
      return try await stream.receive(until: deadline, into: self)
    } catch .deadlinePassed where inbox.isEmpty {
      // Nothing was asked, so nothing is missed.
      return false
    } catch .aborted where isStopping {
      return false
    }
  }

  /// Who has not been let in yet has no more time than for that.
  private func whileNewcomer(_ deadline: Deadline) -> Deadline {
    guard let visitor, !visitor.isLetIn else { return deadline }
    return min(deadline, visitor.deadline)
  }

  /// Begins with what came together with the last request.
  ///
  /// - Returns: whether that was a whole head.
  @inline(never)
  private func takeInbox() -> Bool {
    let bytes = inbox
    let head = unfinished ?? UnfinishedHead(RequestHeadParser())
    switch head.parse(bytes) {
    case .incomplete:
      unfinished = head
      return false
    case .complete(let request, let byteCount):
      unfinished = nil
      inbox = byteCount == bytes.count ? [] : Array(bytes[byteCount...])
      begin(request)
    case .refused(let refusal): refuse(refusal)
    }
    return true
  }

  private func begin(_ request: RequestHead) {
    do throws(StreamError) {
      switch try answerAtOnce(request) {
      case .sent: break
      case .sending: work = .flush
      case .notAtOnce:
        incoming = .request(request)
        work = .answer
      }
    } catch {
      work = .fail(error)
    }
  }

  /// Nothing more is done with what came without TLS than to see which address was meant.
  private func refuse(_ plaintext: [UInt8]) {
    handler.log(.tls(.plainHTTP), from: stream.peer)
    var parser = RequestHeadParser()
    var authority: String?
    if case .complete(let request, _) = parser.parse(plaintext.span), let asked = request.authority,
      asked.count <= Self.longestAuthority
    {
      authority = String(decoding: asked, as: UTF8.self)
    }
    incoming = .insecure(authority: authority)
    work = .answer
  }

  /// In bytes: a host name (RFC 1035 §2.3.4) and a port.
  private static let longestAuthority = 261

  private func refuse(_ refusal: MessageRefusal) {
    incoming = .refused(refusal)
    work = .answer
  }
}

extension HTTPConnection: ReceivedBytesHandler {
  /// Parses what has just come, where it lies, and answers it if that takes no wait; only what is left over is copied.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Deadline? {
    // Until the task that has to answer is awake, the server may stop.
    isWaitingForRequest = false
    guard inbox.isEmpty else {
      unsafe inbox = inbox + Array(bytes)
      return takeInbox() ? nil : deadline
    }
    var parser = RequestHeadParser()
    // Safe because the buffer is lent for this call.
    switch unsafe parser.parse(bytes.bindMemory(to: UInt8.self).span) {
    case .incomplete:
      unsafe inbox = Array(bytes)
      unfinished = UnfinishedHead(parser)
      deadline = whileNewcomer(clock.deadline(after: limits.request))
      return deadline
    case .complete(let request, let byteCount):
      if byteCount < bytes.count { unsafe inbox = Array(bytes[byteCount...]) }
      begin(request)
      guard case .none = work, inbox.isEmpty, !isStopping else { return nil }
      isWaitingForRequest = true
      waitsSince = clock.now
      deadline = waitsSince.advanced(by: environment.idle)
      return deadline
    case .refused(let refusal):
      refuse(refusal)
      return nil
    }
  }
}
