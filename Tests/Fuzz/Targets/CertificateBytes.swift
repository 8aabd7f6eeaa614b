/// A server's certificate, which is read before anything is known about the server.

internal import FootageAPI

enum CertificateBytes {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let certificate = PresentedCertificate(der: bytes, sha256: digest) else { return }
    try expect(certificate.der == bytes, "another certificate than was shown")
    try expect(PresentedCertificate(der: bytes + [0], sha256: digest) == nil, "a byte behind it is overlooked")
    try expect(
      PresentedCertificate(der: Array(bytes.dropLast()), sha256: digest) == nil, "a byte that is missing is overlooked")
    try expect((0...256 * 8).contains(certificate.securityBits), "a key worth \(certificate.securityBits) bits")
    let known = Int64(-62_135_596_800)...253_402_300_799
    try expect(
      known.contains(certificate.notBefore) && known.contains(certificate.notAfter), "a date beyond the year 9999")
  }

  /// Returns a substitute for the real digest. All that matters here is that it differs for different bytes.
  private static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (0..<32).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 * 2)) }
  }
}
