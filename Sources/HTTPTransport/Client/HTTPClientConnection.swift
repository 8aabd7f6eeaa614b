/// One connection to a robot, request after request, one at a time.

internal import HTTPSemantics
internal import Networking
internal import System

/// Belongs to its loop's thread. After an error it is closed.
final class HTTPClientConnection {
  private let stream: Stream
  private let limits: ClientLimits
  private var parser = ResponseHeadParser()
  private var head = RequestHeadWriter()
  /// Received behind a head, and not looked at yet.
  private var inbox: [UInt8] = []
  private var body = Body.none
  private var stall: MinimumRateTimeout
  /// Whether the server keeps it after this response.
  private var keepsAlive = false

  /// How far the current response's body is.
  private enum Body {
    case none
    /// So many bytes are to come, at least 1.
    case length(UInt64)
    case chunked(ChunkedBodyDecoder)
    case untilClose
  }

  /// Whether it has waited for a request: then the server may have closed it at any moment since.
  var wasKept = false
  /// Whether anything of the current response has come.
  private(set) var hasReceived = false
  /// Whether somebody waits for a head or the next bytes of a body.
  private(set) var isBeingReadFrom = false
  /// Until when it is kept for another request.
  var keptUntil = Deadline.never

  init(_ stream: Stream, limits: ClientLimits) {
    self.stream = stream
    self.limits = limits
    stall = MinimumRateTimeout(limits)
  }

  func abort() { stream.abort() }

  /// With a goodbye, between two requests.
  func close() { stream.close() }

  /// Whether more of the response is to come.
  var hasBody: Bool { if case .none = body { false } else { true } }

  /// Whether the response is over and another request may follow.
  var isReusable: Bool {
    guard !hasBody else { return false }
    // Bytes behind a response that nobody asked for: who sends them is not to be trusted with another request.
    return keepsAlive && inbox.isEmpty
  }

  /// Whether it is still as it was left. What belongs to TLS alone is taken in, and changes nothing.
  func isQuiet() -> Bool { !stream.takeNews() }

  // MARK: Head

  /// Sends a request and waits for the head of its response.
  func send(_ request: HTTPClientRequest, host: String) async throws(HTTPClientError) -> ResponseHead {
    isBeingReadFrom = true
    defer { isBeingReadFrom = false }
    hasReceived = false
    do throws(MessageRefusal) { try request.writeHead(to: host, into: &head) } catch {
      throw .badRequest(error.description)
    }
    do throws(StreamError) {
      if try !sendHead() { try await stream.flush(idle: limits.head) }
    } catch {
      throw failed(error, .head)
    }
    let deadline = stream.loop.clock.deadline(after: limits.head)
    for _ in 0...limits.informationalHeads {
      let head = try await nextHead(until: deadline)
      guard head.status.isInformational else {
        begin(head)
        return head
      }
      // RFC 9110 §15.2.2: nobody asked for another protocol.
      guard head.status.code != 101 else { break }
    }
    abort()
    throw .malformed("more interim responses than an answer needs, or a protocol that was not asked for")
  }

  private func sendHead() throws(StreamError) -> Bool {
    // Safe because the array lends its storage for the call.
    unsafe try head.bytes.withUnsafeBufferPointer { (bytes) throws(StreamError) -> Bool in
      unsafe try stream.send(UnsafeRawBufferPointer(bytes))
    }
  }

  private func nextHead(until deadline: Deadline) async throws(HTTPClientError) -> ResponseHead {
    var isNew = !inbox.isEmpty
    while true {
      if isNew {
        switch parser.parse(inbox.span) {
        case .incomplete: break
        case .complete(let head, let byteCount):
          inbox.removeFirst(byteCount)
          return head
        case .refused(let refusal):
          abort()
          throw .malformed(refusal.description)
        }
      }
      let isOpen: Bool
      do throws(StreamError) {
        isOpen = unsafe try await stream.receive(until: deadline) { unsafe inbox.append(contentsOf: $0) }
      } catch {
        throw failed(error, .head)
      }
      guard isOpen else { throw failed(.disconnected(nil), .head) }
      hasReceived = true
      isNew = true
    }
  }

  private func begin(_ head: ResponseHead) {
    keepsAlive = head.keepsAlive
    stall = MinimumRateTimeout(limits)
    body =
      switch head.body(answering: .get) {
      case .none: .none
      case .length(let length): .length(length)
      case .chunked: .chunked(ChunkedBodyDecoder())
      case .untilClose: .untilClose
      }
  }

  // MARK: Body

  /// Waits for the next bytes of the body.
  ///
  /// - Returns: at least one byte, or nil once the body is whole; where it ends with the connection, nobody can tell.
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
      let clock = stream.loop.clock
      let start = clock.now
      var received: Result<[UInt8], HTTPClientError>?
      do throws(StreamError) {
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
        throw failed(.disconnected(nil), .body)
      }
      let bytes = try received.get()
      stall.received(bytes.count, after: clock.elapsed(since: start))
      if !bytes.isEmpty { return bytes }
    }
  }

  /// Takes what is the body's out of what came; what is behind it stays in the inbox.
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

  private func failed(_ error: StreamError, _ phase: HTTPClientError.Phase) -> HTTPClientError {
    abort()
    return HTTPClientError(error, waitingFor: phase)
  }
}
