internal import FootageHTTP
internal import FootageSystem

extension HTTPConnection {
  /// The state of a server's connection, and the decision about its next step (RFC 9112 §9).
  ///
  /// It only makes decisions. Its input consists of bytes, the time and requests to stop, and the connection carries
  /// out the actions that it returns. Requests follow one another: while one is answered, the inbox keeps the bytes
  /// that were already received, and the rest waits in the socket.
  struct StateMachine {
    enum State {
      case handshaking(since: Deadline)
      /// It is between two requests, or before the first.
      case idle(since: Deadline)
      /// A head has begun and not yet ended. The wait is measured from the time when the connection was last idle.
      case readingHead(UnfinishedHead, since: Deadline, until: Deadline)
      /// A request, or input that is not a request, is being answered.
      case answering
      /// The answer needs more of the request's body, or the end of it.
      case readingBody(since: Deadline)
      /// The answer waits for a change. Even if it is woken several times, the wait is measured from its first
      /// beginning.
      case held(since: Deadline)
      /// The last answer has been sent, and the client has time to read it.
      case lingering
      case closed
    }

    /// A head of which a part is missing. It is a class because most heads arrive complete, so that connections need no
    /// memory for it.
    final class UnfinishedHead {
      private var parser: RequestHeadParser

      init(_ parser: RequestHeadParser) { self.parser = parser }

      func parse(_ bytes: Span<UInt8>) -> RequestHeadParser.Outcome { parser.parse(bytes) }
    }

    /// The body of a request. It is a class because few requests have a body, so that connections need no memory for
    /// it.
    private final class Body {
      var reader: RequestBodyReader
      /// The time spent waiting for the body.
      var waited: Duration = .zero
      /// The reason why no more of the body arrives.
      var failure: StreamError?

      init(_ reader: RequestBodyReader) { self.reader = reader }
    }

    /// The times within which a client must send a request.
    struct Delays {
      /// The time until a request must begin.
      let idle: Deadline.Delay
      /// The time from then on until the request must be complete.
      let request: Deadline.Delay

      init(idle: Duration, request: Duration) {
        self.idle = Deadline.Delay(idle)
        self.request = Deadline.Delay(request)
      }
    }

    private(set) var state: State
    /// The received bytes that have not been processed yet. While the connection is idle, the array is empty and has no
    /// storage.
    private(set) var inbox: [UInt8] = []
    /// The body of the request that is being answered; nil if it has none.
    private var body: Body?
    /// The time when the request that is being answered was first held; nil if it was never held.
    private var heldSince: Deadline?
    private(set) var isStopping = false
    /// True if the connection must close to make room for another one.
    private(set) var isGivenUp = false
    /// The time until which a request must be accepted; nil if one was accepted, or if the server accepts all
    /// connections.
    private var admission: Deadline?
    private let delays: Delays

    /// - Parameter admission: the time until which a request must be accepted; nil if the server accepts all
    ///   connections.
    init(_ delays: Delays, admittedUntil admission: Deadline?, at now: Deadline) {
      self.delays = delays
      self.admission = admission
      state = .handshaking(since: now)
    }

    /// True if the request that is being answered was ever held.
    var wasHeld: Bool { heldSince != nil }

    /// True if bytes of a request have arrived that have not been processed yet.
    var hasUnreadBytes: Bool { !inbox.isEmpty }

    /// The activity while the connection waits for its client; nil while the server is working on an answer.
    var waiting: ConnectionActivity? {
      switch state {
      case .handshaking(let since): .handshaking(since: since)
      case .idle(let since), .readingHead(_, let since, _), .readingBody(let since), .held(let since):
        .waiting(since: since)
      case .answering, .lingering, .closed: nil
      }
    }

    // MARK: Requests

    /// Handles the end of the handshake of a client that is accepted.
    mutating func handshakeEnded(at now: Deadline) -> Action { takeNext(at: now) }

    /// Begins an answer to input that is not a request, or to a client that may not make one. The answer ends the
    /// connection.
    mutating func refuse() { enter(.answering) }

    /// Records that a request was accepted. From now on, the usual times apply to the connection.
    mutating func admit() { admission = nil }

    /// Handles bytes that arrived while the connection waited for a request. Only remaining bytes are copied.
    ///
    /// - Parameter now: called only if the time matters.
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
        // Nothing has asked for these bytes.
        inbox += Self.copy(bytes, from: 0)
        return .close
      }
    }

    /// Handles the end of an answer, even if it could not be sent completely.
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

    /// Handles that the client has ended the connection during a wait.
    mutating func clientLeft() -> Action {
      state = .closed
      return .close
    }

    /// Handles the end of the time for a request.
    mutating func deadlinePassed() -> Action {
      defer { state = .closed }
      // No request was begun, so that nothing is missing.
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

    /// - Returns: nil if the head has not ended yet.
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

    /// Returns the deadline for a wait. For a connection without an accepted request, it is not later than `admission`.
    private func deadline(after delay: Deadline.Delay, at now: Deadline) -> Deadline {
      min(now.advanced(by: delay), admission ?? .never)
    }

    private static func copy(_ bytes: Span<UInt8>, from start: Int) -> [UInt8] {
      // Safe because the bytes are copied before the borrow ends.
      unsafe bytes.extracting(start...).withUnsafeBufferPointer { unsafe Array($0) }
    }

    // MARK: Bodies

    /// Returns the next piece of the body of the request that is being answered.
    mutating func pullBody(
      within limit: UInt64, at now: Deadline
    ) throws(MessageRefusal) -> RequestBodyReader.Step {
      guard let body else { return .end }
      enter(.answering)
      let step = try body.reader.next(&inbox, upTo: limit)
      if case .needsMore = step { enter(.readingBody(since: now)) }
      return step
    }

    /// Handles bytes that arrived during a wait for the body.
    mutating func receivedBody(_ bytes: Span<UInt8>, after wait: Duration) {
      inbox += Self.copy(bytes, from: 0)
      body?.waited += wait
    }

    /// Records that no more of the body will arrive.
    mutating func bodyFailed(_ error: StreamError) {
      enter(.answering)
      body?.failure = error
    }

    /// The time spent waiting for the body.
    var bodyWait: Duration { body?.waited ?? .zero }

    /// The number of bytes of the body that were returned.
    var takenBodyByteCount: UInt64 { body?.reader.byteCount ?? 0 }

    /// The reason why the body was refused; nil if it was not refused or not read.
    var bodyRefusal: MessageRefusal? { body?.reader.refusal }

    /// The reason why no more of the body arrived.
    var bodyFailure: StreamError? { body?.failure }

    /// Discards the unread rest of the body.
    ///
    /// - Parameter limit: the limit of the whole body, in bytes.
    /// - Throws: `MessageRefusal` if it breaks HTTP.
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

    /// Begins to hold the request that is being answered, until a change.
    ///
    /// - Returns: false if it may not wait, because the server stops or the connection is closed.
    mutating func hold(at now: Deadline) -> Bool {
      if case .closed = state { return false }
      guard !isStopping else { return false }
      let since = heldSince ?? now
      heldSince = since
      state = .held(since: since)
      return true
    }

    /// Records the end of a hold.
    mutating func holdEnded() {
      if case .held = state { state = .answering }
    }

    // MARK: Interruptions

    /// Stops the connection: a request that has begun is answered, and no other.
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

    /// Ends the connection to make room for another one.
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

    /// Cuts off the current answer, because its client has lost the right to it.
    mutating func cutOffAnswer() -> Interruption {
      switch state {
      case .answering, .readingBody:
        state = .closed
        return .abort
      case .handshaking, .idle, .readingHead, .held, .lingering, .closed: return .none
      }
    }

    /// Records that the connection has ended, in any state.
    mutating func end() { state = .closed }

    /// Changes the state. A closed connection stays closed.
    private mutating func enter(_ next: State) {
      if case .closed = state { return }
      state = next
    }
  }
}
