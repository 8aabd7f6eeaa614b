internal import FootageHTTP
internal import FootageSystem
internal import FootageTLS

/// The judgment of clients by their certificates: may one come in and stay, and which answer does one without get?
extension HTTPConnection {
  /// Judges a client when its handshake is over, because authorities and lists may have changed since it began.
  ///
  /// - Returns: the reason why the client must not be served, or nil.
  @inline(never)
  func judgeNewClient() -> ClientRejection? {
    if let rejection = stream.clientRejection { return rejection }
    guard stream.client != nil else { return nil }
    do throws(ClientRejection) { _ = try judge() } catch { return error }
    return nil
  }

  /// Ends the connection, whatever it is doing, if its client may not stay.
  ///
  /// - Returns: true if that took work.
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

  /// Reads one small head from a client without a certificate, and answers that it needs one, whatever it asked for. A
  /// client that was shut out during its handshake gets no answer.
  ///
  /// - Parameter deadline: the deadline of the handshake; such a client gets no more time.
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
