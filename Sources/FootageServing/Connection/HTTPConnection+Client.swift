internal import FootageHTTP
internal import FootageSystem
internal import FootageTLS

/// The check of clients by their certificates, at the handshake and later, and the answer to a client without a
/// certificate.
extension HTTPConnection {
  /// Checks a client after its handshake, because authorities and revocation lists may have changed since the handshake
  /// began.
  ///
  /// - Returns: the reason why the client must not be served, or nil.
  @inline(never)
  func judgeNewClient() -> ClientRejection? {
    if let rejection = stream.clientRejection { return rejection }
    guard stream.client != nil else { return nil }
    do throws(ClientRejection) { _ = try judge() } catch { return error }
    return nil
  }

  /// Ends the connection, in any state, if its client is no longer accepted.
  ///
  /// - Returns: true if the client's certificate had to be verified again for that.
  func judgeClient() -> Bool {
    do throws(ClientRejection) { return try judge() } catch {
      machine.end()
      stream.abort(discardingUnsent: true)
      environment.observers.connectionFailed(.tls(.client(error)), from: stream.peer)
      return true
    }
  }

  private func judge() throws(ClientRejection) -> Bool {
    guard let client = stream.client, let tls = environment.tls else { return false }
    if let validity = tls.validity(of: client) {
      environment.clientDates.add(validity)
      return false
    }
    environment.clientDates.add(try tls.judge(again: client))
    return true
  }

  /// Reads one small head from a client without a certificate, and answers that a certificate is required. A client
  /// whose access was revoked during its handshake gets no answer.
  ///
  /// - Parameter deadline: the deadline of the handshake, which also applies to this exchange.
  @inline(never)
  func turnAway(_ rejection: ClientRejection, until deadline: Deadline) async {
    environment.observers.connectionFailed(.tls(.client(rejection)), from: stream.peer)
    guard rejection.reason == .noCertificate else { return abort() }
    do throws(StreamError) {
      guard let head = try await receiveSmallHead(until: deadline) else { return stream.close() }
      machine.refuse()
      incoming = .uncertified(head.request)
      guard try await answer() == .lingering else { return abort() }
      incoming = nil
      await linger()
    } catch {
      abort()
    }
  }

  private struct SmallHead {
    /// The head; nil if it is too large, or not a head at all.
    var request: RequestHead?
  }

  /// - Returns: nil if the client has left.
  private func receiveSmallHead(until deadline: Deadline) async throws(StreamError) -> SmallHead? {
    var httpLimits = HTTPLimits.standard
    httpLimits.headBytes = limits.uncertifiedHeadBytes
    var parser = RequestHeadParser(limits: httpLimits)
    var received: [UInt8] = []
    while true {
      let isOpen = unsafe try await stream.receive(until: deadline) { bytes in
        unsafe received.append(contentsOf: bytes.prefix(limits.uncertifiedHeadBytes + 1 - received.count))
      }
      guard isOpen else { return nil }
      switch parser.parse(received.span) {
      case .complete(let request, _): return SmallHead(request: request)
      case .refused: return SmallHead()
      case .incomplete where received.count > limits.uncertifiedHeadBytes: return SmallHead()
      case .incomplete: continue
      }
    }
  }
}
