/// One thing by which a robot is known.

internal import FootageBase

/// A public key, a certificate or an authority by which a robot is known.
public enum TrustPin: Hashable, Sendable, CustomStringConvertible {
  /// Its public key, whatever certificate is made around it.
  case publicKey(PublicKeyPin)
  /// This certificate and no other.
  case certificate(PinnedCertificate)
  /// Whatever certificate this authority issued for the robot's host name.
  case authority(PinnedAuthority)

  /// A public key by its pin, as `footage serve` prints it and `server.pin` holds it.
  ///
  /// - Parameter text: `sha256/` and 44 characters of base64; blanks around it do no harm.
  /// - Throws: `MalformedPin`.
  public static func spki(_ text: String) throws(MalformedPin) -> TrustPin {
    guard let pin = PublicKeyPin(text) else {
      throw MalformedPin("'\(text)' is no pin of a public key: it has to be sha256/ and 44 characters of base64")
    }
    return .publicKey(pin)
  }

  /// A certificate as a file holds it, `server.cer` or `server.pem`; `Data` or an array of its bytes.
  ///
  /// - Throws: `MalformedPin` where the file does not hold exactly one certificate.
  public static func certificate(_ file: some Sequence<UInt8>) throws(MalformedPin) -> TrustPin {
    .certificate(PinnedCertificate(form: .whole(try der(file))))
  }

  /// A certificate by its SHA-256.
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
      throw MalformedPin("'\(text)' is no SHA-256 of a certificate: it has to be 64 hexadecimal digits")
    }
    return .certificate(PinnedCertificate(form: .digest(digest)))
  }

  /// An authority by its certificate as a file holds it; `Data` or an array of its bytes.
  ///
  /// - Throws: `MalformedPin` where the file does not hold exactly one certificate.
  public static func authority(_ file: some Sequence<UInt8>) throws(MalformedPin) -> TrustPin {
    .authority(PinnedAuthority(der: try der(file)))
  }

  /// The authorities of a file, one of PEM's certificates behind the other, or one of DER; `Data` or an array of its
  /// bytes.
  ///
  /// - Throws: `MalformedPin` where there are none, or more than anybody has.
  package static func authorities(_ file: some Sequence<UInt8>) throws(MalformedPin) -> [TrustPin] {
    let certificates = CertificateText.certificates(in: Array(file), upTo: largestAuthorityCount + 1)
    guard (1...largestAuthorityCount).contains(certificates.count) else {
      throw MalformedPin(
        """
        the file holds no certificates of authorities, or more than \(largestAuthorityCount): it has to be DER, or PEM \
        with BEGIN CERTIFICATE for each
        """)
    }
    return certificates.map { .authority(PinnedAuthority(der: $0)) }
  }

  /// Those that a server's path is tried with, one after the other.
  private static let largestAuthorityCount = 32

  private static func der(_ file: some Sequence<UInt8>) throws(MalformedPin) -> [UInt8] {
    guard let der = CertificateText.onlyCertificate(in: Array(file)) else {
      throw MalformedPin("the file is not one certificate: it has to be DER, or PEM with one BEGIN CERTIFICATE")
    }
    return der
  }

  /// `sha256/…` for a key, words for the others.
  public var description: String {
    switch self {
    case .publicKey(let pin): pin.description
    case .certificate(let certificate): certificate.description
    case .authority(let authority): "authority with a certificate of \(authority.der.count) bytes"
    }
  }
}

/// An authority by its own certificate.
public struct PinnedAuthority: Hashable, Sendable {
  /// X.690 §10.
  package let der: [UInt8]
}

/// What was given as a pin is none.
public struct MalformedPin: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
