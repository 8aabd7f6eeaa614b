/// Exact conformance to RFC 8259.
import FootageBase
import Testing

@Suite struct JSONValueTests {
  @Test(
    arguments: [
      ("null", .null), (" true ", .bool(true)), ("false", .bool(false)), ("0", .number("0")), ("-12", .number("-12")),
      ("1.50e+3", .number("1.50e+3")), (#""a\"\\\/\b\f\n\r\tz""#, .string("a\"\\/\u{8}\u{C}\n\r\tz")),
      (#""\u00e9\u20AC\uD83D\uDE00""#, .string("é€😀")), (#""é""#, .string("é")), ("[]", .array([])),
      ("[1 , [ ] ]", .array([.number("1"), .array([])])), ("{}", .object([:])),
      (#"{ "a" : 1 , "b":{"c":null}}"#, .object(["a": .number("1"), "b": .object(["c": .null])])),
      (#"{"a":1,"a":2}"#, .object(["a": .number("2")])),
    ] as [(String, JSONValue)])
  func `JSON is read as what it says`(text: String, value: JSONValue) {
    #expect(JSONValue(Array(text.utf8)) == value)
  }

  @Test(
    arguments: [
      "", " ", "nul", "nulll", "True", "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "'a'", #""a"#, #""\x""#,
      #""\u12""#, #""\uD83D""#, #""\uDE00""#, #""\uD83Dx""#, "\"\u{1}\"", "[1,]", "[1 2]", "[", "{", "{a:1}",
      #"{"a"}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, "1 2", "\u{FEFF}1", "[1]]",
    ])
  func `what is not JSON is refused`(text: String) { #expect(JSONValue(Array(text.utf8)) == nil) }

  @Test func `text that is not UTF-8 is refused`() { #expect(JSONValue([0x22, 0xC3, 0x28, 0x22]) == nil) }

  @Test func `nesting has an end`() {
    func nested(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
    }
    #expect(JSONValue(nested(64)) != nil)
    #expect(JSONValue(nested(100_000)) == nil)
  }

  @Test func `a cut at any place is refused`() {
    let text = Array(#"{"a":[1,2.5e1,"x\u00e9\\"],"b":{"c":true,"d":null}}"#.utf8)
    #expect(JSONValue(text) != nil)
    for end in text.indices { #expect(JSONValue(Array(text[..<end])) == nil) }
  }

  @Test func `numbers are taken as the kind that is asked for, or not at all`() {
    #expect(JSONValue(Array("18446744073709551615".utf8))?.integer(UInt64.self) == .max)
    #expect(JSONValue(Array("18446744073709551616".utf8))?.integer(UInt64.self) == nil)
    #expect(JSONValue(Array("-1".utf8))?.integer(UInt64.self) == nil)
    #expect(JSONValue(Array("1.0".utf8))?.integer(Int.self) == nil)
    #expect(JSONValue(Array("60.033".utf8))?.double == 60.033)
    #expect(JSONValue(Array("1e999".utf8))?.double == nil)
    #expect(JSONValue(Array("\"1\"".utf8))?.double == nil)
  }

  @Test func `what the writer writes is read back`() {
    var json = JSONWriter()
    json.object { json in
      json.member("name", "a/<b>\u{1}é\"\\")
      json.member("size", UInt64.max)
      json.member("none", String?.none)
    }
    let value = JSONValue(json.bytes)
    #expect(value?["name"]?.string == "a/<b>\u{1}é\"\\")
    #expect(value?["size"]?.integer(UInt64.self) == .max)
    #expect(value?["none"]?.isNull == true)
  }
}
