internal import FootageBase
internal import FootageFetching
internal import FootageHTTP
internal import FootageSystem

/// The connection of one player: it reads requests and sends answers (RFC 9112). It belongs to its executor's thread.
final class ProxyConnection {
  private let bytes: any PlayerConnection
  private let player: PlayerUsers.Player
  private let executor: any ConnectionExecutor
  private let answers: ProxyAnswers
  private let buffer: SendBuffer
  /// The port at which the connection arrived.
  private let port: UInt16
  private var parser = RequestHeadParser()
  private var head = ResponseHeadWriter()
  /// The bytes that were received but not parsed yet.
  private var inbox: [UInt8] = []
  /// True if a request of the player has been accepted, which requires a valid token.
  private(set) var isLetIn = false
  /// The time since which the player has sent no request; nil while a request is being answered, or before the first
  /// accepted request.
  private(set) var idleSince: Deadline?
  /// The time from which the connection may be closed to make room for another one, because the player receives
  /// nothing; nil while the player receives what is sent.
  private(set) var takesNothingUntil: Deadline?

  // Safe because the text is a constant.
  private static let commonFields = unsafe Array(
    UnsafeBufferPointer(start: ProxyAnswers.commonFields.utf8Start, count: ProxyAnswers.commonFields.utf8CodeUnitCount))

  /// A message of the player that must be answered.
  private enum Wish {
    case request(RequestHead)
    /// The bytes are not a request. The connection ends after the answer.
    case refused(MessageRefusal)
  }

  init(
    _ bytes: any PlayerConnection, of player: PlayerUsers.Player, at port: UInt16, on executor: any ConnectionExecutor,
    _ answers: ProxyAnswers, _ buffer: SendBuffer
  ) {
    self.bytes = bytes
    self.player = player
    self.executor = executor
    self.port = port
    self.answers = answers
    self.buffer = buffer
  }

  func abort() { bytes.abort() }

  /// Answers one request after another, until the player leaves or the connection must close.
  ///
  /// - Parameter patience: the time by which the first request must have arrived.
  func run(patience: Deadline) async {
    var answerCount = 0
    while let wish = await nextWish(until: patience) {
      // Bytes that the player still sends must not cause the answer to be lost.
      guard await answer(wish) else { return await bytes.lingeringClose() }
      answerCount += 1
      // A player that has asked for much at once must not keep the others waiting.
      if !inbox.isEmpty || answerCount % ProxyLimits.answersInARow == 0 { await executor.yield() }
    }
    bytes.close()
  }

  /// Returns the next request, and waits for it; nil if none arrives in time, or the player has left.
  private func nextWish(until patience: Deadline) async -> Wish? {
    var deadline = isLetIn ? bytes.clock.deadline(after: ProxyLimits.idle) : patience
    var hasBegun = false
    if isLetIn { idleSince = bytes.clock.now }
    defer { idleSince = nil }
    while true {
      if !inbox.isEmpty {
        switch parser.parse(inbox.borrowedSpan) {
        case .incomplete: break
        case .refused(let refusal): return .refused(refusal)
        case .complete(let request, let byteCount):
          inbox.removeFirst(byteCount)
          if inbox.isEmpty { inbox = [] }
          return .request(request)
        }
        if !hasBegun, isLetIn { deadline = bytes.clock.deadline(after: ProxyLimits.request) }
        hasBegun = true
        idleSince = nil
      }
      do throws(ConnectionError) {
        // Safe because the bytes are lent for the call, and copied.
        let isOpen = unsafe try await bytes.receive(until: deadline) { unsafe inbox.append(contentsOf: $0) }
        guard isOpen else { return nil }
      } catch { return nil }
    }
  }

  /// Sends the answer to a message, whether it is a response or a refusal.
  ///
  /// - Returns: true if another request may follow.
  private func answer(_ wish: Wish) async -> Bool {
    let date = DateField(unixSeconds: bytes.clock.unixSeconds, followedBy: Self.commonFields)
    switch wish {
    case .refused(let refusal):
      head.begin(date: date, .closed)
      await send(HTTPProblem.message(refusal).document, answering: nil)
      return false
    case .request(let request):
      // A player has nothing to say in a body: bytes after the head are not waited for.
      var persistence = ResponseHeadWriter.Persistence(for: request)
      if case .none = request.body {} else { persistence = .closed }
      if let refusal = await refusal(of: request) {
        head.begin(date: date, .closed)
        await send(refusal, answering: request)
        return false
      }
      isLetIn = true
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

  /// Returns the answer that refuses a request; nil if the request is accepted. It checks the host, the token and the
  /// user, in this order, since each check costs more than the one before.
  private func refusal(of request: RequestHead) async -> HTTPDocument? {
    if let refusal = answers.refusal(of: request, port: port) { return refusal }
    guard answers.place(named: request)?.letsOthersIn != true else { return nil }
    return await player.refusal()
  }

  // MARK: Sending

  /// - Returns: true if the whole document was sent.
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
    do throws(ConnectionError) {
      try await send(head.bytes + (sendsBody ? document.bytes : []))
      return true
    } catch {
      bytes.abort()
      return false
    }
  }

  /// - Returns: true if the whole body was sent.
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
    plan.writeHead(into: &head)
    for field in fields { head.field(field.name, field.value) }
    head.end()
    var pending = Pending(head.bytes)
    do throws(SendFailure) {
      switch plan.content {
      case .whole: try await send(0..<body.metadata.length, of: body, behind: &pending)
      case .range(let range): try await send(range, of: body, behind: &pending)
      case .multipart(let parts):
        for slice in parts.composition.slices {
          switch slice {
          case .literal(let literal): pending.bytes += literal
          case .range(_, let range): try await send(range, of: body, behind: &pending)
          }
        }
      case .none, .unsatisfiable, .preconditionFailed: break
      }
      try await flush(&pending)
      return true
    } catch {
      guard case .body(let failure) = error, !pending.hasLeft else {
        // The connection is cut off, so that the player does not mistake a part for the whole.
        bytes.abort()
        return false
      }
      head.begin(date: date, persistence)
      return await send(ProxyAnswers.document(for: failure), answering: request)
    }
  }

  /// The bytes that precede the next bytes of the recording, and are sent together with them.
  private struct Pending {
    var bytes: [UInt8]
    private(set) var hasLeft = false

    init(_ head: [UInt8]) { bytes = head }

    mutating func leave() {
      bytes.removeAll()
      hasLeft = true
    }
  }

  private enum SendFailure: Error {
    case body(ResponseBodyError)
    case connection
  }

  private func send(
    _ range: Range<UInt64>, of body: any ResponseBody, behind pending: inout Pending
  ) async throws(SendFailure) {
    body.begin(range)
    var offset = range.lowerBound
    while offset < range.upperBound {
      if pending.bytes.count >= bytes.turnByteCount / 2 { try await flush(&pending) }
      let (count, isSent) = try sendAtHand(offset..<range.upperBound, of: body, behind: &pending)
      offset += UInt64(count)
      if count == 0 {
        let before = pending.bytes.count
        let wanted = Int(min(UInt64(bytes.turnByteCount), range.upperBound - offset))
        pending.bytes += try await wait(for: wanted, at: offset, of: body)
        offset += UInt64(pending.bytes.count - before)
        try await flush(&pending)
      } else if !isSent {
        try await flushSent()
      } else if offset < range.upperBound {
        // A player that takes all at once must not keep the others waiting.
        await executor.yield()
      }
    }
  }

  /// Sends the available bytes of a range, after any pending bytes.
  ///
  /// - Returns: the number of bytes of the range that were passed to the connection, 0 if none is available yet; and
  ///   true if the connection has sent all that it was passed.
  private func sendAtHand(
    _ range: Range<UInt64>, of body: any ResponseBody, behind pending: inout Pending
  ) throws(SendFailure) -> (count: Int, isSent: Bool) {
    let start = pending.bytes.count
    let room = max(1, min(ProxyLimits.turn, bytes.turnByteCount) - start)
    let wanted = Int(min(UInt64(room), range.upperBound - range.lowerBound))
    let count: Int
    do throws(ResponseBodyError) {
      // Safe because the buffer has room for a turn, and the start is shorter than that.
      count = unsafe try body.readImmediately(
        at: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[start..<(start + wanted)]))
    } catch { throw .body(error) }
    guard count > 0 else { return (0, true) }
    // Safe because the start is as long as what is copied there.
    unsafe buffer.bytes.copyBytes(from: pending.bytes)
    pending.leave()
    do throws(ConnectionError) {
      // Safe because these bytes were filled just now.
      return (count, unsafe try bytes.send(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<(start + count)])))
    } catch { throw .connection }
  }

  /// Returns bytes, and waits for them until the player leaves.
  private func wait(for count: Int, at offset: UInt64, of body: any ResponseBody) async throws(SendFailure) -> [UInt8] {
    bytes.onEnd { body.giveUp() }
    defer { bytes.onEnd(nil) }
    do throws(ResponseBodyError) {
      let piece = try await body.read(at: offset, count: count)
      guard !piece.isEmpty, piece.count <= count else {
        throw .unreadable("no bytes, or more than requested, were read")
      }
      return piece
    } catch { throw .body(error) }
  }

  private func flush(_ pending: inout Pending) async throws(SendFailure) {
    let content = pending.bytes
    pending.leave()
    do throws(ConnectionError) { try await send(content) } catch { throw .connection }
  }

  private func flushSent() async throws(SendFailure) {
    do throws(ConnectionError) { try await waitForPlayer() } catch { throw .connection }
  }

  private func send(_ content: consuming [UInt8]) async throws(ConnectionError) {
    var rest = content
    while !rest.isEmpty {
      let count = min(rest.count, bytes.turnByteCount)
      // Safe because the array lends its storage for the call.
      let isSent = try unsafe rest.withUnsafeBufferPointer { (whole) throws(ConnectionError) in
        unsafe try bytes.send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(whole)[..<count]))
      }
      // Bytes that were sent are not kept for a slow player.
      rest = Array(rest.dropFirst(count))
      if !isSent { try await waitForPlayer() }
    }
  }

  /// Waits until the player has received the bytes that are still to be sent, for as long as a player may pause.
  private func waitForPlayer() async throws(ConnectionError) {
    takesNothingUntil = bytes.clock.deadline(after: ProxyLimits.stalled)
    defer { takesNothingUntil = nil }
    try await bytes.flush(idle: ProxyLimits.writing)
  }
}
