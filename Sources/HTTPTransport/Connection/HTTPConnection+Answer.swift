/// Answers: what is sent, what is said about the connection, and how it goes on.

internal import HTTPSemantics
internal import Networking
internal import System
internal import TLS

extension HTTPConnection {
  /// What is known of a response once it is over.
  private struct Outcome {
    var status: HTTPStatus
    var bodyByteCount: UInt64
    var isCutOff = false
    /// What happened to the connection over it, most often a peer that has seen enough.
    var failure: StreamError?
  }

  enum AtOnce {
    case sent
    /// The socket has not taken all of it yet.
    case sending
    /// Nothing was done.
    case notAtOnce
  }

  /// The way of most requests, without a single wait: an open recording, and a range that fits into a turn and is at hand.
  ///
  /// It is no shortcut in what it does, only in how: an async function keeps the memory of its deepest call for as long
  /// as its task lives, which is as long as the connection.
  @inline(never)
  func answerAtOnce(_ request: RequestHead) throws(StreamError) -> AtOnce {
    guard case .none = request.body, request.keepsAlive, !isStopping, environment.newcomers == nil,
      let body = handler.respondAtOnce(to: request)
    else { return .notAtOnce }
    let stopwatch = handler.logsExchanges ? Stopwatch(stream.loop.clock) : nil
    let date = heads.currentDate()
    let plan = ResponsePlan(for: request, of: body.metadata, now: date.unixSeconds)
    let range: Range<UInt64>
    switch plan.content {
    case .none: range = 0..<0
    case .range(let asked) where asked.upperBound - asked.lowerBound < UInt64(stream.turnByteCount / 2): range = asked
    default: return .notAtOnce
    }
    var writer = ResponseWriter(stream, idle: limits.writing)
    _ = writeHead(of: plan, [], date, persistence(for: request, true), into: &writer)
    do throws(SendError) {
      guard try writer.fill(range, of: body) == range.upperBound - range.lowerBound else { return .notAtOnce }
      let isSent = try writer.sendTurn()
      if let stopwatch {
        report(Outcome(status: plan.status, bodyByteCount: plan.bodyByteCount), request, stopwatch)
      }
      return isSent ? .sent : .sending
    } catch {
      // A body that cannot be read is answered by the long way, which says so: nothing of it has left.
      guard case .stream(let failure) = error else { return .notAtOnce }
      throw failure
    }
  }

  /// - Returns: how many bytes it has.
  private func writeHead(
    of plan: ResponsePlan, _ fields: [(name: StaticString, value: String)], _ date: DateField,
    _ persistence: ResponseHeadWriter.Persistence, into writer: inout ResponseWriter
  ) -> Int {
    heads.write { head in
      head.begin(date: date, persistence)
      plan.writeHead(into: &head)
      for field in fields { head.field(field.name, field.value) }
      head.end()
    } _: { head in
      writer.fill(head[...])
    }
  }

  /// - Returns: whether the connection goes on; it is closed where it does not.
  @inline(never)
  func answer() async throws(StreamError) -> Bool {
    guard let incoming else { return false }
    let stopwatch = handler.logsExchanges ? Stopwatch(stream.loop.clock) : nil
    // What was not read must not be thrown away by a reset before the peer has seen the answer.
    var mustLinger = false
    let request: RequestHead?
    let outcome: Outcome
    switch incoming {
    case .refused(let refusal):
      request = nil
      mustLinger = true
      outcome = await send(handler.document(for: .message(refusal)), to: nil, .closed)
    case .uncertified(let head):
      request = head
      mustLinger = true
      outcome = await send(handler.document(for: .certificateRequired(head)), to: head, .closed)
    case .insecure(let authority):
      request = nil
      mustLinger = true
      outcome = await send(handler.document(for: .needsTLS(authority: authority)), to: nil, .closed)
    case .request(let head):
      request = head
      if environment.newcomers != nil, let refusal = await refusal(of: head) {
        mustLinger = true
        outcome = await send(refusal, to: head, .closed)
        break
      }
      switch head.body == .none ? .dropped : try await dropBody(of: head) {
      case .dropped: outcome = await respond(to: head, mayKeep: true)
      case .left:
        mustLinger = true
        outcome = await respond(to: head, mayKeep: false)
      case .refused(let refusal):
        mustLinger = true
        outcome = await send(handler.document(for: .message(refusal)), to: head, .closed)
      }
    }
    if let stopwatch { report(outcome, request, stopwatch) }
    wasHeld = false
    if let failure = outcome.failure { throw failure }
    if outcome.isCutOff {
      stream.abort()
      return false
    }
    if mustLinger {
      await stream.lingeringClose(
        until: stream.loop.clock.deadline(after: limits.lingering), dropping: limits.lingeringBytes)
      return false
    }
    guard let request, request.keepsAlive, !isStopping else {
      stream.close()
      return false
    }
    return true
  }

  /// - Returns: nil where the connection was let in, by this request or one before, and the request is to be answered.
  @inline(never)
  private func refusal(of request: RequestHead) async -> HTTPDocument? {
    // Who has gone already is answered nothing that would be worth a look.
    guard let visitor else { return HTTPProblem.notFound("The connection is over.").document }
    if let refusal = await handler.refusal(of: request, from: visitor) { return refusal }
    guard !visitor.isLetIn else { return nil }
    visitor.isLetIn = true
    environment.newcomers?.remove(self)
    return nil
  }

  private func respond(to request: RequestHead, mayKeep: Bool) async -> Outcome {
    if let body = handler.respondAtOnce(to: request) {
      return await send(body, [], to: request, persistence(for: request, mayKeep))
    }
    switch await handler.respond(to: request, over: self) {
    case .document(let document): return await send(document, to: request, persistence(for: request, mayKeep))
    case .representation(let body, let fields):
      return await send(body, fields, to: request, persistence(for: request, mayKeep))
    }
  }

  /// Asked after the handler, which may have waited: a server that stops says so as soon as it can.
  private func persistence(for request: RequestHead, _ mayKeep: Bool) -> ResponseHeadWriter.Persistence {
    mayKeep && !isStopping ? ResponseHeadWriter.Persistence(for: request) : .closed
  }

  // MARK: What is no representation

  private func send(
    _ document: HTTPDocument, contentRangeLength: UInt64? = nil, to request: RequestHead?,
    _ persistence: ResponseHeadWriter.Persistence
  ) async -> Outcome {
    let hasBody = !document.status.forbidsBody
    let date = heads.currentDate()
    let head = heads.write { head in
      head.begin(date: date, persistence)
      head.status(document.status)
      if let contentRangeLength { head.contentRange(nil, length: contentRangeLength) }
      for field in document.fields { head.field(field.name, field.value) }
      if hasBody {
        if document.bytes.count > 0 { head.field("Content-Type", document.mediaType) }
        head.field("Content-Length", UInt64(document.bytes.count))
      }
      head.end()
    } _: { head in
      Array(head[...])
    }
    let sendsBody = hasBody && request?.method != .head
    var outcome = Outcome(status: document.status, bodyByteCount: sendsBody ? UInt64(document.bytes.count) : 0)
    var writer = ResponseWriter(stream, idle: writingIdle)
    do throws(SendError) {
      try await writer.append(head)
      if sendsBody { try await writer.append(document.bytes) }
      try await writer.endTurn(hasMore: false)
    } catch {
      note(error, writer, headByteCount: head.count, in: &outcome)
    }
    return outcome
  }

  private func note(_ failure: SendError, _ writer: ResponseWriter, headByteCount: Int, in outcome: inout Outcome) {
    outcome.isCutOff = true
    outcome.bodyByteCount = writer.sentBodyByteCount(behind: headByteCount)
    if case .stream(let error) = failure { outcome.failure = error }
  }

  // MARK: Representations

  private func send(
    _ body: any ResponseBody, _ fields: [(name: StaticString, value: String)], to request: RequestHead,
    _ persistence: ResponseHeadWriter.Persistence
  ) async -> Outcome {
    let date = heads.currentDate()
    let plan = ResponsePlan(for: request, of: body.metadata, now: date.unixSeconds)
    switch plan.content {
    case .unsatisfiable(let length):
      let document = handler.document(for: .rangeNotSatisfiable(length: length))
      return await send(document, contentRangeLength: length, to: request, persistence)
    case .preconditionFailed:
      return await send(handler.document(for: .preconditionFailed), to: request, persistence)
    case .none, .whole, .range, .multipart: break
    }
    var outcome = Outcome(status: plan.status, bodyByteCount: plan.bodyByteCount)
    var writer = ResponseWriter(stream, idle: writingIdle)
    let headByteCount = writeHead(of: plan, fields, date, persistence, into: &writer)
    do throws(SendError) {
      switch plan.content {
      case .whole: try await add(0..<body.metadata.length, of: body, to: &writer)
      case .range(let range): try await add(range, of: body, to: &writer)
      case .multipart(let parts):
        for part in parts.parts {
          switch part {
          case .bytes(let bytes): try await writer.append(bytes)
          case .range(let range):
            body.begin(range)
            try await writer.append(range, of: body, heldIn: heldDocuments)
          }
        }
      case .none, .unsatisfiable, .preconditionFailed: break
      }
      // The last of it may wait for its peer; the rest is not wanted any more.
      body.releaseMemory()
      if try !writer.sendTurn() { try await writer.flush() }
    } catch {
      if case .body(let failure) = error {
        handler.noteFailure(of: body, failure, answering: request)
        if !writer.hasSent {
          // Nothing has left yet, so the answer can still be an honest one; else only cutting it off is.
          writer.discard()
          return await send(handler.document(for: .bodyFailed(failure)), to: request, persistence)
        }
      }
      note(error, writer, headByteCount: headByteCount, in: &outcome)
    }
    return outcome
  }

  /// Most ranges are at hand and fit into a turn: for them there is no wait.
  private func add(
    _ range: Range<UInt64>, of body: any ResponseBody, to writer: inout ResponseWriter
  ) async throws(SendError) {
    body.begin(range)
    let start = range.lowerBound + (try writer.fill(range, of: body))
    if start < range.upperBound { try await writer.append(start..<range.upperBound, of: body, heldIn: heldDocuments) }
  }

  private func report(_ outcome: Outcome, _ request: RequestHead?, _ stopwatch: Stopwatch) {
    handler.log(
      HTTPExchange(
        peer: stream.peer, client: stream.client?.name, request: request, status: outcome.status,
        byteCount: outcome.bodyByteCount,
        duration: stopwatch.elapsed, isCutOff: outcome.isCutOff, wasHeld: wasHeld))
  }
}

extension ResponsePlan {
  /// Of the body that goes out, in bytes.
  fileprivate var bodyByteCount: UInt64 {
    switch content {
    case .whole, .range, .multipart: contentLength ?? 0
    case .none, .unsatisfiable, .preconditionFailed: 0
    }
  }
}
