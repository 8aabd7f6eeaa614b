/// One connection's judgement of its client: by the certificate that it shows, or by the one in its ticket.

internal import CFootageOpenSSL
internal import FootageAPI

/// Belongs to its stream, and with it to one thread at a time.
@safe
final class ClientVerifier {
  private let rules: ClientVerificationRules
  /// Found good by a callback; whether the handshake was then made with it is known at its end alone, since a ticket
  /// that was good can be passed over for another reason.
  private var candidate: VerifiedClient?

  /// Once the handshake is over, who it was made with.
  private(set) var client: VerifiedClient?
  private(set) var rejection: ClientRejection?

  init(_ rules: ClientVerificationRules) { self.rules = rules }

  /// Whether somebody without a certificate may ask for nothing.
  var isRequired: Bool { rules.isRequired }

  /// The check of a connection, for OpenSSL's callbacks, which get the SSL alone.
  ///
  /// Safe because a stream frees its SSL before its check goes.
  static func of(_ ssl: OpaquePointer?) -> ClientVerifier? {
    guard let data = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
    return unsafe Unmanaged<ClientVerifier>.fromOpaque(data).takeUnretainedValue()
  }

  func install(on ssl: OpaquePointer) -> Bool {
    unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
  }

  /// Called in place of path validation, where the client shows a certificate.
  func verify(_ verification: OpaquePointer, of ssl: OpaquePointer) -> Bool {
    do throws(ClientRejection) {
      unsafe admit(try rules.verify(verification), on: ssl)
      return true
    } catch {
      rejection = error
      return false
    }
  }

  /// Called where a client shows a ticket, with the certificate in it; nil where there is none in it.
  func accepts(ticketOf certificate: OpaquePointer?, on ssl: OpaquePointer) -> Bool {
    guard let certificate = unsafe certificate else { return !isRequired }
    guard let client = unsafe rules.stillAccepts(certificate) else { return false }
    unsafe admit(client, on: ssl)
    return true
  }

  /// Only who has shown a certificate gets a ticket of TLS 1.3 where one is required.
  private func admit(_ client: VerifiedClient, on ssl: OpaquePointer) {
    candidate = client
    _ = unsafe SSL_set_num_tickets(ssl, TLSServerContext.ticketCount)
  }

  /// Whether a ticket of TLS 1.2, which was promised before anybody was asked for a certificate, may be more than
  /// empty.
  func mayHaveTicket(_ ssl: OpaquePointer) -> Bool {
    unsafe !isRequired || SSL_get0_peer_certificate(ssl) != nil
  }

  /// Called at the handshake's end: the session says whose it is.
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
