#if canImport(Network)
internal import FootageFetching
internal import FootageBase
internal import FootageHTTP
internal import FootageSystem

/// One player's connection: requests out of its bytes, and answers into them (RFC 9112). Belongs to its executor's queue.
final class ProxyConnection {
  private let bytes: any PlayerConnection
  private let executor: QueueExecutor
  private let answers: ProxyAnswers
  /// That it came by.
  private let port: UInt16
  private var parser = RequestHeadParser()
  private var head = ResponseHeadWriter()
  /// Received, and not looked at yet.
  private var inbox: [UInt8] = []
  /// Whether it has shown a token.
  private(set) var isLetIn = false

  // Safe because the text is a constant.
  private static let commonFields = unsafe Array(
    UnsafeBufferPointer(start: ProxyAnswers.commonFields.utf8Start, count: ProxyAnswers.commonFields.utf8CodeUnitCount))

  /// What is to be answered.
  enum Wish {
    case request(RequestHead)
    /// What came is no request; nothing follows.
    case refused(MessageRefusal)
  }

  init(_ bytes: any PlayerConnection, at port: UInt16, on executor: QueueExecutor, _ answers: ProxyAnswers) {
    self.bytes = bytes
    self.port = port
    self.executor = executor
    self.answers = answers
  }

  func abort() { bytes.abort() }

  func close() { bytes.close() }

  /// Waits for a request; nil where none comes in time, or the player has left.
  ///
  /// - Parameter patience: by when the first one has to be there.
  func nextRequest(until patience: Deadline) async -> Wish? {
    var deadline = isLetIn ? bytes.clock.deadline(after: ProxyLimits.idle) : patience
    var hasBegun = false
    while true {
      if !inbox.isEmpty {
        switch parser.parse(inbox.borrowedSpan) {
        case .incomplete: break
        case .refused(let refusal): return .refused(refusal)
        case .complete(let request, let byteCount):
          inbox.removeFirst(byteCount)
          isLetIn = isLetIn || answers.refusal(of: request, port: port) == nil
          return .request(request)
        }
        if !hasBegun, isLetIn { deadline = bytes.clock.deadline(after: ProxyLimits.request) }
        hasBegun = true
      }
      do throws(ConnectionError) {
        // Safe because the bytes are lent for the call, and copied.
        let isOpen = unsafe try await bytes.receive(until: deadline) { unsafe inbox.append(contentsOf: $0) }
        guard isOpen else { return nil }
      } catch { return nil }
    }
  }

  /// Sends the answer, whatever it is.
  ///
  /// - Returns: whether another request may follow.
  func answer(_ wish: Wish) async -> Bool {
    let date = DateField(unixSeconds: bytes.clock.unixSeconds, followedBy: Self.commonFields)
    switch wish {
    case .refused(let refusal):
      head.begin(date: date, .closed)
      await send(HTTPProblem.message(refusal).document, answering: nil)
      return false
    case .request(let request):
      // Nobody who plays has anything to say: what follows the head is not waited for.
      var persistence = ResponseHeadWriter.Persistence(for: request)
      if case .none = request.body {} else { persistence = .closed }
      if let refusal = answers.refusal(of: request, port: port) {
        head.begin(date: date, .closed)
        await send(refusal, answering: request)
        return false
      }
      head.begin(date: date, persistence)
      let isWhole: Bool
      switch await answers.response(to: request) {
      case .document(let document): isWhole = await send(document, answering: request)
      case .representation(let body, let fields):
        isWhole = await send(body, fields, answering: request, date, persistence)
      }
      return isWhole && persistence != .closed
    }
  }

  // MARK: Sending

  /// - Returns: whether all of it went out.
  @discardableResult
  private func send(
    _ document: HTTPDocument, contentRangeLength: UInt64? = nil, answering request: RequestHead?
  ) async -> Bool {
    head.status(document.status)
    if let contentRangeLength { head.contentRange(nil, length: contentRangeLength) }
    for field in document.fields { head.field(field.name, field.value) }
    if !document.status.forbidsBody {
      if !document.bytes.isEmpty { head.field("Content-Type", document.mediaType) }
      head.field("Content-Length", UInt64(document.bytes.count))
    }
    head.end()
    let sendsBody = !document.status.forbidsBody && request?.method != .head
    return await send(head.bytes + (sendsBody ? document.bytes : []))
  }

  private func send(
    _ body: any ResponseBody, _ fields: [(name: StaticString, value: String)], answering request: RequestHead,
    _ date: DateField, _ persistence: ResponseHeadWriter.Persistence
  ) async -> Bool {
    let plan = ResponsePlan(for: request, of: body.metadata, now: date.unixSeconds)
    switch plan.content {
    case .unsatisfiable(let length):
      return await send(
        HTTPProblem.rangeNotSatisfiable(length: length).document, contentRangeLength: length, answering: request)
    case .preconditionFailed: return await send(HTTPProblem.preconditionFailed.document, answering: request)
    case .none, .whole, .range, .multipart: break
    }
    // What stands before the first of the recording's bytes: nothing has left as long as it is here.
    var unsent = Pending(head: { [self] in
      plan.writeHead(into: &head)
      for field in fields { head.field(field.name, field.value) }
      head.end()
      return head.bytes
    })
    do throws(SendFailure) {
      switch plan.content {
      case .none: break
      case .whole: try await send(0..<body.metadata.length, of: body, &unsent)
      case .range(let range): try await send(range, of: body, &unsent)
      case .multipart(let parts):
        for slice in parts.composition.slices {
          switch slice {
          case .literal(let literal): unsent.bytes += literal
          case .range(_, let range): try await send(range, of: body, &unsent)
          }
        }
      case .unsatisfiable, .preconditionFailed: break
      }
      try await flush(&unsent)
      return true
    } catch {
      guard case .body(let failure) = error, !unsent.hasLeft else {
        // Cut off: nobody may take what has left for the whole.
        bytes.abort()
        return false
      }
      head.begin(date: date, persistence)
      return await send(ProxyAnswers.document(for: failure), answering: request)
    }
  }

  /// What is to leave next.
  private struct Pending {
    var bytes: [UInt8] = []
    private(set) var hasLeft = false
    private let head: () -> [UInt8]

    init(head: @escaping () -> [UInt8]) { self.head = head }

    mutating func take() -> [UInt8] {
      let start = hasLeft ? [] : head()
      hasLeft = true
      defer { bytes = [] }
      return start + bytes
    }
  }

  private enum SendFailure: Error {
    case body(ResponseBodyError)
    case connection
  }

  private func send(_ range: Range<UInt64>, of body: any ResponseBody, _ unsent: inout Pending)
    async throws(SendFailure)
  {
    body.begin(range)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = Int(min(UInt64(ProxyLimits.turn), range.upperBound - offset))
      let piece = try await read(wanted, at: offset, of: body)
      unsent.bytes += piece
      offset += UInt64(piece.count)
      try await flush(&unsent)
    }
  }

  private func read(
    _ count: Int, at offset: UInt64, of body: any ResponseBody
  ) async throws(SendFailure) -> [UInt8] {
    do throws(ResponseBodyError) {
      var piece = [UInt8](repeating: 0, count: count)
      // Safe because the buffer is the array's own.
      let atHand = try unsafe piece.withUnsafeMutableBufferPointer { (buffer) throws(ResponseBodyError) in
        unsafe try body.readImmediately(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      }
      if atHand > 0 { return Array(piece.prefix(atHand)) }
      let watch = Watch(bytes, on: executor) { body.giveUp() }
      defer { watch.end() }
      return try await body.read(at: offset, count: count)
    } catch { throw .body(error) }
  }

  private func flush(_ unsent: inout Pending) async throws(SendFailure) {
    guard await send(unsent.take()) else { throw .connection }
  }

  /// - Returns: whether the player took it.
  private func send(_ content: [UInt8]) async -> Bool {
    var rest = content[...]
    do throws(ConnectionError) {
      while !rest.isEmpty {
        let piece = rest.prefix(ProxyLimits.turn)
        rest = rest.dropFirst(piece.count)
        // Safe because the array lends its storage for the call.
        let isSent = try unsafe piece.withUnsafeBufferPointer { (piece) throws(ConnectionError) in
          unsafe try bytes.send(UnsafeRawBufferPointer(piece))
        }
        if !isSent { try await bytes.flush(idle: ProxyLimits.writing) }
      }
      return true
    } catch {
      bytes.abort()
      return false
    }
  }

  /// Looks now and then whether a player is still there while something else is waited for.
  private final class Watch {
    private let bytes: any PlayerConnection
    private let executor: QueueExecutor
    private let action: () -> Void
    private var timer: (any ConnectionTimer)?

    init(_ bytes: any PlayerConnection, on executor: QueueExecutor, _ action: @escaping () -> Void) {
      self.bytes = bytes
      self.executor = executor
      self.action = action
      look()
    }

    func end() { timer?.cancel() }

    private func look() {
      guard !bytes.hasEnded else { return action() }
      timer = executor.timer(at: executor.clock.deadline(after: ProxyLimits.look)) { [weak self] in self?.look() }
    }
  }
}
#endif
