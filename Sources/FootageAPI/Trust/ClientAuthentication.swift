/// The setting that decides whether a server asks its clients for a certificate.
package enum ClientAuthentication: String, CaseIterable, Sendable {
  /// The server does not ask for a certificate.
  case none
  /// The server admits clients without a certificate, but refuses a certificate that does not verify.
  case optional
  /// The server refuses clients without a certificate of the client authority.
  case require
}
