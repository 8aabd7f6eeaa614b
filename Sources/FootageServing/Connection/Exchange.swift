internal import FootageBase
internal import FootageHTTP
internal import FootageSystem

/// An answer on its way: what it is made of is planned, its head written, and all of it sent turn after turn (RFC 9110
/// §14, §15).
///
/// It knows how answers leave, and nothing of how requests come, nor of what follows on the connection.
struct Exchange {
  /// What is known of it once it is over.
  struct Outcome {
    var status: HTTPStatus
    /// Of the body, without the head, in bytes.
    var bodyByteCount: UInt64
    var isCutOff = false
    /// What happened to the connection over it, most often a peer that has seen enough.
    var failure: StreamError?
  }

  /// What is sent.
  private enum Message {
    /// - contentRangeLength: of what there was no such range of (416).
    case document(HTTPDocument, contentRangeLength: UInt64?)
    case representation(any ResponseBody, ResponsePlan, fields: [(name: StaticString, value: String)])
  }

  /// Nil where what came could not be read as one.
  private let request: RequestHead?
  private let stream: Stream
  private let environment: HTTPConnection.Environment
  /// How long the peer may take nothing of it.
  private let idle: Duration
  /// Nil where nothing limits the rate.
  private let pace: ConnectionPace?

  init(
    of request: RequestHead?, over stream: Stream, in environment: HTTPConnection.Environment, idle: Duration,
    pace: ConnectionPace?
  ) {
    self.request = request
    self.stream = stream
    self.environment = environment
    self.idle = idle
    self.pace = pace
  }

  // MARK: Sending

  /// Sends what needs no wait: a small range that is at hand.
  ///
  /// - Returns: what became of it, and whether the socket has taken all; nil where nothing was done.
  func sendAtOnce(
    _ body: any ResponseBody, _ persistence: ResponseHeadWriter.Persistence
  ) -> (outcome: Outcome, isSent: Bool)? {
    guard let request else { return nil }
    let date = environment.heads.currentDate()
    let plan = ResponsePlan(for: request, of: body.metadata, now: date.unixSeconds)
    let range: Range<UInt64>
    switch plan.content {
    case .none: range = 0..<0
    case .range(let asked) where asked.upperBound - asked.lowerBound < UInt64(stream.turnByteCount / 2): range = asked
    default: return nil
    }
    if let pace, !pace.mayAnswerAtOnce(with: range.upperBound - range.lowerBound) { return nil }
    var writer = ResponseWriter(stream, idle: idle, pace: pace)
    let headByteCount = writeHead(of: plan, [], date, persistence, into: &writer)
    var outcome = Outcome(status: plan.status, bodyByteCount: plan.bodyByteCount)
    do throws(SendError) {
      guard try writer.fill(range, of: body) == range.upperBound - range.lowerBound else { return nil }
      return (outcome, try writer.sendTurn())
    } catch {
      // A body that cannot be read is answered by the long way, which says so: nothing of it has left.
      guard case .stream = error else { return nil }
      note(error, writer, headByteCount: headByteCount, in: &outcome)
      return (outcome, false)
    }
  }

  /// Sends an answer, whatever it is, to its end.
  func send(_ response: HTTPResponse, _ persistence: ResponseHeadWriter.Persistence) async -> Outcome {
    let date = environment.heads.currentDate()
    return await send(message(for: response, at: date), date, persistence)
  }

  private func message(for response: HTTPResponse, at date: DateField) -> Message {
    switch response {
    case .document(let document): return .document(document, contentRangeLength: nil)
    case .representation(let body, let fields):
      guard let request else {
        // Nobody asks for one.
        let document = environment.handler.document(for: .bodyFailed(.unreadable("there was no request")))
        return .document(document, contentRangeLength: nil)
      }
      let plan = ResponsePlan(for: request, of: body.metadata, now: date.unixSeconds)
      switch plan.content {
      case .unsatisfiable(let length):
        return .document(
          environment.handler.document(for: .rangeNotSatisfiable(length: length)), contentRangeLength: length)
      case .preconditionFailed:
        return .document(environment.handler.document(for: .preconditionFailed), contentRangeLength: nil)
      case .none, .whole, .range, .multipart: return .representation(body, plan, fields: fields)
      }
    }
  }

  private func send(
    _ message: Message, _ date: DateField, _ persistence: ResponseHeadWriter.Persistence
  ) async -> Outcome {
    var outcome = self.outcome(of: message)
    // Before the head: what is gathered may not wait.
    if let pace { await pace.begin(answerOf: outcome.bodyByteCount) }
    var writer = ResponseWriter(stream, idle: idle, pace: pace)
    let headByteCount = writeHead(of: message, date, persistence, into: &writer)
    do throws(SendError) {
      try await writeContent(of: message, into: &writer)
      if try !writer.sendTurn() { try await writer.flush() }
    } catch {
      if case .representation(let body, _, _) = message, case .body(let failure) = error, let request {
        environment.handler.noteFailure(of: body, failure, answering: request)
        if !writer.hasSent {
          // Nothing has left yet, so the answer can still be an honest one; else only cutting it off is.
          writer.discard()
          let document = environment.handler.document(for: .bodyFailed(failure))
          return await send(.document(document, contentRangeLength: nil), date, persistence)
        }
      }
      note(error, writer, headByteCount: headByteCount, in: &outcome)
    }
    return outcome
  }

  private func outcome(of message: Message) -> Outcome {
    switch message {
    case .document(let document, _):
      Outcome(status: document.status, bodyByteCount: sendsBody(of: document) ? UInt64(document.bytes.count) : 0)
    case .representation(_, let plan, _): Outcome(status: plan.status, bodyByteCount: plan.bodyByteCount)
    }
  }

  private func sendsBody(of document: HTTPDocument) -> Bool {
    !document.status.forbidsBody && request?.method != .head
  }

  private func note(_ error: SendError, _ writer: ResponseWriter, headByteCount: Int, in outcome: inout Outcome) {
    outcome.isCutOff = true
    outcome.bodyByteCount = writer.sentBodyByteCount(behind: headByteCount)
    if case .stream(let failure) = error { outcome.failure = failure }
  }

  // MARK: Heads

  /// - Returns: how many bytes it has.
  private func writeHead(
    of message: Message, _ date: DateField, _ persistence: ResponseHeadWriter.Persistence,
    into writer: inout ResponseWriter
  ) -> Int {
    switch message {
    case .representation(_, let plan, let fields): writeHead(of: plan, fields, date, persistence, into: &writer)
    case .document(let document, let contentRangeLength):
      environment.heads.write { head in
        head.begin(date: date, persistence)
        head.status(document.status)
        writeCrossOriginFields(into: &head)
        if let contentRangeLength { head.contentRange(nil, length: contentRangeLength) }
        for field in document.fields { head.field(field.name, field.value) }
        if !document.status.forbidsBody {
          if document.bytes.count > 0 { head.field("Content-Type", document.mediaType) }
          head.field("Content-Length", UInt64(document.bytes.count))
        }
        head.end()
      } _: { head in
        writer.fill(head[...])
      }
    }
  }

  private func writeHead(
    of plan: ResponsePlan, _ fields: [(name: StaticString, value: String)], _ date: DateField,
    _ persistence: ResponseHeadWriter.Persistence, into writer: inout ResponseWriter
  ) -> Int {
    environment.heads.write { head in
      head.begin(date: date, persistence)
      plan.writeHead(into: &head)
      writeCrossOriginFields(into: &head)
      for field in fields { head.field(field.name, field.value) }
      head.end()
    } _: { head in
      writer.fill(head[...])
    }
  }

  private func writeCrossOriginFields(into head: inout ResponseHeadWriter) {
    if let policy = environment.crossOriginPolicy { head.lines(policy.fields(answering: request)) }
  }

  // MARK: Content

  /// Writes what follows the head; what is left in the writer is the last turn.
  private func writeContent(of message: Message, into writer: inout ResponseWriter) async throws(SendError) {
    switch message {
    case .document(let document, _): if sendsBody(of: document) { try await writer.append(document.bytes[...]) }
    case .representation(let body, let plan, _):
      switch plan.content {
      case .whole: try await add(0..<body.metadata.length, of: body, to: &writer)
      case .range(let range): try await add(range, of: body, to: &writer)
      case .multipart(let parts):
        for slice in parts.composition.slices {
          switch slice {
          case .literal(let bytes): try await writer.append(bytes)
          case .range(_, let range):
            body.begin(range)
            try await writer.append(range, of: body, within: environment.documentBudget)
          }
        }
      case .none, .unsatisfiable, .preconditionFailed: break
      }
      // The last of it may wait for its peer; the rest is not wanted any more.
      body.releaseMemory()
    }
  }

  /// Most ranges are at hand and fit into a turn: for them there is no wait.
  private func add(
    _ range: Range<UInt64>, of body: any ResponseBody, to writer: inout ResponseWriter
  ) async throws(SendError) {
    body.begin(range)
    let start = range.lowerBound + (try writer.fill(range, of: body))
    guard start < range.upperBound else { return }
    try await writer.append(start..<range.upperBound, of: body, within: environment.documentBudget)
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
