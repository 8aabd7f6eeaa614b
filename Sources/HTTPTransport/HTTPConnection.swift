/// One connection of the server, from its handshake to its end, request after request.

internal import HTTPSemantics
internal import Networking

/// Belongs to its loop's thread and to the one task that runs it; only `stop` comes from outside, on the same thread.
final class HTTPConnection<Handler: HTTPHandler> {
  private let stream: Stream
  private let handler: Handler
  private let limits: TransportLimits
  private var parser = RequestHeadParser()
  /// Received and not yet parsed; empty, and without storage, while the connection is idle.
  private var inbox: [UInt8] = []
  /// Used for one head after the other; a head's bytes are copied before anything is waited for.
  private var head = ResponseHeadWriter()
  private var date = DateField(unixSeconds: 0)
  private var isWaitingForRequest = false
  private var isStopping = false

  init(_ stream: Stream, handler: Handler, limits: TransportLimits) {
    self.stream = stream
    self.handler = handler
    self.limits = limits
  }

  /// Answers the request that is running, if any, and closes then.
  func stop() {
    isStopping = true
    if isWaitingForRequest { stream.close() }
  }

  /// Closes at once.
  func abort() { stream.abort() }

  func run() async {
    do throws(StreamError) {
      // Who has said nothing yet must not hold up a server that stops.
      isWaitingForRequest = true
      try await stream.handshake(until: .after(limits.handshake))
      isWaitingForRequest = false
      while let incoming = try await nextRequest() {
        guard try await answer(incoming) else { return }
        // Requests that came together must not keep the others waiting.
        if !inbox.isEmpty { await stream.loop.yield() }
      }
      stream.close()
    } catch {
      stream.abort()
      if error != .aborted { handler.log(error, from: stream.peer) }
    }
  }

  // MARK: Requests

  private enum Incoming {
    case request(RequestHead)
    case refused(MessageRefusal)
  }

  /// - Returns: nil where the peer, or this server, wants no more of them.
  private func nextRequest() async throws(StreamError) -> Incoming? {
    guard !isStopping else { return nil }
    if !inbox.isEmpty, let incoming = parseInbox() { return incoming }
    isWaitingForRequest = inbox.isEmpty
    defer { isWaitingForRequest = false }
    var deadline = Deadline.after(inbox.isEmpty ? limits.idle : limits.request)
    while true {
      let wasIdle = inbox.isEmpty
      let incoming: Incoming??
      do throws(StreamError) {
        incoming = unsafe try await stream.receive(until: deadline) { unsafe parse($0) }
      } catch .deadlinePassed where inbox.isEmpty {
        // Nothing was asked, so nothing is missed.
        return nil
      } catch .aborted where isStopping {
        return nil
      }
      guard let incoming else { return nil }
      if let incoming { return incoming }
      if wasIdle { deadline = .after(limits.request) }
      isWaitingForRequest = false
    }
  }

  /// Parses what has just come, where it lies; only what is left over is copied.
  private func parse(_ bytes: UnsafeRawBufferPointer) -> Incoming? {
    guard inbox.isEmpty else {
      unsafe inbox.append(contentsOf: bytes)
      return parseInbox()
    }
    // Safe because the buffer is lent for this call.
    switch unsafe parser.parse(bytes.bindMemory(to: UInt8.self).span) {
    case .incomplete:
      unsafe inbox = Array(bytes)
      return nil
    case .complete(let head, let byteCount):
      if byteCount < bytes.count { unsafe inbox = Array(bytes[byteCount...]) }
      return .request(head)
    case .refused(let refusal): return .refused(refusal)
    }
  }

  private func parseInbox() -> Incoming? {
    switch parser.parse(inbox.span) {
    case .incomplete: return nil
    case .complete(let head, let byteCount):
      if byteCount == inbox.count { inbox = [] } else { inbox.removeFirst(byteCount) }
      return .request(head)
    case .refused(let refusal): return .refused(refusal)
    }
  }

  // MARK: Bodies of requests

  private enum DroppedBody {
    case dropped
    /// Too large to wait for, or the client waits for a word.
    case left
    case refused(MessageRefusal)
  }

  /// Nothing here takes a body. A small one is read and dropped, so that the next request can be found behind it.
  private func dropBody(of request: RequestHead) async throws(StreamError) -> DroppedBody {
    guard request.body != .none else { return .dropped }
    guard !request.expectsContinue else { return .left }
    let deadline = Deadline.after(limits.request)
    switch request.body {
    case .none: return .dropped
    case .length(let length):
      guard length <= limits.droppedBodyBytes else { return .left }
      var rest = Int(length)
      while true {
        let count = min(rest, inbox.count)
        inbox.removeFirst(count)
        rest -= count
        guard rest > 0 else { break }
        guard try await receiveMore(until: deadline) else { throw .disconnected(errorNumber: 0) }
      }
    case .chunked:
      var decoder = ChunkedBodyDecoder()
      var dropped: UInt64 = 0
      while !decoder.isComplete {
        do throws(MessageRefusal) { dropped += try skipChunks(&decoder) } catch { return .refused(error) }
        guard dropped <= limits.droppedBodyBytes else { return .left }
        if decoder.isComplete { break }
        guard try await receiveMore(until: deadline) else { throw .disconnected(errorNumber: 0) }
      }
    }
    if inbox.isEmpty { inbox = [] }
    return .dropped
  }

  /// Takes what the inbox holds of a chunked body out of it.
  ///
  /// - Returns: how many bytes of the body's own that were.
  private func skipChunks(_ decoder: inout ChunkedBodyDecoder) throws(MessageRefusal) -> UInt64 {
    let bytes = inbox
    var position = 0
    var dropped: UInt64 = 0
    while true {
      switch try decoder.next(bytes.span, from: position) {
      case .data(let range):
        dropped += UInt64(range.count)
        position = range.upperBound
      case .needsMore:
        inbox = []
        return dropped
      case .end(let end):
        inbox = Array(bytes[end...])
        return dropped
      }
    }
  }

  private func receiveMore(until deadline: Deadline) async throws(StreamError) -> Bool {
    let received: Void? = unsafe try await stream.receive(until: deadline) { unsafe inbox.append(contentsOf: $0) }
    return received != nil
  }

  // MARK: Answers

  /// What is known of a response once it is over.
  private struct Outcome {
    var status: HTTPStatus
    var bodyByteCount: UInt64
    var isCutOff = false
    /// What happened to the connection over it, most often a peer that has seen enough.
    var failure: StreamError?
  }

  /// - Returns: whether the connection goes on; it is closed where it does not.
  private func answer(_ incoming: Incoming) async throws(StreamError) -> Bool {
    let start = ContinuousClock.now
    var request: RequestHead?
    // What was not read must not be thrown away by a reset before the peer has seen the answer.
    var mustLinger = false
    var refusal: MessageRefusal?
    switch incoming {
    case .refused(let reason): refusal = reason
    case .request(let head):
      request = head
      switch try await dropBody(of: head) {
      case .dropped: break
      case .left: mustLinger = true
      case .refused(let reason): refusal = reason
      }
    }
    let outcome: Outcome
    if let refusal {
      mustLinger = true
      outcome = try await send(handler.document(for: .message(refusal)), to: request, .closed)
    } else if let request {
      outcome = try await respond(to: request, mayKeep: !mustLinger)
    } else {
      return false
    }
    report(outcome, request, since: start)
    if let failure = outcome.failure { throw failure }
    if outcome.isCutOff {
      stream.abort()
      return false
    }
    if mustLinger {
      await stream.lingeringClose(until: .after(limits.lingering), dropping: limits.lingeringBytes)
      return false
    }
    guard let request, request.keepsAlive, !isStopping else {
      stream.close()
      return false
    }
    return true
  }

  private func respond(to request: RequestHead, mayKeep: Bool) async throws(StreamError) -> Outcome {
    let response = await handler.respond(to: request)
    // Asked after the handler, which may have waited: a server that stops says so as soon as it can.
    let persistence: ResponseHeadWriter.Persistence =
      mayKeep && !isStopping ? ResponseHeadWriter.Persistence(for: request) : .closed
    switch response {
    case .document(let document): return try await send(document, to: request, persistence)
    case .representation(let metadata, let body):
      return try await send(metadata, body, to: request, persistence)
    }
  }

  private func send(
    _ document: HTTPDocument, contentRangeLength: UInt64? = nil, to request: RequestHead?,
    _ persistence: ResponseHeadWriter.Persistence
  ) async throws(StreamError) -> Outcome {
    head.begin(date: currentDate(), persistence)
    head.status(document.status)
    if let contentRangeLength { head.contentRange(nil, length: contentRangeLength) }
    for field in document.fields { head.field(field.name, field.value) }
    let hasBody = !document.status.forbidsBody
    if hasBody {
      if !document.bytes.isEmpty { head.field("Content-Type", document.mediaType) }
      head.field("Content-Length", UInt64(document.bytes.count))
    }
    head.end()
    let sendsBody = hasBody && request?.method != .head
    var writer = TurnWriter<Handler.Body>(stream, idle: limits.writing)
    do throws(TurnFailure) {
      try await writer.append(head.bytes)
      if sendsBody { try await writer.append(document.bytes) }
      try await writer.endTurn(of: nil, hasMore: false)
    } catch {
      if case .stream(let failure) = error {
        return Outcome(
          status: document.status, bodyByteCount: writer.sentBodyByteCount(behind: head.bytes.count), isCutOff: true,
          failure: failure)
      }
    }
    return Outcome(status: document.status, bodyByteCount: sendsBody ? UInt64(document.bytes.count) : 0)
  }

  private func send(
    _ metadata: RepresentationMetadata, _ body: Handler.Body, to request: RequestHead,
    _ persistence: ResponseHeadWriter.Persistence
  ) async throws(StreamError) -> Outcome {
    let date = currentDate()
    let plan = ResponsePlan(for: request, of: metadata, now: date.unixSeconds)
    switch plan.content {
    case .unsatisfiable(let length):
      let document = handler.document(for: .rangeNotSatisfiable(length: length))
      return try await send(document, contentRangeLength: length, to: request, persistence)
    case .preconditionFailed:
      return try await send(handler.document(for: .preconditionFailed), to: request, persistence)
    case .none, .whole, .range, .multipart: break
    }
    head.begin(date: date, persistence)
    plan.writeHead(into: &head)
    head.end()
    var writer = TurnWriter<Handler.Body>(stream, idle: limits.writing)
    do throws(TurnFailure) {
      try await writer.append(head.bytes)
      try await write(plan.content, of: body, length: metadata.length, into: &writer)
    } catch {
      switch error {
      case .stream(let failure):
        return Outcome(
          status: plan.status, bodyByteCount: writer.sentBodyByteCount(behind: head.bytes.count), isCutOff: true,
          failure: failure)
      case .body(let error):
        writer.discard()
        // Nothing has left yet, so the answer can still be an honest one; else only cutting it off is.
        guard writer.hasSent else {
          return try await send(handler.document(for: .bodyFailed(error)), to: request, persistence)
        }
        return Outcome(
          status: plan.status, bodyByteCount: writer.sentBodyByteCount(behind: head.bytes.count), isCutOff: true)
      }
    }
    let hasBody = if case .none = plan.content { false } else { true }
    return Outcome(status: plan.status, bodyByteCount: hasBody ? plan.contentLength ?? 0 : 0)
  }

  private func write(
    _ content: ResponsePlan.Content, of body: Handler.Body, length: UInt64,
    into writer: inout TurnWriter<Handler.Body>
  ) async throws(TurnFailure) {
    switch content {
    case .whole: try await writer.append(0..<length, of: body)
    case .range(let range): try await writer.append(range, of: body)
    case .multipart(let parts):
      for part in parts.parts {
        switch part {
        case .bytes(let bytes): try await writer.append(bytes)
        case .range(let range): try await writer.append(range, of: body)
        }
      }
    case .none, .unsatisfiable, .preconditionFailed:
      return try await writer.endTurn(of: nil, hasMore: false)
    }
    try await writer.endTurn(of: body, hasMore: false)
  }

  private func currentDate() -> DateField {
    date.update(unixSeconds: WallClock.unixSeconds)
    return date
  }

  private func report(_ outcome: Outcome, _ request: RequestHead?, since start: ContinuousClock.Instant) {
    guard handler.logsExchanges else { return }
    handler.log(
      HTTPExchange(
        peer: stream.peer, request: request, status: outcome.status, byteCount: outcome.bodyByteCount,
        duration: .now - start, isCutOff: outcome.isCutOff))
  }
}
