internal import FootageBase
internal import FootageHTTP
internal import FootageSystem

/// The sending of one answer. The answer is planned, its head is written, and its bytes are sent turn by turn (RFC 9110
/// §14, §15).
///
/// An exchange knows how answers are sent. It knows nothing about how requests arrive or what follows on the
/// connection.
struct Exchange {
  /// The result of an exchange that has ended.
  struct Outcome {
    var status: HTTPStatus
    /// The size of the body, without the head, in bytes.
    var bodyByteCount: UInt64
    var isCutOff = false
    /// The failure of the connection during the exchange. Usually the peer has closed the connection, because it needs
    /// no more.
    var failure: StreamError?
  }

  /// The content that is sent.
  private enum Message {
    /// - contentRangeLength: the length of the resource, which the answer states if the requested range is outside it
    ///   (416); nil in other answers.
    case document(HTTPDocument, contentRangeLength: UInt64?)
    case representation(any ResponseBody, ResponsePlan, fields: [(name: StaticString, value: String)])
  }

  /// The request; nil if the received bytes could not be read as one.
  private let request: RequestHead?
  private let stream: Stream
  private let environment: HTTPConnection.Environment
  /// The longest time in which the peer may accept no byte.
  private let idle: Duration
  /// The pace of the connection; nil if nothing limits the rate.
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

  /// Sends an answer that needs no wait: a small range whose bytes are in memory.
  ///
  /// - Returns: the outcome, and true if the socket has accepted everything; nil if nothing was done.
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
      // A body that cannot be read is answered the long way, which reports the error. Nothing has been sent yet.
      guard case .stream = error else { return nil }
      note(error, writer, headByteCount: headByteCount, in: &outcome)
      return (outcome, false)
    }
  }

  /// Sends an answer of any kind to its end.
  func send(_ response: HTTPResponse, _ persistence: ResponseHeadWriter.Persistence) async -> Outcome {
    let date = environment.heads.currentDate()
    return await send(message(for: response, at: date), date, persistence)
  }

  private func message(for response: HTTPResponse, at date: DateField) -> Message {
    switch response {
    case .document(let document): return .document(document, contentRangeLength: nil)
    case .representation(let body, let fields):
      guard let request else {
        // No request asks for a representation.
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
    // This precedes the head, because gathered bytes may not wait.
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
          // Nothing has been sent yet, so the answer can still be an honest one. Otherwise the only honest end is to
          // cut it off.
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

  /// - Returns: the length of the head in bytes.
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

  /// Writes the content that follows the head. The last turn stays in the writer, to be sent by the caller.
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
      // The last turn may still wait for its peer. The rest of the body is no longer needed.
      body.releaseMemory()
    }
  }

  /// Adds a range of a body. The bytes of most ranges are in memory and fit into a turn, so that there is no wait.
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
  /// The size of the body that is sent, in bytes.
  fileprivate var bodyByteCount: UInt64 {
    switch content {
    case .whole, .range, .multipart: contentLength ?? 0
    case .none, .unsatisfiable, .preconditionFailed: 0
    }
  }
}
