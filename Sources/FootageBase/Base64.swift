/// Base64 with padding (RFC 4648 §4), as pins are written.
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      var digits: [UInt8] = []
      for _ in 0..<4 {
        digits.append(alphabet[Int(bits >> 18 & 63)])
        bits <<= 6
      }
      text.append(contentsOf: digits.prefix(group.count + 1))
      text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - group.count))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes, or nil if the text is not canonical base64 with its padding.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 4) {
      let group = digits[start..<(start + 4)].prefix { $0 != UInt8(ascii: "=") }
      let isLast = start + 4 == digits.count
      guard group.count == 4 || (isLast && group.count >= 2) else { return nil }
      guard digits[(start + group.count)..<(start + 4)].allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
      var bits: UInt32 = 0
      for digit in group {
        guard let value = alphabet.firstIndex(of: digit) else { return nil }
        bits = bits << 6 | UInt32(value)
      }
      bits <<= UInt32(6 * (4 - group.count))
      let decoded = [UInt8(bits >> 16 & 255), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
      bytes.append(contentsOf: decoded.prefix(group.count - 1))
    }
    return encode(bytes) == text ? bytes : nil
  }
}
