/// The reason why a server is not accepted as the robot. Nothing was sent to it except what opens a TLS connection.

internal import FootageBase

/// The reason why a server is not accepted as the robot. Its `description` is a sentence for people, with the expected
/// and the actual pins and what to do.
public struct TrustFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem with the server.
  public enum Reason: Hashable, Sendable {
    /// The server's key is not a pinned one.
    case otherKey
    /// The policy has no pins.
    case nobodyIsTrusted
    /// The server shows the right certificate but does not have its private key. Another machine copied the
    /// certificate, which is not a secret.
    case keyNotProven
    /// The certificate is outside its dates, and dates are enforced.
    case outOfDate(TrustWarning)
    /// No pinned authority issued the certificate. The text is OpenSSL's description.
    case notFromAuthority(String)
    /// The certificate was issued by a pinned authority, but for another host name.
    case otherHostName
    /// The server's key, or a key or signature between it and a pinned authority, is so weak that it could have been
    /// forged (below OpenSSL's security level 2: RSA below 2048 bits, SHA-1, MD5).
    case weak(String)
    /// The server's certificate cannot be read.
    case unreadableCertificate
  }

  /// The problem with the server.
  public let reason: Reason
  /// The requested `HOST:PORT`.
  public let host: String
  /// The pin of the key that the server showed; nil if the key could not be read.
  public let seen: PublicKeyPin?
  /// The pins of the policy.
  public let expected: [TrustPin]

  /// Creates a failure. It is meant for transports.
  ///
  /// - Parameters:
  ///   - reason: the problem with the server.
  ///   - host: the requested `HOST:PORT`.
  ///   - seen: the pin of the key that the server showed; nil if the key could not be read.
  ///   - expected: the pins of the policy.
  public init(_ reason: Reason, host: String, seen: PublicKeyPin?, expected: [TrustPin]) {
    self.reason = reason
    self.host = host
    self.seen = seen
    self.expected = expected
  }

  public var description: String {
    let pins = expected.map(\.description).joined(separator: " or ")
    let key = seen.map { "the key \($0)" } ?? "no readable key"
    switch reason {
    case .otherKey:
      return """
        \(host) shows \(key), but \(pins) is pinned: nothing was sent. Compare the key with the pin on the robot's \
        console. If the robot was given a new key, pin that one; if not, another machine answers in its place
        """
    case .nobodyIsTrusted:
      guard seen != nil else {
        return
          "no key is pinned for \(host), or its pin was removed: nothing was sent. Pair with the robot, or pin its key"
      }
      return """
        \(host) shows \(key), but nothing is pinned: nothing was sent. Compare the key with the pin on the robot's \
        console, and pin it
        """
    case .keyNotProven:
      return """
        \(host) shows a certificate that is pinned (\(key)) but does not have its private key: nothing was sent. \
        Another machine answers in the robot's place with a copy of its certificate
        """
    case .outOfDate(let warning):
      return """
        \(host) shows \(key), but \(warning), and dates are enforced: nothing was sent. Set the clocks, or have the \
        robot's certificate issued again with the same key, which keeps the pin
        """
    case .notFromAuthority(let words):
      return """
        \(host) shows \(key), whose certificate no pinned authority has issued (\(words)): nothing was sent. Have the \
        authority issue the robot's certificate, or pin the robot's own key
        """
    case .otherHostName:
      return """
        \(host) shows \(key), but its certificate is for another name: nothing was sent. Use a name that the robot's \
        certificate has, reissue it with this name, or pin the robot's own key
        """
    case .weak(let words):
      return """
        \(host) shows \(key), which is too weak to trust (\(words)): nothing was sent. Replace the robot's key and \
        certificate, with P-256 or RSA of 2048 bits and SHA-256
        """
    case .unreadableCertificate:
      return "\(host) shows a certificate that cannot be read: nothing was sent. Check the address and the port"
    }
  }

  /// Returns a date such as `2026-11-20`.
  static func day(_ unixSeconds: Int64) -> String { String(CivilTime(unixSeconds: unixSeconds).rfc3339.prefix(10)) }
}
