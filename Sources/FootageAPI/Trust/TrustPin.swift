/// A single fact that identifies a robot.

internal import FootageBase

/// A public key, a certificate or an authority that identifies a robot.
public enum TrustPin: Hashable, Sendable, CustomStringConvertible {
  /// The robot's public key, with any certificate for it.
  case publicKey(PublicKeyPin)
  /// The robot's certificate, and no other.
  case certificate(PinnedCertificate)
  /// Any certificate that this authority issued for the robot's host name.
  case authority(PinnedAuthority)

  /// Returns a pin for a public key, as `footage serve` prints it and `server.pin` holds it.
  ///
  /// - Parameter text: `sha256/` and 44 characters of base64; whitespace around it is ignored.
  /// - Throws: `MalformedPin`.
  public static func spki(_ text: String) throws(MalformedPin) -> TrustPin {
    guard let pin = PublicKeyPin(text) else {
      throw MalformedPin("'\(text)' is not a valid pin of a public key: use sha256/ and 44 characters of base64")
    }
    return .publicKey(pin)
  }

  /// Returns a pin for the certificate in a file such as `server.cer` or `server.pem`. The file is `Data` or an array
  /// of its bytes.
  ///
  /// - Throws: `MalformedPin` if the file does not hold exactly one certificate.
  public static func certificate(_ file: some Sequence<UInt8>) throws(MalformedPin) -> TrustPin {
    .certificate(PinnedCertificate(form: .whole(try der(file))))
  }

  /// Returns a pin for the certificate with this SHA-256.
  ///
  /// - Parameter text: `sha256/` and base64, or 64 hexadecimal digits, with or without colons.
  /// - Throws: `MalformedPin`.
  public static func certificate(digest text: String) throws(MalformedPin) -> TrustPin {
    if let pin = PublicKeyPin(text) { return .certificate(PinnedCertificate(form: .digest(pin.digest))) }
    var digest: [UInt8] = []
    var digits = text.utf8.filter { $0 != UInt8(ascii: ":") }.makeIterator()
    while let first = digits.next() {
      guard let high = Hexadecimal.value(first), let low = digits.next().flatMap(Hexadecimal.value) else {
        digest = []
        break
      }
      digest.append(high << 4 | low)
    }
    guard digest.count == 32 else {
      throw MalformedPin("'\(text)' is not the SHA-256 of a certificate: use 64 hexadecimal digits")
    }
    return .certificate(PinnedCertificate(form: .digest(digest)))
  }

  /// Returns a pin for the authority whose certificate is in a file. The file is `Data` or an array of its bytes.
  ///
  /// - Throws: `MalformedPin` if the file does not hold exactly one certificate.
  public static func authority(_ file: some Sequence<UInt8>) throws(MalformedPin) -> TrustPin {
    .authority(PinnedAuthority(der: try der(file)))
  }

  /// Returns the pins for all authorities in a file: consecutive PEM certificates, or one DER certificate. The file is
  /// `Data` or an array of its bytes.
  ///
  /// - Throws: `MalformedPin` if the file holds none, or more than 32.
  package static func authorities(_ file: some Sequence<UInt8>) throws(MalformedPin) -> [TrustPin] {
    let certificates = CertificateText.certificates(in: Array(file), upTo: largestAuthorityCount + 1)
    guard (1...largestAuthorityCount).contains(certificates.count) else {
      throw MalformedPin(
        """
        not a file with 1 to \(largestAuthorityCount) certificates of authorities: use DER, or PEM with BEGIN \
        CERTIFICATE for each
        """)
    }
    return certificates.map { .authority(PinnedAuthority(der: $0)) }
  }

  /// The most authorities in a file. A server's path is validated under each of them in turn.
  private static let largestAuthorityCount = 32

  private static func der(_ file: some Sequence<UInt8>) throws(MalformedPin) -> [UInt8] {
    guard let der = CertificateText.onlyCertificate(in: Array(file)) else {
      throw MalformedPin(
        "the file does not contain exactly one certificate: use DER, or PEM with one BEGIN CERTIFICATE")
    }
    return der
  }

  /// The pin: `sha256/…` for a key, words for the other kinds.
  public var description: String {
    switch self {
    case .publicKey(let pin): pin.description
    case .certificate(let certificate): certificate.description
    case .authority(let authority): "authority with a certificate of \(authority.der.count) bytes"
    }
  }
}

/// An authority, identified by its own certificate.
public struct PinnedAuthority: Hashable, Sendable {
  /// The authority's certificate as DER (X.690 §10).
  package let der: [UInt8]
}

/// The error that a text or file is not a valid pin.
public struct MalformedPin: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
