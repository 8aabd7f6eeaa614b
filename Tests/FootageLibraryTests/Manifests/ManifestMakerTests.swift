import FootageDigest
import FootageAPI
import FootageBase
import Foundation
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct ManifestMakerTests {
  let folder: TemporaryFolder
  let signer: TestSigner
  let pin: PublicKeyPin

  init() throws {
    folder = try TemporaryFolder()
    signer = try TestSigner()
    pin = try #require(signer.pin)
  }

  private func digests(_ bytes: [UInt8]) -> ObjectDigests {
    var digester = ObjectDigester()
    digester.update(bytes)
    return digester.finish()
  }

  /// Returns a `free` box of the given number of bytes.
  private func free(_ count: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + Array("free".utf8)
      + (0..<(count - 8)).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 11) }
  }

  @Test(arguments: [
    ("moovLast", Samples.moovLast), ("moovFirst", Samples.moovFirst), ("fragmented", Samples.fragmented),
  ])
  func `it says what the recording is, and the digests of all its bytes`(kind: String, bytes: [UInt8]) throws {
    // A fragmented file ends with its last whole fragment.
    let bytes = kind == "fragmented" ? bytes : bytes + free(5 << 19)
    let fixture = try LibraryFixture(in: folder)
    try fixture.makeManifests(by: signer)
    try put(bytes, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let recording = try #require(fixture["a"])
    guard case .beingMade = try fixture.library.manifest(of: recording, for: .viewer) else {
      Issue.record("it is there before anybody asks")
      return
    }
    let signed = try fixture.manifest("a")
    #expect(try signed.verify(by: [pin]) == pin)
    let manifest = signed.manifest
    let content = try #require(fixture["a"]?.content)
    #expect(manifest.file == digests(bytes))
    let served = try fixture.served("a")
    #expect(manifest.served == digests(served))
    #expect(manifest.composition == content.composition)
    #expect(manifest.isServedAsItIs == (kind == "moovFirst"))
    #expect(
      manifest.preamble == (kind == "moovFirst" ? nil : digests(Array(served.prefix(Int(content.preambleLength))))))
    let index = try fixture.library.openIndex(of: recording)
    #expect(manifest.index == digests(try index.bytes(at: 0, count: Int(index.length))))
    let listed = try #require(fixture["a"]).item(at: fixture.library.now)
    func text(_ item: RecordingItem) -> [UInt8] {
      var json = JSONWriter()
      item.write(into: &json)
      return json.bytes
    }
    #expect(text(manifest.item) == text(listed))
    #expect(manifest.item.shift != nil)
    #expect(manifest.layoutVersion == 1 && manifest.tag == listed.tag)
    let stored = try #require(contents("\(fixture.library.place.heads)/\(fixture.manifestNames[0])"))
    #expect(stored == signed.bytes)
  }

  @Test func `one that is there is never signed anew, whatever becomes of server and key`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try age(folder.path("a.mp4"), by: 100)
    let first: SignedManifest
    do {
      let fixture = try LibraryFixture(in: folder)
      try fixture.makeManifests(by: signer)
      first = try fixture.manifest("a")
      for urgency in [ManifestUrgency.viewer, .offload, .background] {
        #expect(try fixture.manifest("a", urgency) == first)
      }
      try signer.promote("twin")
      #expect(try fixture.manifest("a") == first)
      try put(Samples.moovFirst, folder.path("b.mp4"))
      #expect(try fixture.manifest("b").verify(by: [try #require(signer.pin)]) != pin)
      fixture.library.stop()
    }
    let fixture = try LibraryFixture(in: folder)
    try fixture.makeManifests(by: signer, always: true)
    #expect(try fixture.manifest("a") == first)
    #expect(try fixture.manifest("a").verify(by: [pin]) == pin)
    #expect(signer.signatures.withLock { $0 } == 2)
  }

  @Test func `a catalog that was lost costs no manifest`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try age(folder.path("a.mp4"), by: 100)
    let first: SignedManifest
    let place: LibraryPaths
    do {
      let fixture = try LibraryFixture(in: folder)
      try fixture.makeManifests(by: signer)
      first = try fixture.manifest("a")
      place = fixture.library.place
      fixture.library.stop()
      try age("\(place.heads)/\(fixture.manifestNames[0])", by: 1_000)
    }
    for suffix in ["", "-wal", "-shm"] { try FileTree.remove(place.catalog + suffix) }
    let fixture = try LibraryFixture(in: folder)
    try fixture.makeManifests(by: signer)
    try fixture.waitUntilReady("a")
    #expect(try fixture.manifest("a") == first)
  }

  @Test func `it goes with its recording, also while nobody looks`() throws {
    for (name, seconds) in [("a", 100.0), ("b", 200)] {
      try put(Samples.moovLast, folder.path("\(name).mp4"))
      try age(folder.path("\(name).mp4"), by: seconds)
    }
    let (heads, orphan) = try leaveOrphan()
    try age("\(heads)/\(orphan)", by: 1_000)
    let next = try LibraryFixture(in: folder)
    try eventually("b's is gone: \(next.manifestNames)") { next.manifestNames == [] }
  }

  /// Leaves manifests behind: `a` is deleted while a library is watching, `b` after it has ended.
  private func leaveOrphan() throws -> (heads: String, orphan: String) {
    let fixture = try LibraryFixture(in: folder)
    try fixture.makeManifests(by: signer)
    for name in ["a", "b"] { _ = try fixture.manifest(name) }
    #expect(fixture.manifestNames.count == 2)
    let tag = try #require(fixture["b"]?.content?.tag)
    let orphan = try #require(fixture.manifestNames.first { $0.hasPrefix(tag) })
    try FileTree.remove(folder.path("a.mp4"))
    try eventually("a's is gone: \(fixture.manifestNames)") { fixture.manifestNames == [orphan] }
    fixture.library.stop()
    try FileTree.remove(folder.path("b.mp4"))
    return (fixture.library.place.heads, orphan)
  }

  @Test func `another version has another one, and the first goes`() throws {
    let fixture = try LibraryFixture(in: folder)
    try fixture.makeManifests(by: signer)
    try put(Samples.moovLast, folder.path("a.mp4"))
    let first = try fixture.manifest("a")
    try put(Samples.moovLast + free(1_000), folder.path("a.mp4"))
    try fixture.wait("the other version") {
      $0.recording(named: "a").map { $0.entityTag != first.manifest.item.entityTag && $0.state == .ready } ?? false
    }
    let second = try fixture.manifest("a")
    #expect(second.manifest.file == digests(Samples.moovLast + free(1_000)))
    try eventually("the first is gone") { fixture.manifestNames.count == 1 }
  }

  @Test func `two names of one version have one each, and keep them`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try age(folder.path("a.mp4"), by: 100)
    try FileTree.link(folder.path("a.mp4"), as: folder.path("b.mp4"))
    let fixture = try LibraryFixture(in: folder)
    try fixture.makeManifests(by: signer)
    let (a, b) = (try fixture.manifest("a"), try fixture.manifest("b"))
    #expect(a.manifest.item.name == "a" && b.manifest.item.name == "b")
    #expect(a.manifest.tag == b.manifest.tag && a.manifest.file == b.manifest.file)
    for _ in 0..<3 {
      #expect(try fixture.manifest("a") == a)
      #expect(try fixture.manifest("b") == b)
    }
    #expect(signer.signatures.withLock { $0 } == 2)
  }

  @Test(arguments: ["cut", "bit", "empty", "other"])
  func `one that is damaged is made again`(how: String) throws {
    let fixture = try LibraryFixture(in: folder)
    try fixture.makeManifests(by: signer)
    try put(Samples.moovLast, folder.path("a.mp4"))
    let first = try fixture.manifest("a")
    let path = "\(fixture.library.place.heads)/\(fixture.manifestNames[0])"
    var bytes = first.bytes
    switch how {
    case "cut": bytes.removeLast(20)
    case "bit": bytes[bytes.count / 2] ^= 1
    case "empty": bytes = []
    default:
      try put(Samples.moovFirst, folder.path("b.mp4"))
      bytes = try fixture.manifest("b").bytes
    }
    try put(bytes, path)
    let second = try fixture.manifest("a")
    #expect(second.manifest.item == first.manifest.item && second.manifest.file == first.manifest.file)
    #expect(contents(path) == second.bytes)
  }

  @Test func `with --manifests every recording gets one, the newest first`() throws {
    for (index, name) in ["a", "b", "c"].enumerated() {
      try put(Samples.moovLast, folder.path("2026-11-20T10-1\(index)-00 \(name).mp4"))
      try age(folder.path("2026-11-20T10-1\(index)-00 \(name).mp4"), by: 100)
    }
    let fixture = try LibraryFixture(in: folder)
    try fixture.wait("all") { $0.count == 3 && $0.recordings.allSatisfy { $0.state == .ready } }
    let made = EventLog<String>()
    try fixture.makeManifests(by: signer, always: true)
    fixture.library.onManifest { if case .success = $0.result { made.append($0.name) } }
    try eventually("three: \(fixture.manifestNames)") { fixture.manifestNames.count == 3 }
    try put(Samples.moovFirst, folder.path("later.mp4"))
    try fixture.waitUntilReady("later")
    fixture.move(seconds: 60)
    try eventually("four: \(fixture.manifestNames)") { fixture.manifestNames.count == 4 }
    try eventually("the word of it: \(made.all)") { made.all.last == "later" }
  }

  @Test func `who wants one is told when it is there, or cannot be`() throws {
    let fixture = try LibraryFixture(in: folder)
    try fixture.makeManifests(by: signer)
    let notices = EventLog<String>()
    fixture.library.onManifest { notice in
      switch notice.result {
      case .success(let manifest): notices.append("\(notice.name) \(notice.tag.text) \(manifest.manifest.item.name)")
      case .failure(let error): notices.append("\(notice.name): \(error)")
      }
    }
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let recording = try #require(fixture["a"])
    guard case .beingMade = try fixture.library.manifest(of: recording, for: .offload) else { return }
    try eventually("the word of it") { notices.all == ["a \(try! #require(recording.versionTag).text) a"] }
  }

  @Test func `a key that cannot sign is said, and nothing is read for it`() throws {
    let fixture = try LibraryFixture(in: folder)
    try fixture.library.makeManifests(always: false) { () throws(ManifestSigningFailure) in
      throw ManifestSigningFailure("the server's key (RSA) cannot sign manifests")
    }
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let recording = try #require(fixture["a"])
    #expect(throws: LibraryError.noManifest(name: "a", reason: "the server's key (RSA) cannot sign manifests")) {
      try fixture.library.manifest(of: recording, for: .viewer)
    }
    let command = try LibraryFixture(in: try TemporaryFolder(), isStarted: false)
    #expect(throws: LibraryError.noManifest(name: "a", reason: "only the server makes manifests")) {
      try command.library.manifest(of: recording, for: .viewer)
    }
  }

  @Test func `what is refused has none, and says why`() throws {
    let fixture = try LibraryFixture(in: folder)
    try fixture.makeManifests(by: signer)
    try put(Array("no movie".utf8), folder.path("x.mp4"))
    try fixture.waitForState("x") { if case .refused = $0 { true } else { false } }
    let recording = try #require(fixture["x"])
    #expect(throws: LibraryError.self) { try fixture.library.manifest(of: recording, for: .viewer) }
  }

  @Test func `a file that is written to while it is read leaves nothing behind`() throws {
    let fixture = try LibraryFixture(in: folder)
    try put(Samples.moovLast + free(3 << 20), folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let recording = try #require(fixture["a"])
    let chunks = Mutex(0)
    let path = folder.path("a.mp4")
    let signer = try signer.signer
    let reading = ManifestReading(recording: recording, now: fixture.library.now, signer: signer) {
      let count = chunks.withLock { count in
        count += 1
        return count
      }
      // The write comes after the preamble, the index and a mebibyte of the file were read. The length stays the same.
      guard count == 4, let handle = FileHandle(forWritingAtPath: path) else { return false }
      handle.seek(toFileOffset: 100)
      handle.write(Data([1, 2, 3]))
      handle.closeFile()
      return false
    }
    #expect(throws: LibraryError.changed(name: "a")) { try reading.make() }
    #expect(chunks.withLock { $0 } >= 4)
    #expect(self.signer.signatures.withLock { $0 } == 0)
  }

  @Test func `it ends within a mebibyte`() throws {
    let fixture = try LibraryFixture(in: folder)
    try put(Samples.moovLast + free(3 << 20), folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let chunks = Mutex(0)
    let reading = ManifestReading(
      recording: try #require(fixture["a"]), now: fixture.library.now, signer: try signer.signer
    ) {
      chunks.withLock { count in
        count += 1
        return count > 3
      }
    }
    #expect(try reading.make() == nil)
    #expect(chunks.withLock { $0 } == 4)
  }
}
