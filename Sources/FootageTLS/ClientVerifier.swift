/// The verification of one connection's client, by the certificate that it shows or by the one in its ticket.

internal import CFootageOpenSSL
internal import FootageAPI

/// A verifier of one connection's client. It belongs to its stream, and thus to one thread at a time.
@safe
final class ClientVerifier {
  private let rules: ClientVerificationRules
  /// The client that a callback found valid. Only the end of the handshake shows if this client was used, since a valid
  /// ticket can be ignored for another reason.
  private var candidate: VerifiedClient?

  /// The client of the handshake, once that is over.
  private(set) var client: VerifiedClient?
  private(set) var rejection: ClientRejection?

  init(_ rules: ClientVerificationRules) { self.rules = rules }

  /// True if clients without a certificate may not request anything.
  var isRequired: Bool { rules.isRequired }

  /// Returns the verifier of a connection, for OpenSSL's callbacks, which get only the SSL.
  ///
  /// Safe because a stream frees its SSL before it releases its verifier.
  static func of(_ ssl: OpaquePointer?) -> ClientVerifier? {
    guard let data = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
    return unsafe Unmanaged<ClientVerifier>.fromOpaque(data).takeUnretainedValue()
  }

  func install(on ssl: OpaquePointer) -> Bool {
    unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
  }

  /// Verifies the client's certificate. OpenSSL calls this instead of path validation when the client shows one.
  func verify(_ verification: OpaquePointer, of ssl: OpaquePointer) -> Bool {
    do throws(ClientRejection) {
      unsafe admit(try rules.verify(verification), on: ssl)
      return true
    } catch {
      rejection = error
      return false
    }
  }

  /// Accepts or rejects the ticket that a client shows, by the certificate in it; nil means that it contains none.
  func accepts(ticketOf certificate: OpaquePointer?, on ssl: OpaquePointer) -> Bool {
    guard let certificate = unsafe certificate else { return !isRequired }
    guard let client = unsafe rules.stillAccepts(certificate) else { return false }
    unsafe admit(client, on: ssl)
    return true
  }

  /// Admits a client. If a certificate is required, only clients that have shown one get a TLS 1.3 ticket.
  private func admit(_ client: VerifiedClient, on ssl: OpaquePointer) {
    candidate = client
    _ = unsafe SSL_set_num_tickets(ssl, TLSServerContext.ticketCount)
  }

  /// Returns true if a TLS 1.2 ticket may have contents. The server announces the ticket before it asks for a
  /// certificate, so it sends an empty one if a required certificate was not shown.
  func mayHaveTicket(_ ssl: OpaquePointer) -> Bool {
    unsafe !isRequired || SSL_get0_peer_certificate(ssl) != nil
  }

  /// Records the client at the end of the handshake: it is the candidate if the certificate in the session is the
  /// candidate's.
  func confirm(_ ssl: OpaquePointer) {
    guard let certificate = unsafe SSL_get0_peer_certificate(ssl), let candidate,
      unsafe ClientVerificationRules.digest(of: certificate) == candidate.digest
    else {
      if isRequired { rejection = ClientRejection(.noCertificate, nil) }
      return
    }
    client = candidate
  }
}
