/// Why a server is not taken for the robot. Nothing was sent to it but what opens a TLS connection.

internal import FootageBase

/// Why a server is not taken for the robot. Its `description` is a sentence for people, with the pins seen and expected
/// and what to do.
public struct TrustFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is not right.
  public enum Reason: Hashable, Sendable {
    /// Its key is not a pinned one.
    case otherKey
    /// The policy has no pins.
    case nobodyIsTrusted
    /// It shows the right certificate and does not have its key: somebody copied the certificate, which is no secret.
    case keyNotProven
    /// The dates of its certificate are enforced.
    case outOfDate(TrustWarning)
    /// No pinned authority issued its certificate; in OpenSSL's words.
    case notFromAuthority(String)
    /// Its certificate, issued by a pinned authority, is for another name.
    case otherHostName
    /// Its key, or a key or signature between it and a pinned authority, is so weak that somebody may have forged it
    /// (below OpenSSL's security level 2: RSA below 2048 bits, SHA-1, MD5).
    case weak(String)
    /// Its certificate cannot be read.
    case unreadableCertificate
  }

  /// What is not right.
  public let reason: Reason
  /// `HOST:PORT`, as it was asked for.
  public let host: String
  /// The pin of the key that it showed; nil where it could not be read.
  public let seen: PublicKeyPin?
  /// What the policy has.
  public let expected: [TrustPin]

  /// For transports.
  ///
  /// - Parameters:
  ///   - reason: what is not right.
  ///   - host: `HOST:PORT`, as it was asked for.
  ///   - seen: the pin of the key that it showed; nil where it could not be read.
  ///   - expected: what the policy has.
  public init(_ reason: Reason, host: String, seen: PublicKeyPin?, expected: [TrustPin]) {
    self.reason = reason
    self.host = host
    self.seen = seen
    self.expected = expected
  }

  public var description: String {
    let pins = expected.map(\.description).joined(separator: " or ")
    let key = seen.map { "the key \($0)" } ?? "no key that can be read"
    switch reason {
    case .otherKey:
      return """
        \(host) shows \(key), and \(pins) is pinned: nothing was sent. Compare with the pin on the robot's console; if \
        the robot was given a new key, pin that one, and if not, somebody else answers in its place
        """
    case .nobodyIsTrusted:
      guard seen != nil else {
        return "nothing is pinned for \(host), or not any more: nothing was sent. Pair with the robot, or pin its key"
      }
      return """
        \(host) shows \(key), and nothing is pinned: nothing was sent. Compare with the pin on the robot's console and \
        pin it
        """
    case .keyNotProven:
      return """
        \(host) shows a certificate that is pinned (\(key)) but does not have its private key: nothing was sent. \
        Somebody answers in the robot's place with a copy of its certificate
        """
    case .outOfDate(let warning):
      return """
        \(host) shows \(key), but \(warning), and dates are enforced: nothing was sent. Set the clocks, or have the \
        robot's certificate issued again with the same key, which keeps the pin
        """
    case .notFromAuthority(let words):
      return """
        \(host) shows \(key), which no pinned authority vouches for (\(words)): nothing was sent. Issue the robot's \
        certificate under the authority, or pin the robot's own key
        """
    case .otherHostName:
      return """
        \(host) shows \(key) with a certificate for another name: nothing was sent. Ask for the robot by a name that \
        its certificate has, issue it again with this name, or pin the robot's own key
        """
    case .weak(let words):
      return """
        \(host) shows \(key), which anybody with enough computers could have made (\(words)): nothing was sent. Have the \
        robot's key and certificate made anew, with P-256 or RSA of 2048 bits and SHA-256
        """
    case .unreadableCertificate:
      return "\(host) shows a certificate that cannot be read: nothing was sent. Is it a robot that answers there?"
    }
  }

  /// `2026-11-20`.
  static func day(_ unixSeconds: Int64) -> String { String(CivilTime(unixSeconds: unixSeconds).rfc3339.prefix(10)) }
}
