#if canImport(FootageTLS)
import FootageDigest
import FootageAPI
import FootageBase
import FootageTLS
import LinuxTestSupport
import Testing

@Suite struct ManifestTests {
  let signer: TLSServerContext
  let pin: PublicKeyPin

  init() throws {
    signer = try ManifestSamples.signer()
    pin = try #require(signer.certificate.publicKeyPin)
  }

  @Test func `every field comes back, and the signature is true`() throws {
    for manifest in [
      try ManifestSamples.composed(key: try signer.publicKeyInfo),
      try ManifestSamples.plain(key: try signer.publicKeyInfo),
    ] {
      let bytes = try ManifestSamples.signed(manifest, by: signer)
      let read = try SignedManifest(bytes)
      #expect(read.manifest == manifest)
      #expect(read.bytes == bytes)
      #expect(try read.verify(by: [pin]) == pin)
      #expect(try read.manifest.pin == pin)
    }
  }

  @Test func `the line is this one, member by member`() throws {
    let manifest = try ManifestSamples.composed(key: try signer.publicKeyInfo)
    let json = try #require(JSONValue(manifest.json))
    #expect(json["format"]?.integer() == 1)
    #expect(json["tag"] == "0123456789abcdef")
    #expect(json["layout"]?.integer() == 1)
    #expect(json["path"] == "front/2026-11-20T10-15-30.mp4")
    #expect(json["modifiedNanoseconds"] == .number("1795169730000000000"))
    #expect(json["partSize"]?.integer() == 8 << 20)
    #expect(
      json["composition"] == [
        ["object": "preamble", "from": .number("0"), "to": .number("1500000")],
        ["object": "file", "from": .number("32"), "to": .number("1000000")],
        ["object": "file", "from": .number("2000000"), "to": .number("3000000")],
      ])
    var item = JSONWriter()
    manifest.item.write(into: &item)
    #expect(json["item"] == JSONValue(item.bytes))
    for (object, bytes) in [
      (json["objects"]?["file"], ManifestSamples.file), (json["objects"]?["preamble"], ManifestSamples.preamble),
      (json["objects"]?["index"], ManifestSamples.index),
      (
        json["served"],
        ManifestSamples.preamble + ManifestSamples.file[32..<1_000_000] + ManifestSamples.file[2_000_000..<3_000_000]
      ),
    ] {
      #expect(object?["size"]?.integer() == bytes.count)
      #expect(object?["sha256"]?.string == Hexadecimal.encode(SHA256.hash(bytes)))
      let parts = stride(from: 0, to: bytes.count, by: 1 << 20).map {
        Array(bytes[$0..<min(bytes.count, $0 + 1 << 20)])
      }
      #expect(object?["mebibytes"]?.array == parts.map { .string(Hexadecimal.encode(SHA256.hash($0))) })
    }
    let key = try Command("openssl", "pkey", "-pubin", "-outform", "PEM", input: json["key"]?.string).run()
    #expect(key.output == json["key"]?.string)
    #expect(!manifest.json.contains(UInt8(ascii: "\n")))
    #expect(manifest.json == (try ManifestSamples.composed(key: try signer.publicKeyInfo).json))
  }

  @Test func `one of a file that is served as it is has nothing twice`() throws {
    let json = try #require(JSONValue(try ManifestSamples.plain(key: try signer.publicKeyInfo).json))
    #expect(json["served"] == nil && json["objects"]?["preamble"] == nil && json["objects"]?["index"] == nil)
  }

  /// Sizes in bytes, and the sizes of their parts in mebibytes.
  static let parts: [(size: UInt64, mebibytes: UInt64)] = [
    (0, 8), (1, 8), (80_000_000_000, 8), (83_886_080_000, 8), (83_886_080_001, 9), (100_000_000_000, 10),
    (1_099_511_627_776, 105),
  ]

  @Test(arguments: parts)
  func `parts are of 8 MiB, and larger where there would be more than 10,000`(size: UInt64, mebibytes: UInt64) {
    let part = mebibytes << 20
    #expect(Manifest.partSize(of: size) == part)
    #expect(size.isMultiple(of: part) ? size / part <= 10_000 : size / part < 10_000)
  }

  @Test func `a key is compared before its signature is looked at`() throws {
    let twin = try ManifestSamples.signer("twin")
    let other = try #require(twin.certificate.publicKeyPin)
    let bytes = try ManifestSamples.signed(try ManifestSamples.plain(key: try signer.publicKeyInfo), by: twin)
    let read = try SignedManifest(bytes)
    #expect(throws: ManifestError.otherKey(pin)) { try read.verify(by: [other]) }
    #expect(throws: ManifestError.otherKey(pin)) { try read.verify(by: [PublicKeyPin]()) }
    // The manifest names the robot's key, but another key signed it.
    #expect(throws: ManifestError.badSignature) { try read.verify(by: [other, pin]) }
  }

  @Test func `changed in any byte it is none, or not true`() throws {
    let manifest = try Manifest(
      item: ManifestSamples.item(size: 3), path: "front/2026-11-20T10-15-30.mp4",
      modifiedNanoseconds: 1_795_169_730_000_000_000,
      layoutVersion: 1,
      composition: Composition(then: [0..<3], of: Manifest.fileSource), file: ManifestSamples.digests([1, 2, 3]),
      preamble: nil, index: nil, served: nil, key: try signer.publicKeyInfo)
    let bytes = try ManifestSamples.signed(manifest, by: signer)
    for position in bytes.indices {
      for change: UInt8 in [1, 0x20, 0x80] {
        var changed = bytes
        changed[position] ^= change
        #expect(throws: ManifestError.self, "byte \(position) changed by \(change)") {
          try SignedManifest(changed).verify(by: [pin])
        }
      }
    }
    for count in 0..<bytes.count {
      #expect(throws: ManifestError.self, "the first \(count) bytes") { try SignedManifest(Array(bytes[..<count])) }
    }
  }

  @Test func `in pieces a digest is the same, wherever they are cut`() {
    let whole = ManifestSamples.digests(ManifestSamples.file)
    for length in [1 << 20, (1 << 20) - 1, 999_983, 3 << 20] {
      var digester = ObjectDigester()
      for start in stride(from: 0, to: ManifestSamples.file.count, by: length) {
        digester.update(Array(ManifestSamples.file[start..<min(ManifestSamples.file.count, start + length)]))
        digester.update([])
      }
      #expect(digester.finish() == whole, "in pieces of \(length)")
    }
    #expect(whole.count == 4 && whole.size == UInt64(ManifestSamples.file.count))
    #expect(whole.range(ofMebibyte: 3) == 3 << 20..<7 << 19)
    #expect(whole.digest(ofMebibyte: 4) == nil && whole.digest(ofMebibyte: -1) == nil)
    #expect(ManifestSamples.digests([]).count == 0)
  }

  @Test(arguments: [0, 1, (1 << 20) - 1, 1 << 20, 3 << 20, (7 << 19) - 1])
  func `a changed byte is found in its mebibyte`(position: Int) {
    var changed = ManifestSamples.file
    changed[position] ^= 1
    let whole = ManifestSamples.digests(ManifestSamples.file)
    #expect(ManifestSamples.digests(changed).differences(from: whole) == [position >> 20])
    #expect(whole.differences(from: whole) == [])
    let short = ManifestSamples.digests(Array(ManifestSamples.file.dropLast(1 << 20)))
    #expect(short.differences(from: whole) == [2, 3] && whole.differences(from: short) == [2, 3])
  }
}
#endif
