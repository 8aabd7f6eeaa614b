import FootageBase
import Testing
import class Foundation.JSONSerialization
import struct Foundation.Data

@Suite struct JSONWriterTests {
  @Test func `objects, arrays and every kind of value`() {
    var json = JSONWriter()
    json.object { json in
      json.member("text", "a")
      json.member("nothing", nil as String?)
      json.member("number", 18_446_744_073_709_551_615 as UInt64?)
      json.member("negative", -5 as Int64?)
      json.member("least", Int64.min as Int64?)
      json.member("most", Int64.max as Int64?)
      json.member("zero", 0 as Int64?)
      json.member("noNumber", nil as Int?)
      json.member("none64", nil as Int64?)
      json.member("duration", 60.0334 as Double?)
      json.member("yes", true)
      json.member("no", false)
      json.member("list") { json in
        json.array([1, 2, 3]) { json, number in json.value(number) }
      }
      json.member("objects") { json in
        json.array(["x", "y"]) { json, name in json.object { $0.member("name", name) } }
      }
      json.member("empty") { $0.object { _ in } }
      json.member("none") { $0.array([Int]()) { json, number in json.value(number) } }
      json.member("last", "z")
    }
    #expect(
      json.text == #"{"text":"a","nothing":null,"number":18446744073709551615,"negative":-5,"#
        + #""least":-9223372036854775808,"most":9223372036854775807,"zero":0,"noNumber":null,"none64":null,"#
        + #""duration":60.033,"yes":true,"no":false,"list":[1,2,3],"objects":[{"name":"x"},{"name":"y"}],"#
        + #""empty":{},"none":[],"last":"z"}"#)
    #expect(json.bytes == Array(json.text.utf8))
  }

  @Test(arguments: [
    ("", #""""#), ("\"", #""\"""#), ("\\", #""\\""#), ("a/b", #""a/b""#), ("\n\r\t", #""\u000a\u000d\u0009""#),
    ("\u{0}\u{1F}\u{7F}", #""\u0000\u001f\u007f""#), ("</script>&", #""\u003c/script\u003e&""#),
    ("üé🤖", #""üé🤖""#),
  ])
  func `text is escaped as RFC 8259 §7 says, and for HTML`(text: String, json: String) throws {
    var writer = JSONWriter()
    writer.value(text)
    #expect(writer.text == json)
  }

  @Test func `every character is read back by another's parser`() throws {
    let text =
      String(String.UnicodeScalarView((0..<0x300).compactMap { UnicodeScalar($0) })) + "\u{2028}\u{FFFF}\u{10FFFF}"
    var writer = JSONWriter()
    writer.array([text]) { $0.value($1) }
    let read = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String]
    #expect(read.map { Array($0[0].utf8) } == Array(text.utf8))
  }

  @Test(
    arguments: [
      (0, "0.0"), (60.033_4, "60.033"), (60.033_6, "60.034"), (-1.5, "-1.5"), (0.000_1, "0.0"), (29.97, "29.97"),
      (1e14, "100000000000000.0"), (1e15, "null"), (.infinity, "null"), (.nan, "null"),
    ] as [(Double, String)])
  func `a number of seconds has three decimals at most`(number: Double, json: String) {
    var writer = JSONWriter()
    writer.value(number)
    #expect(writer.text == json)
  }
}
