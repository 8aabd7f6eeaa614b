package import FootageSystem
package import FootageTLS
package import FootageAPI

/// The TLS handshake of either end, and what is known of the peer by it.
extension Stream {
  /// Finishes the TLS handshake. A server may send the last of it, a ticket, together with its first answer.
  package func handshake(until deadline: Deadline) async throws(StreamError) {
    while true {
      let isDone = try handshakeNow()
      if isDone { handshakeGuard = nil }
      if isWaitingToSend { try await flush(until: deadline) }
      guard !isDone else { return }
      try await wait(toReady: .read, until: deadline)
    }
  }

  /// Goes on with the handshake as far as it goes without waiting.
  ///
  /// - Returns: whether it is over.
  @inline(never)
  private func handshakeNow() throws(StreamError) -> Bool {
    guard let tls else { return true }
    // A server sends nothing before the client's first flight.
    if tls.speaksFirst, try step({ () throws(TLSError) in try tls.handshake() }) == .done { return true }
    while writer.isEmpty, let ciphertext = unsafe try receiveFromSocket() {
      guard unsafe try isTLS(ciphertext, tls) else { return true }
      let progress = try attempt { () throws(TLSError) in unsafe try tls.handshake(with: ciphertext) }
      if progress == .done, !tls.speaksFirst { try deferFlight() } else { try sendRecords() }
      if progress == .done { return true }
    }
    return false
  }

  /// Lets the handshake's last records wait for the first answer: most clients have asked for it already, and two in
  /// one segment cost half of what they cost alone.
  private func deferFlight() throws(StreamError) {
    guard (1...Self.deferredLimit).contains(loop.records.count) else { return try sendRecords() }
    unsafe writer.deferSending(loop.records.bytes)
    loop.unsentByteCount += writer.storedByteCount
    loop.records.removeAll()
    // The request may have come since the socket was looked at, and its edge not yet been heard of.
    registration.isReadable = true
  }

  /// What may wait for company: the record buffer has so much room beside a full turn.
  private static let deferredLimit = 16 * 1024

  // MARK: The server's side

  /// The guard's state, which a connection needs for a moment only.
  final class HandshakeBox {
    fileprivate var look = HandshakeGuard()
  }

  /// - Returns: false where the peer speaks without TLS; from now on this connection does as well.
  private func isTLS(_ received: UnsafeRawBufferPointer, _ tls: TLSStream) throws(StreamError) -> Bool {
    guard let handshakeGuard else { return true }
    switch unsafe handshakeGuard.look.look(at: received, isTLS13: tls.isTLS13) {
    case .fine: return true
    case .tooLong: throw .handshakeTooLong
    case .plaintext:
      plaintext = unsafe Array(received)
      self.tls = nil
      return false
    }
  }

  /// Once the handshake is over: whose certificate it was made with.
  package var client: VerifiedClient? { tls?.client }

  /// Once the handshake is over: why the client must not be served, which it can be told now.
  package var clientRejection: ClientRejection? { tls?.clientRejection }

  // MARK: The client's side

  /// What is not right with the server's certificate and was let pass.
  package var trustWarnings: [TrustWarning] { tls?.trustWarnings ?? [] }

  /// Whether a session ticket spared the full handshake.
  package var isResumed: Bool { tls?.isResumed ?? false }

  /// After a client certificate was shown: waits for the server's word on it, so that a refusal is read before a
  /// request that crosses it has the connection reset. A server that sends no tickets says nothing; then the deadline
  /// goes on.
  package func waitForAcceptance(until deadline: Deadline) async throws(StreamError) {
    guard let tls else { return }
    while tls.awaitsAcceptance {
      guard let ciphertext = unsafe try receiveFromSocket() else {
        do throws(StreamError) { try await wait(toReady: .read, until: deadline) } catch .deadlinePassed { return }
        continue
      }
      switch unsafe try decrypt(ciphertext, tls) {
      case .wantRead: continue
      // Nobody was asked anything yet.
      case .bytes, .closed: throw .disconnected(nil)
      }
    }
  }
}
