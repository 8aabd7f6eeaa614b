/// Names as parts of a URL path (RFC 3986 §2.1, §3.3).
package enum PercentEncoding {
  /// Encodes a path, whose segments may contain anything, for a URL. It keeps `/` and escapes everything else but
  /// unreserved characters.
  package static func encodePath(_ path: String) -> String { encode(path, keeping: [UInt8(ascii: "/")]) }

  /// Encodes a name on a disk as a path, whatever its bytes are (`NameBytes`).
  package static func encodeName(_ name: String) -> String {
    NameBytes.isPlain(name)
      ? encodePath(name) : encode(NameBytes.bytes(of: name), keeping: [UInt8(ascii: "/")])
  }

  /// Encodes a value for a query. Besides unreserved characters it keeps only `/` and `:`, which have no meaning there
  /// (§3.4). It escapes `+`, which form decoders read as a space.
  package static func encodeQueryValue(_ value: String) -> String {
    encode(value, keeping: [UInt8(ascii: "/"), UInt8(ascii: ":")])
  }

  /// Escapes everything but unreserved characters, as signatures over requests require.
  package static func encodeAll(_ text: String) -> String { encode(text, keeping: []) }

  private static func encode(_ text: String, keeping kept: [UInt8]) -> String { encode(text.utf8, keeping: kept) }

  private static func encode(_ bytes: some Sequence<UInt8>, keeping kept: [UInt8]) -> String {
    var encoded: [UInt8] = []
    for byte in bytes {
      if isUnreserved(byte) || kept.contains(byte) {
        encoded.append(byte)
      } else {
        encoded.append(UInt8(ascii: "%"))
        encoded.append(Hexadecimal.digit(byte >> 4) & 0xDF | (byte >> 4 < 10 ? 0x30 : 0))
        encoded.append(Hexadecimal.digit(byte & 15) & 0xDF | (byte & 15 < 10 ? 0x30 : 0))
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Returns the decoded bytes, or nil if a `%` is not followed by two digits.
  package static func decode(_ encoded: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var rest = encoded.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(Hexadecimal.value), let low = rest.next().flatMap(Hexadecimal.value)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Returns the path with every unreserved character unescaped, which names the same resource (RFC 3986 §6.2.2.2).
  /// Characters that are escaped for a reason, `%2F` above all, stay escaped.
  package static func normalized(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard path.contains(UInt8(ascii: "%")) else { return path }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(path.count)
    var rest = path
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap(Hexadecimal.value)
      if byte == UInt8(ascii: "%"), digits.count == 2, isUnreserved(digits[0] << 4 | digits[1]) {
        bytes.append(digits[0] << 4 | digits[1])
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes[...]
  }

  /// Returns true if the byte is an unreserved character (RFC 3986 §2.3).
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
