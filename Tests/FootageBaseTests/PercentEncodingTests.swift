import FootageBase
import Testing

@Suite struct PercentEncodingTests {
  @Test(arguments: [
    ("front/2026-11-20T10-15-30", "front/2026-11-20T10-15-30"), ("a b", "a%20b"), ("50%", "50%25"), ("ü", "%C3%BC"),
    ("a\nb", "a%0Ab"), ("a?b#c", "a%3Fb%23c"), ("~._-", "~._-"),
    ("!*'();:@&=+$,[]", "%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%5B%5D"),
    ("\u{0}\u{7F}", "%00%7F"), ("\\\"<>", "%5C%22%3C%3E"), ("", ""), ("/", "/"), ("🤖", "%F0%9F%A4%96"),
  ])
  func `a path is encoded in upper case and comes back`(path: String, encoded: String) {
    #expect(PercentEncoding.encodePath(path) == encoded)
    #expect(PercentEncoding.decode(encoded.utf8) == Array(path.utf8))
  }

  @Test func `every ASCII character comes back`() {
    for scalar in UInt8(0)..<128 {
      let text = String(UnicodeScalar(scalar))
      let encoded = PercentEncoding.encodePath(text)
      #expect(PercentEncoding.decode(encoded.utf8) == [scalar])
      #expect(encoded.utf8.count == 3 || encoded == text)
    }
  }

  @Test(arguments: [("%c3%bC", "ü"), ("%41%62", "Ab"), ("a+b", "a+b"), ("%2F", "/"), ("%252F", "%2F")])
  func `escapes are read in either case, once`(encoded: String, text: String) {
    #expect(PercentEncoding.decode(encoded.utf8) == Array(text.utf8))
  }

  @Test(arguments: ["%", "%4", "a%", "%zz", "%4g", "%%41", "%+1", "%-1", "% 41", "%４１"])
  func `a broken escape is refused`(encoded: String) {
    #expect(PercentEncoding.decode(encoded.utf8) == nil)
  }
}
