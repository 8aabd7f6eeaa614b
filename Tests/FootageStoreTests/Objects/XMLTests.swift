import LinuxTestSupport
import Testing

@testable import FootageStore

@Suite struct XMLTests {
  private static func parse(_ text: String) throws(XMLError) -> XMLElement { try XMLElement(parsing: Array(text.utf8)) }

  @Test(
    arguments: [
      ("<a/>", XMLElement("a")), ("<a></a>", XMLElement("a")), ("<a>b</a>", XMLElement("a", text: "b")),
      (" \n\t<?xml version=\"1.0\" encoding='UTF-8'?>\n<a x='1' y = \"<\"></a>", nil),
      ("  <?xml version=\"1.0\"?>  <a x='1' y = \">\" />\n ", XMLElement("a")),
      ("<s3:a xmlns:s3=\"u\"><s3:b >c</s3:b\n></s3:a>", XMLElement("a", [XMLElement("b", text: "c")])),
      ("<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;&#xe9;</a>", XMLElement("a", text: "<&>\"'ABé")),
      ("<!-- one --><a>b<!-- < two -->c</a><!-- three -->", XMLElement("a", text: "bc")),
      ("<a>é\u{10FFFF}</a>", XMLElement("a", text: "é\u{10FFFF}")),
      (
        "<a>1<b>2</b>3<b/></a>", XMLElement("a", text: "13", [XMLElement("b", text: "2"), XMLElement("b")])
      ),
    ] as [(String, XMLElement?)])
  func `what stores write is read`(text: String, element: XMLElement?) throws {
    guard let element else {
      #expect(throws: XMLError.self) { try Self.parse(text) }
      return
    }
    #expect(try Self.parse(text) == element)
    #expect(try XMLElement(parsing: element.document) == element)
  }

  @Test(
    arguments: [
      ("", .cutShort), ("   ", .cutShort), ("<?xml version='1.0'", .cutShort), ("<?xml?x><a/>", .cutShort),
      ("<", .cutShort), ("<a", .cutShort), ("<a ", .cutShort), ("<a x", .cutShort), ("<a x=", .malformedTag),
      ("<a x='", .cutShort), ("<a>", .cutShort), ("<a>b", .cutShort), ("<a></a", .cutShort), ("<a><b></a>", .otherEnd),
      ("</a>", .otherEnd), ("<a></b>", .otherEnd), ("<a/><b/>", .afterTheEnd), ("<a/>b", .afterTheEnd),
      ("b<a/>", .afterTheEnd), ("<a/></a>", .otherEnd), ("< a/>", .malformedTag), ("<a x='1'y='2'/>", .malformedTag),
      ("<a x=1/>", .malformedTag), ("<a / >", .malformedTag), ("<é/>", .malformedTag), ("<a></a b>", .malformedTag),
      // "Billion laughs", and a file or a host that a reader would access.
      ("<!DOCTYPE a [<!ENTITY b \"cc\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>", .declaration),
      ("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", .declaration), ("<a><![CDATA[b]]></a>", .declaration),
      ("<a><?php ?></a>", .processingInstruction), ("<a/><?b?>", .processingInstruction),
      ("<a>&b;</a>", .unknownEntity), ("<a>&;</a>", .unknownEntity), ("<a>&amp</a>", .unknownEntity),
      ("<a>&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;</a>", .unknownEntity), ("<a>&am", .cutShort),
      ("<a>&#0;</a>", .forbiddenCharacter), ("<a>&#xD800;</a>", .forbiddenCharacter),
      ("<a>&#x110000;</a>", .forbiddenCharacter), ("<a>&#+65;</a>", .unknownEntity),
      ("<a>&#xFFFE;</a>", .forbiddenCharacter), ("<a>&#;</a>", .forbiddenCharacter),
      ("<a>&#x;</a>", .forbiddenCharacter),
      ("<a>\u{1}</a>", .forbiddenCharacter), ("<a><!-- ", .cutShort), ("<!- -><a/>", .declaration),
      ("\u{FEFF}<a/>", .afterTheEnd),
    ] as [(String, XMLError.Reason)])
  func `what is none is refused with the reason`(text: String, reason: XMLError.Reason) {
    let error = #expect(throws: XMLError.self) { try Self.parse(text) }
    #expect(error?.reason == reason)
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    let error = #expect(throws: XMLError.self) {
      try XMLElement(parsing: [0x3C, 0x61, 0x3E, 0xFF] + Array("</a>".utf8))
    }
    #expect(error?.reason == .notUTF8)
  }

  @Test func `depth, names and elements have their limits`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    _ = try Self.parse(nested(XMLReader.depthLimit))
    #expect(throws: XMLError.self) { try Self.parse(nested(XMLReader.depthLimit + 1)) }
    // Depth that would overflow a stack.
    #expect(throws: XMLError.self) { try Self.parse(String(repeating: "<a>", count: 1_000_000)) }
    let name = String(repeating: "n", count: XMLReader.nameLimit)
    _ = try Self.parse("<\(name)/>")
    #expect(throws: XMLError.self) { try Self.parse("<\(name)n/>") }
    let many = String(repeating: "<b/>", count: XMLElement.countLimit - 1)
    #expect(try Self.parse("<a>\(many)</a>").children.count == XMLElement.countLimit - 1)
    let error = #expect(throws: XMLError.self) { try Self.parse("<a>\(many)<b/></a>") }
    #expect(error?.reason == .tooManyElements)
  }

  @Test func `cut anywhere it is refused, and changed anywhere it is read or refused`() throws {
    let document = Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated><Contents>\
      <Key>a&amp;b</Key><ETag>&quot;x&quot;</ETag><Size>1</Size></Contents></ListBucketResult>
      """.utf8)
    _ = try XMLElement(parsing: document)
    for count in 0..<document.count {
      #expect(throws: XMLError.self) { try XMLElement(parsing: Array(document[..<count])) }
    }
    for index in document.indices {
      for byte in Array("<>&;/!? \"\u{0}é".utf8) {
        var changed = document
        changed[index] = byte
        if let element = try? XMLElement(parsing: changed) {
          #expect(try XMLElement(parsing: element.document) == element)
        }
      }
    }
  }
}
