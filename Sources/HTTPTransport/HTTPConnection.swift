/// One connection of the server, from its handshake to its end, request after request.

internal import HTTPSemantics
internal import Networking

/// Belongs to its loop's thread and to the one task that runs it; only `stop` and `abort` come from outside, on the same
/// thread.
final class HTTPConnection {
  let stream: Stream
  private let environment: Environment
  private var parser = RequestHeadParser()
  /// Received and not yet parsed; empty, and without storage, while the connection is idle.
  var inbox: [UInt8] = []
  /// What is being answered; nil while the connection is idle. It is here and not handed from function to function
  /// because each that is async would keep the room for it as long as the connection lives.
  private(set) var incoming: Incoming?
  private var isWaitingForRequest = false
  private(set) var isStopping = false

  /// What the connections of a loop have in common.
  final class Environment {
    let handler: any HTTPHandler
    let limits: TransportLimits
    let heads = ResponseHeads()

    init(handler: any HTTPHandler, limits: TransportLimits) {
      self.handler = handler
      self.limits = limits
    }
  }

  init(_ stream: Stream, in environment: Environment) {
    self.stream = stream
    self.environment = environment
  }

  var handler: any HTTPHandler { environment.handler }
  var limits: TransportLimits { environment.limits }
  var heads: ResponseHeads { environment.heads }

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
      while try await receiveRequest() {
        switch try answerAtOnce() {
        case .sent: break
        case .sending: try await stream.flush(idle: limits.writing)
        case .notAtOnce: guard try await answer() else { return }
        }
        incoming = nil
        // Requests that came together must not keep the others waiting.
        if !inbox.isEmpty { await stream.loop.yield() }
      }
      stream.close()
    } catch {
      fail(error)
    }
  }

  @inline(never)
  private func fail(_ error: StreamError) {
    stream.abort()
    if error != .aborted { handler.log(error, from: stream.peer) }
  }

  enum Incoming {
    case request(RequestHead)
    case refused(MessageRefusal)
  }

  /// Waits for the next request.
  ///
  /// - Returns: false where the peer, or this server, wants no more of them.
  @inline(never)
  private func receiveRequest() async throws(StreamError) -> Bool {
    guard !isStopping else { return false }
    isWaitingForRequest = !takeFromInbox()
    defer { isWaitingForRequest = false }
    var deadline = Deadline.after(inbox.isEmpty ? limits.idle : limits.request)
    while !isAsked {
      let wasIdle = inbox.isEmpty
      do throws(StreamError) {
        let isOpen = unsafe try await stream.receive(until: deadline) { unsafe take($0) }
        guard isOpen else { return false }
      } catch .deadlinePassed where inbox.isEmpty {
        // Nothing was asked, so nothing is missed.
        return false
      } catch .aborted where isStopping {
        return false
      }
      if wasIdle, !isAsked { deadline = .after(limits.request) }
      isWaitingForRequest = false
    }
    return true
  }

  private var isAsked: Bool { incoming != nil }

  /// Begins with what came together with the last request.
  ///
  /// - Returns: whether anything did.
  @inline(never)
  private func takeFromInbox() -> Bool {
    guard !inbox.isEmpty else { return false }
    incoming = parseInbox()
    return true
  }

  @inline(never)
  private func take(_ bytes: UnsafeRawBufferPointer) { unsafe incoming = parse(bytes) }

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
}
