package import FootageSystem
package import FootageTLS
package import FootageAPI

/// The TLS handshake of either end, and what it reveals about the peer.
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

  /// Continues the handshake as far as possible without a wait.
  ///
  /// - Returns: true if it is over.
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
  /// both in one segment cost half of what they cost alone.
  private func deferFlight() throws(StreamError) {
    guard (1...Self.deferredLimit).contains(loop.records.count) else { return try sendRecords() }
    unsafe writer.deferSending(loop.records.bytes)
    loop.unsentByteCount += writer.storedByteCount
    loop.records.removeAll()
    // The request may have arrived since the last read from the socket, before its edge was reported.
    registration.isReadable = true
  }

  /// The number of bytes that may wait for the answer. The record buffer has that much room beside a full turn.
  private static let deferredLimit = 16 * 1024

  // MARK: The server's side

  /// The state of the guard, which a connection needs only for a moment.
  final class HandshakeBox {
    fileprivate var look = HandshakeGuard()
  }

  /// - Returns: false if the peer speaks without TLS; from then on this connection does so as well.
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

  /// The client with whose certificate the handshake was made, once it is over.
  package var client: VerifiedClient? { tls?.client }

  /// The reason why the client must not be served, once the handshake is over. The client can be told now.
  package var clientRejection: ClientRejection? { tls?.clientRejection }

  // MARK: The client's side

  /// The faults of the server's certificate that were accepted nevertheless.
  package var trustWarnings: [TrustWarning] { tls?.trustWarnings ?? [] }

  /// True if a session ticket saved the full handshake.
  package var isResumed: Bool { tls?.isResumed ?? false }

  /// Waits for the server's verdict on a client certificate. So a refusal is read before a request that crosses it
  /// makes the server reset the connection. A server that sends no tickets gives no verdict, and then this returns at
  /// the deadline.
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
