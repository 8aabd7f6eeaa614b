#if canImport(FootageTLS)
import FootageAPI
import FootageBase
import Foundation
import FootageTLS
import LinuxTestSupport
import Testing

@Suite struct HostileManifestTests {
  let signer: TLSServerContext

  init() throws { signer = try ManifestSamples.signer() }

  /// Returns the line signed by the robot itself, since even a valid signature must not make nonsense acceptable.
  private func signed(_ line: [UInt8]) throws -> [UInt8] {
    line + Array("\n\(Base64.encode(try signer.sign(line)))\n".utf8)
  }

  private func line() throws -> String {
    String(decoding: try ManifestSamples.composed(key: try signer.publicKeyInfo).json, as: UTF8.self)
  }

  private static let digest = String(repeating: "0", count: 64)

  /// The changes to the line, each with the error text that it causes.
  static let changes: [(String, String, String)] = [
    (#""format":1"#, #""format":2"#, "it has format 2, which a newer version of footage writes: update this one"),
    (#""format":1"#, #""format":"1""#, "its member format is missing"),
    (#""format":1"#, #""format":1,"format":1"#, "repeats a member"),
    (#""size":8"#, #""size":8,"size":8"#, "repeats a member"),
    (
      #""tag":"0123456789abcdef","layout""#, #""tag":"1123456789abcdef","layout""#,
      "its member tag is not the item's tag"
    ),
    (#""tag":"0123456789abcdef","layout""#, #""tag":3,"layout""#, "its member tag is not the item's tag"),
    (#""tag":"0123456789abcdef","startedAt""#, #""tag":"1123456789abcdef","startedAt""#, "its member item has no tag"),
    (#""state":"ready""#, #""state":"recording""#, "describes a recording that is not ready"),
    (#""name":"front/2026-11-20T10-15-30""#, #""name":"""#, "its member item cannot be read: it has no name"),
    (#""item":{"#, #""items":{"#, "its member item is missing"),
    (#""layout":1"#, #""layout":"1""#, "its member layout is not an integer"),
    (#""path":"front"#, #""path":"../front"#, "its member path is not the item's name with an extension"),
    (#""path":"front"#, #""path":7,"x":"front"#, "its member path is not a string"),
    (
      #""modifiedNanoseconds":"#, #""modifiedNanoseconds":1e30,"x":"#,
      "its member modifiedNanoseconds is not an integer"
    ),
    (#""partSize":8388608"#, #""partSize":0"#, "its member partSize is not a whole number of mebibytes"),
    (#""partSize":8388608"#, #""partSize":8388609"#, "its member partSize is not a whole number of mebibytes"),
    (#""partSize":8388608"#, #""partSize":-1"#, "its member partSize is not an integer"),
    (#""composition":["#, #""composition":[1,"#, "its member composition has an invalid slice"),
    (#""composition":["#, #""composition":null,"x":["#, "its member composition is not an array"),
    (#""from":32"#, #""from":1000000"#, "its member composition has an invalid slice"),
    (#""from":32"#, #""from":-1"#, "its member composition has an invalid slice"),
    (#""from":32"#, #""from":33"#, "its member composition is not as long as the served file"),
    (#""to":3000000"#, #""to":30000000"#, "its member composition has a slice that is not inside an object"),
    (#""to":3000000"#, #""to":18446744073709551615"#, "its member composition has an invalid slice"),
    (
      #"{"object":"file","from":32"#, #"{"object":"index","from":32"#, "its member composition has an invalid slice"
    ),
    (#""objects":{"#, #""objects":[],"x":{"#, "its member objects is not an object"),
    (#""file":{"#, #""files":{"#, "its member objects has no file"),
    (#""preamble":{"#, #""preambles":{"#, "its member composition has a slice that is not inside an object"),
    (
      #""file":{"size":3670016"#, #""file":{"size":4194305"#,
      "its member file does not have one digest for each mebibyte"
    ),
    (#""file":{"size":3670016"#, #""file":{"size":18446744073709551615"#, "does not have one digest for each mebibyte"),
    (#""file":{"size":3670016"#, #""file":{"size":3670016.5"#, "its member file lacks its size or its digests"),
    (#""mebibytes":["#, #""mebibytes":["0","#, "has a digest that is not 64 hexadecimal digits in lower case"),
    (#""mebibytes":["#, #""mebibytes":[null,"#, "has a digest that is not 64 hexadecimal digits in lower case"),
    (#""mebibytes":["#, "\"mebibytes\":[\"\(digest)\",", "does not have one digest for each mebibyte"),
    (#""sha256":""#, #""sha256":"A"#, "has a digest that is not 64 hexadecimal digits in lower case"),
    (#""served":{"#, #""serve":{"#, "its member served must be present if, and only if"),
    ("-----BEGIN PUBLIC KEY-----", "-----BEGIN PRIVATE KEY-----", "its member key is not a public key in PEM"),
    (#"-----\u000a"}"#, #"-----\u000a"#, "it is not a valid manifest"),
    (#"KEY-----\u000aM"#, #"KEY-----\u000a\u000aM"#, "its member key is not a public key in PEM"),
    (#"KEY-----\u000aM"#, #"KEY-----\u000aN"#, ""),
  ]

  @Test(arguments: changes)
  func `a line that makes no sense is refused, whoever signs it`(part: String, replacement: String, words: String)
    throws
  {
    let line = try line()
    let place = try #require(line.range(of: part), "there is no \(part)")
    let changed = line.replacingCharacters(in: place, with: replacement)
    do {
      // An invalid key can be read, but proves nothing.
      try SignedManifest(try signed(Array(changed.utf8))).verify(by: [try #require(signer.certificate.publicKeyPin)])
      Issue.record("\(replacement) is taken")
    } catch let error as ManifestError {
      #expect(words.isEmpty || error.description.contains(words), "\(error)")
    }
  }

  @Test func `members that a later robot adds are passed over`() throws {
    let line = try line().replacing(#"{"format":1"#, with: #"{"later":[{"a":null}],"format":1"#)
      .replacing(#""item":{"#, with: #""item":{"mood":"calm","#)
    let read = try SignedManifest(try signed(Array(line.utf8)))
    try read.verify(by: [try #require(signer.certificate.publicKeyPin)])
    #expect(read.manifest == (try ManifestSamples.composed(key: try signer.publicKeyInfo)))
  }

  @Test func `whatever is not two lines is refused`() throws {
    let good = try ManifestSamples.signed(try ManifestSamples.composed(key: try signer.publicKeyInfo), by: signer)
    let end = try #require(good.firstIndex(of: 0x0A))
    let (line, signature) = (Array(good[..<end]), Array(good[(end + 1)..<(good.count - 1)]))
    let feed: [UInt8] = [0x0A]
    let cases: [(String, [UInt8])] = [
      ("nothing", []), ("a line feed", feed), ("two of them", feed + feed), ("one line", line + feed),
      ("no last line feed", Array(good.dropLast())), ("a byte behind it", good + [0x20]),
      ("an empty line behind it", good + feed), ("a line behind it", good + Array("x\n".utf8)),
      ("a return before the line feed", line + [0x0D] + feed + signature + [0x0D] + feed),
      ("a blank before the signature", line + feed + [0x20] + signature + feed),
      ("no signature", line + feed + feed), ("a signature that is no base64", line + feed + Array("!!!!\n".utf8)),
      ("a signature without its padding", line + feed + Array("QQ\n".utf8)),
      ("a long signature", line + feed + [UInt8](repeating: 0x41, count: 260) + feed),
      ("a line feed within the line", Array(line[..<10]) + feed + Array(line[10...]) + feed + signature + feed),
      ("a byte order mark", [0xEF, 0xBB, 0xBF] + good), ("a list", Array("[]\n".utf8) + signature + feed),
      ("no UTF-8", Array("{\"x\":\"".utf8) + [0xFF] + Array("\"}\n".utf8) + signature + feed),
    ]
    for (what, bytes) in cases {
      #expect(throws: ManifestError.self, "\(what)") { try SignedManifest(bytes) }
    }
  }

  @Test func `a huge one costs no more than it is long`() throws {
    let feed: [UInt8] = [0x0A]
    #expect(throws: ManifestError.tooLong(limit: ManifestLimits.bytes)) {
      try SignedManifest([UInt8](repeating: 0x20, count: ManifestLimits.bytes + 1))
    }
    let many = Array("{\"x\":[0".utf8) + (0..<2_000_000).flatMap { _ in Array(",0".utf8) } + Array("]}".utf8)
    #expect(throws: ManifestError.malformed("its first line has too many values")) {
      try SignedManifest(many + feed + Array("QQ==\n".utf8))
    }
    let deep = Array(String(repeating: "[", count: 100_000).utf8)
    #expect(throws: ManifestError.self) { try SignedManifest(deep + feed + Array("QQ==\n".utf8)) }
  }
}
#endif
