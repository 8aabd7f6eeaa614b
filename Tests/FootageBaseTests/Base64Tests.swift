import FootageBase
import Testing

@Suite struct Base64Tests {
  /// The vectors of RFC 4648 §10, and bytes that need the last two characters of the alphabet.
  static let vectors: [(String, String)] = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"), ("?>?>", "Pz4/Pg=="), ("~~~", "fn5+"),
  ]

  @Test(arguments: vectors)
  func `the standard's vectors are written and read`(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(text.utf8))
  }

  @Test(arguments: 0..<70)
  func `all bytes of any length come back`(length: Int) {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
    let encoded = Base64.encode(bytes)
    #expect(encoded.utf8.count == (length + 2) / 3 * 4)
    #expect(Base64.decode(encoded) == bytes)
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zg==Zg==", "Zm9v=", "Zm9vZ", "Zm 9v", "Zm9v\n", "Zm9-", "Zm_v",
    "Zg=a",
    "=Zg=", "Z=g=", "Zm9vÜ",
    // The bits after the last byte are not zero: a second spelling of the same bytes.
    "Zh==", "Zm9=",
  ])
  func `what is not canonical is refused`(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
