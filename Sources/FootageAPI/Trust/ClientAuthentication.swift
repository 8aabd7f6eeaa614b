/// Whether a server asks its clients for a certificate.
package enum ClientAuthentication: String, CaseIterable, Sendable {
  /// Nobody is asked.
  case none
  /// No certificate is welcome; one that does not verify is refused.
  case optional
  /// Without a certificate of the client authority nobody comes in.
  case require
}
