package import FootageSystem
package import FootageTLS
package import FootageAPI

/// The TLS handshake of either end, and what it reveals about the peer.
extension Stream {
  /// Finishes the TLS handshake. A server may send its last message, a session ticket, together with its first answer.
  package func handshake(until deadline: Deadline) async throws(StreamError) {
    while true {
      let isDone = try handshakeNow()
      if isDone { handshakeGuard = nil }
      if isWaitingToSend { try await flush(until: deadline) }
      guard !isDone else { return }
      try await wait(toReady: .read, until: deadline)
    }
  }

  /// Continues the handshake as far as possible without a wait.
  ///
  /// - Returns: true if the handshake is complete.
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

  /// Lets the handshake's last records wait for the first answer. Most clients have already sent their request, and
  /// sending both in one segment costs half as much.
  private func deferFlight() throws(StreamError) {
    guard (1...Self.deferredLimit).contains(loop.records.count) else { return try sendRecords() }
    unsafe writer.deferSending(loop.records.bytes)
    loop.unsentByteCount += writer.storedByteCount
    loop.records.removeAll()
    // The request may have arrived since the last read from the socket, before its edge was reported.
    registration.isReadable = true
  }

  /// The number of bytes of handshake records that may wait for the first answer. The record buffer has room for them
  /// in addition to a full turn.
  private static let deferredLimit = 16 * 1024

  // MARK: The server's side

  /// A box for a handshake guard. It is a class because a connection needs the guard only during the handshake.
  final class HandshakeBox {
    fileprivate var look = HandshakeGuard()
  }

  /// - Returns: false if the peer does not use TLS; from then on this connection does not use TLS either.
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

  /// The client that the handshake has authenticated by its certificate; nil before the end of the handshake, or
  /// without a certificate.
  package var client: VerifiedClient? { tls?.client }

  /// The reason why the client must not be served, once the handshake is complete and the client can be told.
  package var clientRejection: ClientRejection? { tls?.clientRejection }

  // MARK: The client's side

  /// The faults of the server's certificate that were tolerated.
  package var trustWarnings: [TrustWarning] { tls?.trustWarnings ?? [] }

  /// True if a session ticket saved the full handshake.
  package var isResumed: Bool { tls?.isResumed ?? false }

  /// Waits until the server has accepted or refused the client certificate. Otherwise the request could cross the
  /// refusal and make the server reset the connection before the refusal was read. A server that sends no session
  /// tickets does not show acceptance, so the function then returns at the deadline.
  package func waitForAcceptance(until deadline: Deadline) async throws(StreamError) {
    guard let tls else { return }
    while tls.awaitsAcceptance {
      guard let ciphertext = unsafe try receiveFromSocket() else {
        do throws(StreamError) { try await wait(toReady: .read, until: deadline) } catch .deadlinePassed { return }
        continue
      }
      switch unsafe try decrypt(ciphertext, tls) {
      case .wantRead: continue
      // Nothing was requested yet.
      case .bytes, .closed: throw .disconnected(nil)
      }
    }
  }
}
