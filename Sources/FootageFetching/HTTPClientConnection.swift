internal import FootageBase
internal import FootageHTTP
internal import FootageSystem

/// A connection to a server that carries one request after another, one at a time. Belongs to its executor's thread.
/// After an error it is closed.
final class HTTPClientConnection: PooledConnection {
  private let stream: any ByteConnection
  private let limits: ClientLimits
  private var parser = ResponseHeadParser()
  private var head = RequestHeadWriter()
  /// The received bytes that have not been processed yet.
  private var inbox: [UInt8] = []
  private var body = Body.none
  private var stall: MinimumRateTimeout
  /// True if the server keeps the connection open after this response.
  private var keepsAlive = false

  /// The progress of the current response's body.
  private enum Body {
    case none
    /// This many bytes are outstanding, at least 1.
    case length(UInt64)
    case chunked(ChunkedBodyDecoder)
    case untilClose
  }

  /// True if the connection has waited for a request. The server may have closed it at any moment since.
  var wasKept = false
  /// The number of bytes that the stream had sent before the current request.
  private var sentBefore: UInt64 = 0
  /// The number of heads with status 1xx before the current response.
  private var interimCount = 0
  /// True if at least one byte of the current response has arrived.
  private(set) var hasReceived = false
  /// True while a task waits for a head or for the next bytes of a body.
  private(set) var isBeingReadFrom = false

  init(_ stream: any ByteConnection, limits: ClientLimits) {
    self.stream = stream
    self.limits = limits
    stall = MinimumRateTimeout(limits)
  }

  func abort() { stream.abort() }

  /// Closes the connection in an orderly way, between two requests.
  func close() { stream.close() }

  /// True while the body of the response is not complete.
  var hasBody: Bool { if case .none = body { false } else { true } }

  /// True if the response is complete and another request may follow.
  var isReusable: Bool {
    guard !hasBody else { return false }
    // The server has sent bytes after a response that nothing asked for. It is not trusted with another request.
    return keepsAlive && inbox.isEmpty
  }

  /// Returns true if nothing has arrived on the connection since its last response. Messages of TLS itself are
  /// processed and do not count.
  func isQuiet() -> Bool { !stream.takeNews() }

  // MARK: Head

  /// Sends a request and waits for the head of its response.
  ///
  /// A final response, usually an error, may arrive before all of the body was sent. The rest of the body is then not
  /// sent, and the connection carries no other request (RFC 9112 §9.5).
  func send(_ request: HTTPClientRequest, host: String) async throws(HTTPClientError) -> ResponseHead {
    isBeingReadFrom = true
    defer { isBeingReadFrom = false }
    hasReceived = false
    interimCount = 0
    do throws(MessageRefusal) { try request.writeHead(to: host, into: &head) } catch {
      throw .badRequest(error.description)
    }
    sentBefore = stream.handedOverByteCount
    if let early = try await sendRequest(request) {
      begin(early, answering: request.method)
      keepsAlive = false
      return early
    }
    let deadline = stream.clock.deadline(after: limits.head)
    while true {
      if let head = try finalHead() {
        begin(head, answering: request.method)
        return head
      }
      do throws(ConnectionError) { try await receive(until: deadline) } catch { throw failed(error, .head) }
    }
  }

  /// True if at least one byte of the last request may have reached the server.
  var hasSent: Bool { stream.handedOverByteCount != sentBefore }

  /// - Returns: the head of a final response that arrived before all of the request was sent; nil if none did.
  private func sendRequest(_ request: HTTPClientRequest) async throws(HTTPClientError) -> ResponseHead? {
    switch request.body {
    case .none:
      // The server does not answer before it has the request, so nothing is read while the head is sent.
      do throws(ConnectionError) {
        if try !hand(head.bytes[...]) { try await stream.flush(idle: limits.sending) }
      } catch {
        throw failed(error, .head)
      }
      return nil
    case .bytes(let bytes) where !request.expectsContinue && bytes.count <= Self.smallBody:
      // One segment instead of two.
      return try await send((head.bytes + bytes)[...])
    case .bytes, .source:
      if let early = try await send(head.bytes[...]) { return early }
      if request.expectsContinue, let early = try await waitForContinue() { return early }
    }
    switch request.body {
    case .none: return nil
    case .bytes(let bytes): return try await send(bytes[...])
    case .source(let source): return try await send(source)
    }
  }

  /// The size up to which a body is sent together with its head, in bytes.
  private static let smallBody = 16 * 1024

  private func send(_ source: any HTTPBodySource) async throws(HTTPClientError) -> ResponseHead? {
    var offset: UInt64 = 0
    while offset < source.length {
      let wanted = Int(min(UInt64(ClientLimits.turn), source.length - offset))
      let bytes: [UInt8]
      do throws(HTTPBodySourceError) { bytes = try await source.bytes(at: offset, count: wanted) } catch {
        abort()
        throw .bodyUnreadable(error.reason)
      }
      guard (1...wanted).contains(bytes.count) else {
        abort()
        throw .bodyUnreadable("expected 1 to \(wanted) bytes, received \(bytes.count)")
      }
      if let early = try await send(bytes[...]) { return early }
      offset += UInt64(bytes.count)
    }
    return nil
  }

  private func send(_ bytes: ArraySlice<UInt8>) async throws(HTTPClientError) -> ResponseHead? {
    var rest = bytes
    while !rest.isEmpty {
      if let early = try earlyHead() { return early }
      let piece = rest.prefix(ClientLimits.turn)
      rest = rest.dropFirst(piece.count)
      do throws(ConnectionError) {
        guard try !hand(piece) else { continue }
      } catch {
        return try answer(despite: error)
      }
      while true {
        do throws(ConnectionError) {
          guard try await !stream.flushUntilReadable(idle: limits.sending) else { break }
        } catch {
          return try answer(despite: error)
        }
        if let early = try earlyHead() { return early }
      }
    }
    return nil
  }

  /// - Returns: true if the system has accepted all of the bytes.
  private func hand(_ bytes: ArraySlice<UInt8>) throws(ConnectionError) -> Bool {
    // Safe because the array lends its storage for the call.
    unsafe try bytes.withUnsafeBufferPointer { (bytes) throws(ConnectionError) -> Bool in
      unsafe try stream.send(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Returns the head of a final response if it has already arrived.
  private func earlyHead() throws(HTTPClientError) -> ResponseHead? {
    while true {
      if let head = try finalHead() { return head }
      let received: ReceivedBytes
      do throws(ConnectionError) {
        received = unsafe try stream.receiveNow { unsafe inbox.append(contentsOf: $0) }
      } catch {
        throw failed(error, .head)
      }
      switch received {
      case .lent: hasReceived = true
      case .wouldBlock: return nil
      case .closed: throw failed(.closed, .head)
      }
    }
  }

  /// Returns the response that the server sent before it closed the connection. A server that refuses a request may
  /// close while the request is still being sent.
  private func answer(despite error: ConnectionError) throws(HTTPClientError) -> ResponseHead {
    switch error {
    case .closed, .broken:
      stream.expectBytes()
      if let head = try earlyHead() { return head }
    default: break
    }
    throw failed(error, .sending)
  }

  /// Waits until the server asks for the body, or until `ClientLimits.continuing` has passed.
  ///
  /// - Returns: the head of a final response, if that arrived instead.
  private func waitForContinue() async throws(HTTPClientError) -> ResponseHead? {
    let deadline = stream.clock.deadline(after: limits.continuing)
    while true {
      if let head = try finalHead() { return head }
      if interimCount > 0 { return nil }
      do throws(ConnectionError) { try await receive(until: deadline) } catch {
        if error == .deadlinePassed { return nil }
        throw failed(error, .head)
      }
    }
  }

  /// Returns the head of the final answer from the received bytes. Interim heads before it are skipped (RFC 9110
  /// §15.2).
  private func finalHead() throws(HTTPClientError) -> ResponseHead? {
    while !inbox.isEmpty {
      switch parser.parse(inbox.borrowedSpan) {
      case .incomplete: return nil
      case .complete(let head, let byteCount):
        inbox.removeFirst(byteCount)
        guard head.status.isInformational else { return head }
        interimCount += 1
        // RFC 9110 §15.2.2: this client has asked for no other protocol.
        guard head.status.code != 101, interimCount <= limits.informationalHeads else {
          abort()
          throw .malformed("too many interim responses, or a switch to a protocol that was not requested")
        }
      case .refused(let refusal):
        abort()
        throw .malformed(refusal.description)
      }
    }
    return nil
  }

  private func receive(until deadline: Deadline) async throws(ConnectionError) {
    let isOpen = unsafe try await stream.receive(until: deadline) { unsafe inbox.append(contentsOf: $0) }
    guard isOpen else { throw .closed }
    hasReceived = true
  }

  private func begin(_ head: ResponseHead, answering method: HTTPMethod) {
    keepsAlive = head.keepsAlive
    stall = MinimumRateTimeout(limits)
    body =
      switch head.body(answering: method) {
      case .none: .none
      case .length(let length): .length(length)
      case .chunked: .chunked(ChunkedBodyDecoder())
      case .untilClose: .untilClose
      }
  }

  // MARK: Body

  /// Waits for the next bytes of the body.
  ///
  /// - Returns: at least one byte, or nil once the body is complete. If the body ends with the connection, it is
  ///   impossible to know whether it is complete.
  func nextBytes() async throws(HTTPClientError) -> [UInt8]? {
    isBeingReadFrom = true
    defer { isBeingReadFrom = false }
    while true {
      if case .none = body { return nil }
      if !inbox.isEmpty {
        let received = inbox
        inbox = []
        // Safe because the array lends its storage for the call.
        let bytes = unsafe try received.withUnsafeBufferPointer { (bytes) throws(HTTPClientError) -> [UInt8] in
          unsafe try take(UnsafeRawBufferPointer(bytes))
        }
        if !bytes.isEmpty { return bytes }
        continue
      }
      let clock = stream.clock
      let start = clock.now
      var received: Result<[UInt8], HTTPClientError>?
      do throws(ConnectionError) {
        _ = unsafe try await stream.receive(until: clock.deadline(after: stall.remaining)) { bytes in
          received = Result { () throws(HTTPClientError) in unsafe try take(bytes) }
        }
      } catch {
        throw failed(error, .body)
      }
      guard let received else {
        if case .untilClose = body {
          body = .none
          keepsAlive = false
          return nil
        }
        throw failed(.closed, .body)
      }
      let bytes = try received.get()
      stall.received(bytes.count, after: clock.elapsed(since: start))
      if !bytes.isEmpty { return bytes }
    }
  }

  /// Removes the body's bytes from the received ones and returns them. The bytes after the body stay in the inbox.
  private func take(_ bytes: UnsafeRawBufferPointer) throws(HTTPClientError) -> [UInt8] {
    switch body {
    case .none: return []
    case .untilClose: return unsafe Array(bytes)
    case .length(let length):
      let count = Int(min(UInt64(bytes.count), length))
      body = UInt64(count) == length ? .none : .length(length - UInt64(count))
      if count < bytes.count { unsafe inbox = Array(bytes[count...]) }
      return unsafe Array(bytes[..<count])
    case .chunked(var decoder):
      do throws(MessageRefusal) {
        let data = try unsafe takeChunks(bytes, &decoder)
        body = decoder.isComplete ? .none : .chunked(decoder)
        return data
      } catch {
        abort()
        throw .malformed(error.description)
      }
    }
  }

  private func takeChunks(
    _ bytes: UnsafeRawBufferPointer, _ decoder: inout ChunkedBodyDecoder
  ) throws(MessageRefusal) -> [UInt8] {
    var data: [UInt8] = []
    var position = 0
    // Safe because the buffer is lent for this call.
    let span = unsafe bytes.bindMemory(to: UInt8.self).span
    while true {
      switch try decoder.next(span, from: position) {
      case .data(let range):
        unsafe data.append(contentsOf: bytes[range])
        position = range.upperBound
      case .needsMore: return data
      case .end(let end):
        if end < bytes.count { unsafe inbox = Array(bytes[end...]) }
        return data
      }
    }
  }

  private func failed(_ error: ConnectionError, _ phase: HTTPClientError.Phase) -> HTTPClientError {
    abort()
    return HTTPClientError(error, waitingFor: phase)
  }
}
