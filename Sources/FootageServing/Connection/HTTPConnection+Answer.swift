internal import FootageAPI
internal import FootageHTTP
internal import FootageSystem
internal import FootageTLS

/// The part of a connection that answers requests, finishes their bodies and decides how the connection continues.
extension HTTPConnection {
  enum AtOnce {
    case sent
    /// The socket has not accepted all of the answer yet.
    case sending
    /// The answer needs a wait. Nothing was sent.
    case notAtOnce
  }

  /// Answers a request without a wait. That is possible for most requests: the recording is open, and the range is in
  /// memory and fits into a turn.
  ///
  /// This changes only the way of answering, not the answer. It saves memory, because a task keeps the memory of its
  /// deepest async call for as long as it runs, which is as long as the connection.
  @inline(never)
  func answerAtOnce(_ head: RequestHead) throws(StreamError) -> AtOnce {
    guard case .none = head.body, head.keepsAlive, !machine.isStopping, environment.newcomers == nil,
      let body = handler.respondAtOnce(to: Request(head, over: self))
    else { return .notAtOnce }
    let stopwatch = environment.observers.stopwatch()
    let exchange = Exchange(of: head, over: stream, in: environment, idle: limits.writing, pace: pace)
    guard let (outcome, isSent) = exchange.sendAtOnce(body, ResponseHeadWriter.Persistence(for: head)) else {
      found = body
      return .notAtOnce
    }
    report(outcome, head, stopwatch)
    if let failure = outcome.failure { throw failure }
    return isSent ? .sent : .sending
  }

  /// Answers `incoming`.
  @inline(never)
  func answer() async throws(StreamError) -> StateMachine.Continuation {
    guard let incoming else { return .closed }
    let stopwatch = environment.observers.stopwatch()
    let answer = try await answer(to: incoming)
    let exchange = Exchange(
      of: answer.head, over: stream, in: environment, idle: machine.isGivenUp ? limits.lingering : limits.writing,
      pace: pace)
    let outcome = await exchange.send(answer.response, persistence(of: answer))
    report(outcome, answer.head, stopwatch)
    if let failure = outcome.failure { throw failure }
    return outcome.isCutOff ? .cutOff : answer.continuation
  }

  /// An answer, and the behavior of the connection after it.
  private struct Answer {
    /// The request's head; nil if the input could not be read.
    let head: RequestHead?
    let response: HTTPResponse
    let continuation: StateMachine.Continuation

    init(_ head: RequestHead?, _ response: HTTPResponse, _ continuation: StateMachine.Continuation) {
      self.head = head
      self.response = response
      self.continuation = continuation
    }

    /// Creates the last answer of a connection.
    init(_ head: RequestHead?, _ document: HTTPDocument) { self.init(head, .document(document), .lingering) }
  }

  private func answer(to incoming: StateMachine.Incoming) async throws(StreamError) -> Answer {
    switch incoming {
    case .refused(let refusal): return Answer(nil, handler.document(for: .message(refusal)))
    case .uncertified(let head): return Answer(head, handler.document(for: .certificateRequired(head)))
    case .insecure(let authority): return Answer(nil, handler.document(for: .needsTLS(authority: authority)))
    case .request(let head):
      if environment.newcomers != nil, let refusal = await refusal(of: head) { return Answer(head, refusal) }
      let response: HTTPResponse
      do throws(RequestBodyError) { response = try await respond(to: head) } catch {
        switch error {
        case .refused(let refusal): return Answer(head, handler.document(for: .message(refusal)))
        case .connectionFailed(let error): throw error
        }
      }
      return try await finishBody(of: head, answeredBy: response)
    }
  }

  private func respond(to head: RequestHead) async throws(RequestBodyError) -> HTTPResponse {
    let request = Request(head, over: self)
    if let body = found ?? handler.respondAtOnce(to: request) { return .representation(body) }
    return try await handler.respond(to: request)
  }

  /// - Returns: nil if this request or an earlier one was accepted, so that the request is to be answered.
  @inline(never)
  private func refusal(of head: RequestHead) async -> HTTPDocument? {
    // The client is already gone, so it does not matter what it is answered.
    guard let visitor else { return HTTPProblem.notFound("The connection has ended.").document }
    if let refusal = await handler.refusal(of: head, from: visitor) { return refusal }
    guard !visitor.isLetIn else { return nil }
    visitor.isLetIn = true
    machine.admit()
    environment.newcomers?.remove(self)
    return nil
  }

  /// Returns the persistence to announce. It is determined after the handler has returned, because the server may have
  /// begun to stop while the handler waited.
  private func persistence(of answer: Answer) -> ResponseHeadWriter.Persistence {
    guard answer.continuation == .kept, !machine.isStopping, let head = answer.head else { return .closed }
    return ResponseHeadWriter.Persistence(for: head)
  }

  private func report(_ outcome: Exchange.Outcome, _ head: RequestHead?, _ stopwatch: Stopwatch?) {
    environment.observers.ended(
      HTTPExchange(
        peer: stream.peer, identity: identity, request: head, status: outcome.status,
        byteCount: outcome.bodyByteCount, duration: stopwatch?.elapsed, isCutOff: outcome.isCutOff,
        wasHeld: machine.wasHeld))
  }

  // MARK: Bodies

  /// Finishes the body of a request. If the body was refused or is incomplete, the answer reports that instead of the
  /// handler's result. The unread rest of a small body is discarded, so that the next request can be read after it.
  private func finishBody(
    of head: RequestHead, answeredBy response: HTTPResponse
  ) async throws(StreamError) -> Answer {
    guard head.body != .none else { return Answer(head, response, head.keepsAlive ? .kept : .closed) }
    if let failure = machine.bodyFailure { throw failure }
    if let refusal = machine.bodyRefusal { return Answer(head, handler.document(for: .message(refusal))) }
    let limit = machine.takenBodyByteCount &+ limits.droppedBodyBytes
    let deadline = clock.deadline(after: limits.request)
    while true {
      do throws(MessageRefusal) {
        switch try machine.dropBody(upTo: limit, at: clock.now) {
        case .dropped: return Answer(head, response, head.keepsAlive ? .kept : .closed)
        case .left: return Answer(head, response, .lingering)
        case .needsMore: break
        }
      } catch {
        return Answer(head, handler.document(for: .message(error)))
      }
      try await receiveBody(until: deadline)
    }
  }

  private func receiveBody(until deadline: Deadline) async throws(StreamError) {
    let start = clock.now
    let isOpen = unsafe try await stream.receive(until: deadline) { bytes in
      // Safe because the buffer is lent for this call.
      unsafe machine.receivedBody(bytes.bindMemory(to: UInt8.self).span, after: clock.elapsed(since: start))
    }
    guard isOpen else { throw .disconnected(nil) }
  }
}

extension ClientIdentity {
  /// Creates the identity of the client at the far end; nil if it has shown no certificate.
  init?(of stream: Stream) {
    guard let client = stream.client else { return nil }
    self.init(name: client.name, certificateDigest: client.digest, key: client.key)
  }
}

extension HTTPConnection: RequestConnection {
  var peer: SocketAddress { stream.peer }

  var identity: ClientIdentity? { ClientIdentity(of: stream) }

  var localPeer: LocalPeer? { stream.localPeer }

  func nextBodyBytes(within limit: RequestBodyLimit) async throws(RequestBodyError) -> [UInt8]? {
    if let failure = machine.bodyFailure { throw .connectionFailed(failure) }
    while true {
      let step: RequestBodyReader.Step
      do throws(MessageRefusal) { step = try machine.pullBody(within: limit.byteCount, at: clock.now) } catch {
        throw .refused(error)
      }
      switch step {
      case .bytes(let bytes): return bytes
      case .end: return nil
      case .needsMore(let sendsContinue):
        do throws(StreamError) {
          if sendsContinue, try !sendContinue() { try await stream.flush(idle: limits.writing) }
          let patience = (limit.duration ?? limits.request) - machine.bodyWait
          try await receiveBody(until: clock.deadline(after: max(.zero, patience)))
        } catch {
          machine.bodyFailed(error)
          throw .connectionFailed(error)
        }
      }
    }
  }

  /// - Returns: true if the socket accepted the whole head.
  private func sendContinue() throws(StreamError) -> Bool {
    // Safe because the array lends its storage for the call.
    unsafe try ResponseHeadWriter.continueHead.withUnsafeBufferPointer { (bytes) throws(StreamError) -> Bool in
      unsafe try stream.send(UnsafeRawBufferPointer(bytes))
    }
  }

  func hold(until deadline: Deadline) async -> Bool {
    guard machine.hold(at: clock.now) else { return false }
    let isWoken = await stream.hold(until: deadline)
    machine.holdEnded()
    // Many requests may have been woken together.
    if isWoken { await stream.loop.yield() }
    return isWoken && !machine.isStopping
  }

  func endHold() { stream.endHold() }
}
