internal import FootageBase

/// Reads a certificate (RFC 5280 §4.1) without any library, so that every platform reads the same values from it.
extension PresentedCertificate {
  /// The greatest length of a certificate in bytes. Real ones have one or two kilobytes.
  private static let longest = 64 * 1024

  /// Reads the parts of a certificate that trust depends on. It ignores the contents of names and extensions. It checks
  /// neither the signature nor the numbers in the key: the server that shows the certificate has to prove that it has
  /// the private key.
  ///
  /// - Parameters:
  ///   - der: the certificate as DER (X.690 §10). Anything that is only nearly DER is rejected.
  ///   - sha256: returns the digest of bytes, 32 bytes long.
  /// - Returns: nil if the bytes are not a certificate, or are more than 64 KiB.
  package init?(der: [UInt8], sha256: ([UInt8]) -> [UInt8]) {
    guard der.count <= Self.longest else { return nil }
    var outer = DERReader(der[...])
    guard let certificate = outer.next(DERReader.Tag.sequence), outer.isAtEnd else { return nil }
    var parts = certificate.inside
    guard let signed = parts.next(DERReader.Tag.sequence), parts.next(DERReader.Tag.sequence) != nil,
      parts.nextBytesOfBits() != nil, parts.isAtEnd, let fields = Fields(signed.inside),
      let publicKey = PublicKeyPin(digest: sha256(Array(fields.publicKeyInfo)))
    else { return nil }
    self.init(
      der: der, digest: sha256(der), publicKey: publicKey, securityBits: fields.securityBits,
      notBefore: fields.notBefore, notAfter: fields.notAfter)
  }

  /// The fields that the issuer has signed (RFC 5280 §4.1.2).
  private struct Fields {
    let notBefore: Int64
    let notAfter: Int64
    /// The bytes of the SubjectPublicKeyInfo from its tag to its end.
    let publicKeyInfo: ArraySlice<UInt8>
    let securityBits: Int

    init?(_ fields: DERReader) {
      var fields = fields
      // The order is: version, serial number, signature, issuer, validity, subject, key (§4.1).
      guard let version = Self.version(&fields), fields.next(DERReader.Tag.integer) != nil,
        fields.next(DERReader.Tag.sequence) != nil, fields.next(DERReader.Tag.sequence) != nil,
        let validity = fields.next(DERReader.Tag.sequence), fields.next(DERReader.Tag.sequence) != nil,
        let key = fields.next(DERReader.Tag.sequence)
      else { return nil }
      // Version 2 added unique identifiers, version 3 extensions (§4.1.2.8, §4.1.2.9).
      if version >= 1 {
        guard fields.skip(DERReader.Tag.primitiveContext(1)), fields.skip(DERReader.Tag.primitiveContext(2)) else {
          return nil
        }
      }
      if version == 2 { guard fields.skip(DERReader.Tag.context(3)) else { return nil } }
      guard fields.isAtEnd else { return nil }
      var dates = validity.inside
      guard let notBefore = Self.moment(dates.next()), let notAfter = Self.moment(dates.next()), dates.isAtEnd,
        let securityBits = Self.securityBits(key.inside)
      else { return nil }
      self.notBefore = notBefore
      self.notAfter = notAfter
      publicKeyInfo = key.whole
      self.securityBits = securityBits
    }

    /// Returns the number of the version (§4.1.2.1). Version 1 has the number 0, and is not written.
    private static func version(_ fields: inout DERReader) -> UInt8? {
      guard let field = fields.next(DERReader.Tag.context(0)) else { return 0 }
      var inside = field.inside
      guard let number = inside.next(DERReader.Tag.integer), inside.isAtEnd, number.contents.count == 1,
        let version = number.contents.first, version <= 2
      else { return nil }
      return version
    }

    /// Returns the strength of the key (§4.1.2.7); nil if the element is not a key.
    private static func securityBits(_ key: DERReader) -> Int? {
      var parts = key
      guard let algorithm = parts.next(DERReader.Tag.sequence), let bytes = parts.nextBytesOfBits(), parts.isAtEnd
      else {
        return nil
      }
      return PublicKeyStrength.bits(algorithm, bytes)
    }

    /// Returns the moment (§4.1.2.5) that is written as `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`. A two-digit year from 50
    /// on is in the twentieth century.
    private static func moment(_ element: DERReader.Element?) -> Int64? {
      guard let element, element.contents.last == UInt8(ascii: "Z") else { return nil }
      let digits = element.contents.dropLast()
      guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
      func number(_ range: Range<Int>) -> Int {
        digits.dropFirst(range.lowerBound).prefix(range.count).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      }
      let year: Int
      let yearLength: Int
      switch (element.tag, digits.count) {
      case (DERReader.Tag.utcTime, 12):
        yearLength = 2
        year = number(0..<2) + (number(0..<2) >= 50 ? 1900 : 2000)
      case (DERReader.Tag.generalizedTime, 14):
        yearLength = 4
        year = number(0..<4)
      default: return nil
      }
      func part(_ index: Int) -> Int { number((yearLength + 2 * index)..<(yearLength + 2 * index + 2)) }
      // Certificates contain no leap seconds.
      guard part(4) < 60 else { return nil }
      return CivilTime(year: year, month: part(0), day: part(1), hour: part(2), minute: part(3), second: part(4))?
        .unixSeconds
    }
  }
}
