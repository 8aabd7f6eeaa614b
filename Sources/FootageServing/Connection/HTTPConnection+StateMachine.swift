internal import FootageHTTP
internal import FootageSystem

extension HTTPConnection {
  /// What a connection of the server is doing, and what it does next (RFC 9112 §9).
  ///
  /// It decides, and does nothing: bytes, time and the wish to stop are handed in, and what comes out is to be carried
  /// out. Requests follow one another: of what comes while one is answered, the inbox keeps what was received already,
  /// and the rest waits in the socket.
  struct StateMachine {
    enum State {
      case handshaking(since: Deadline)
      /// Between two requests, or before the first.
      case idle(since: Deadline)
      /// A head has begun and not yet ended. The wait for it has lasted since its connection was last idle.
      case readingHead(UnfinishedHead, since: Deadline, until: Deadline)
      /// A request, or what was none, is with those who answer it.
      case answering
      /// Its answer needs more of its body, or the end of it.
      case readingBody(since: Deadline)
      /// Its answer waits for a change. However often it is woken, it has waited since the first time.
      case held(since: Deadline)
      /// The last answer is sent, and the client gets to read it.
      case lingering
      case closed
    }

    /// Most heads come whole, so that a connection has no room for this.
    final class UnfinishedHead {
      private var parser: RequestHeadParser

      init(_ parser: RequestHeadParser) { self.parser = parser }

      func parse(_ bytes: Span<UInt8>) -> RequestHeadParser.Outcome { parser.parse(bytes) }
    }

    /// Few requests have one, so that a connection has no room for this.
    private final class Body {
      var reader: RequestBodyReader
      /// How long it was waited for.
      var waited: Duration = .zero
      /// Why no more of it comes.
      var failure: StreamError?

      init(_ reader: RequestBodyReader) { self.reader = reader }
    }

    /// How long a client has.
    struct Delays {
      /// To ask for something.
      let idle: Deadline.Delay
      /// To say the rest of it.
      let request: Deadline.Delay

      init(idle: Duration, request: Duration) {
        self.idle = Deadline.Delay(idle)
        self.request = Deadline.Delay(request)
      }
    }

    private(set) var state: State
    /// Received and not yet taken; empty, and without storage, while the connection is idle.
    private(set) var inbox: [UInt8] = []
    /// Of the request that is answered; nil where it has none.
    private var body: Body?
    /// Since when the request that is answered has been waiting, where it was ever held.
    private var heldSince: Deadline?
    private(set) var isStopping = false
    /// Whether its place is wanted for another.
    private(set) var isGivenUp = false
    /// By when it has to be let in; nil where it was, or everybody is.
    private var admission: Deadline?
    private let delays: Delays

    /// - Parameter admission: by when it has to be let in; nil where everybody is.
    init(_ delays: Delays, admittedUntil admission: Deadline?, at now: Deadline) {
      self.delays = delays
      self.admission = admission
      state = .handshaking(since: now)
    }

    /// Whether the request that is answered was ever held.
    var wasHeld: Bool { heldSince != nil }

    /// Whether anything of a request has come that was not taken yet.
    var hasUnreadBytes: Bool { !inbox.isEmpty }

    /// What it is doing, as far as it is its client who has to do something; nil while it is this side's turn.
    var waiting: ConnectionActivity? {
      switch state {
      case .handshaking(let since): .handshaking(since: since)
      case .idle(let since), .readingHead(_, let since, _), .readingBody(let since), .held(let since):
        .waiting(since: since)
      case .answering, .lingering, .closed: nil
      }
    }

    // MARK: Requests

    /// The handshake is over, and the client may come in.
    mutating func handshakeEnded(at now: Deadline) -> Action { takeNext(at: now) }

    /// What came instead of a request, or from somebody who may not ask, is answered, which ends the connection.
    mutating func refuse() { enter(.answering) }

    /// The connection was let in, and has a client's usual time from now on.
    mutating func admit() { admission = nil }

    /// Bytes came while it waited for a request. Only what is left over of them is copied.
    ///
    /// - Parameter now: asked for only where the time matters.
    mutating func received(_ bytes: Span<UInt8>, at now: () -> Deadline) -> Action {
      switch state {
      case .idle(let since):
        var parser = RequestHeadParser()
        switch parser.parse(bytes) {
        case .incomplete:
          inbox = Self.copy(bytes, from: 0)
          return wait(for: UnfinishedHead(parser), since: since, at: now())
        case .complete(let head, let byteCount):
          if byteCount < bytes.count { inbox = Self.copy(bytes, from: byteCount) }
          return begin(head)
        case .refused(let refusal): return refuse(refusal)
        }
      case .readingHead(let unfinished, _, let deadline):
        inbox += Self.copy(bytes, from: 0)
        return parseInbox(unfinished) ?? .receive(until: deadline)
      case .handshaking, .answering, .readingBody, .held, .lingering, .closed:
        // Nobody has asked for them.
        inbox += Self.copy(bytes, from: 0)
        return .close
      }
    }

    /// An answer was sent, or as much of it as could be.
    mutating func answered(_ continuation: Continuation, at now: Deadline) -> Action {
      body = nil
      heldSince = nil
      if case .closed = state { return .abort }
      switch continuation {
      case .kept: return takeNext(at: now)
      case .closed:
        state = .closed
        return .close
      case .lingering:
        state = .lingering
        return .linger
      case .cutOff:
        state = .closed
        return .abort
      }
    }

    /// The client has ended the connection while it was waited for.
    mutating func clientLeft() -> Action {
      state = .closed
      return .close
    }

    /// The time of the wait for a request is over.
    mutating func deadlinePassed() -> Action {
      defer { state = .closed }
      // Where nothing was asked, nothing is missed.
      if case .idle = state { return .close }
      return .fail(.deadlinePassed)
    }

    private mutating func takeNext(at now: Deadline) -> Action {
      guard !isStopping else {
        state = .closed
        return .close
      }
      guard !inbox.isEmpty else {
        state = .idle(since: now)
        return .receive(until: deadline(after: delays.idle, at: now))
      }
      let unfinished = UnfinishedHead(RequestHeadParser())
      return parseInbox(unfinished) ?? wait(for: unfinished, since: now, at: now)
    }

    /// - Returns: nil where the head has not ended yet.
    private mutating func parseInbox(_ unfinished: UnfinishedHead) -> Action? {
      switch unfinished.parse(inbox.span) {
      case .incomplete: return nil
      case .complete(let head, let byteCount):
        inbox = byteCount == inbox.count ? [] : Array(inbox[byteCount...])
        return begin(head)
      case .refused(let refusal): return refuse(refusal)
      }
    }

    private mutating func wait(for head: UnfinishedHead, since: Deadline, at now: Deadline) -> Action {
      let deadline = deadline(after: delays.request, at: now)
      state = .readingHead(head, since: since, until: deadline)
      return .receive(until: deadline)
    }

    private mutating func begin(_ head: RequestHead) -> Action {
      state = .answering
      if head.body != .none { body = Body(RequestBodyReader(head.body, expectsContinue: head.expectsContinue)) }
      return .answer(.request(head))
    }

    private mutating func refuse(_ refusal: MessageRefusal) -> Action {
      state = .answering
      return .answer(.refused(refusal))
    }

    /// A connection that was not let in yet has no more time than for that.
    private func deadline(after delay: Deadline.Delay, at now: Deadline) -> Deadline {
      min(now.advanced(by: delay), admission ?? .never)
    }

    private static func copy(_ bytes: Span<UInt8>, from start: Int) -> [UInt8] {
      // Safe because the bytes are copied before the borrow ends.
      unsafe bytes.extracting(start...).withUnsafeBufferPointer { unsafe Array($0) }
    }

    // MARK: Bodies

    /// Takes the next piece of the body of the request that is answered.
    mutating func pullBody(
      within limit: UInt64, at now: Deadline
    ) throws(MessageRefusal) -> RequestBodyReader.Step {
      guard let body else { return .end }
      enter(.answering)
      let step = try body.reader.next(&inbox, upTo: limit)
      if case .needsMore = step { enter(.readingBody(since: now)) }
      return step
    }

    /// Bytes came while the body was waited for.
    mutating func receivedBody(_ bytes: Span<UInt8>, after wait: Duration) {
      inbox += Self.copy(bytes, from: 0)
      body?.waited += wait
    }

    /// No more of the body will come.
    mutating func bodyFailed(_ error: StreamError) {
      enter(.answering)
      body?.failure = error
    }

    /// How long the body has been waited for.
    var bodyWait: Duration { body?.waited ?? .zero }

    /// How much of the body was taken, in bytes.
    var takenBodyByteCount: UInt64 { body?.reader.byteCount ?? 0 }

    /// Why the body was refused, where somebody pulled it.
    var bodyRefusal: MessageRefusal? { body?.reader.refusal }

    /// Why no more of the body came.
    var bodyFailure: StreamError? { body?.failure }

    /// Takes what nobody has read of the body.
    ///
    /// - Parameter limit: of the whole body, in bytes.
    /// - Throws: `MessageRefusal` where it breaks HTTP.
    mutating func dropBody(upTo limit: UInt64, at now: Deadline) throws(MessageRefusal) -> Dropping {
      guard let body, !body.reader.isWhole else { return .dropped }
      guard !body.reader.isAwaited else { return .left }
      while true {
        do throws(MessageRefusal) {
          switch try pullBody(within: limit, at: now) {
          case .bytes: continue
          case .end: return .dropped
          case .needsMore: return .needsMore
          }
        } catch {
          guard error.reason == .contentTooLarge else { throw error }
          return .left
        }
      }
    }

    // MARK: Holding

    /// The request that is answered waits for a change.
    ///
    /// - Returns: false where it may not, since the server stops.
    mutating func hold(at now: Deadline) -> Bool {
      if case .closed = state { return false }
      guard !isStopping else { return false }
      let since = heldSince ?? now
      heldSince = since
      state = .held(since: since)
      return true
    }

    /// The wait is over.
    mutating func holdEnded() {
      if case .held = state { state = .answering }
    }

    // MARK: Interruptions

    /// The server stops: what is asked already is answered, and nothing else.
    mutating func stop() -> Interruption {
      isStopping = true
      switch state {
      case .handshaking, .idle:
        state = .closed
        return .close
      case .held: return .endHold
      case .readingHead, .answering, .readingBody, .lingering, .closed: return .none
      }
    }

    /// The connection's place is wanted for another.
    mutating func giveUp() -> Interruption {
      isGivenUp = true
      switch state {
      case .held: return stop()
      case .idle:
        state = .closed
        return .close
      case .closed: return .none
      case .handshaking, .readingHead, .answering, .readingBody, .lingering:
        state = .closed
        return .abort
      }
    }

    /// What is being answered may not be answered so any more.
    mutating func cutOffAnswer() -> Interruption {
      switch state {
      case .answering, .readingBody:
        state = .closed
        return .abort
      case .handshaking, .idle, .readingHead, .held, .lingering, .closed: return .none
      }
    }

    /// The connection ended, whatever it was doing.
    mutating func end() { state = .closed }

    /// What is closed stays closed.
    private mutating func enter(_ next: State) {
      if case .closed = state { return }
      state = next
    }
  }
}
