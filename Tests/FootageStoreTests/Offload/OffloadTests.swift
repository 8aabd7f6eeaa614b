import Foundation
import FootageDigest
import FootageAPI
import FootageBase
import FootageHTTP
import FootageLibrary
import FootageSystem
@testable import FootageStore
import LinuxTestSupport
import Testing

/// A folder and a store over HTTP, as a server uses them.
@Suite struct OffloadTests {
  /// Returns the keys of one recording in the bucket.
  private func keys(_ scene: OffloadScene, _ name: String) -> [String] {
    scene.store.withContents { $0.keys.filter { $0.hasPrefix("fleet/robot7/\(name)/") } }
  }

  private func stored(_ count: Int, _ scene: OffloadScene) async throws {
    try await scene.wait("\(count) are stored") {
      let status = scene.service?.progress.report
      return status?.storedCount == count && status?.backlogCount == 0
    }
  }

  @Test func `a recording comes into the store, and is played from there when its file is gone`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "front/a.mp4")
    try scene.put(Samples.moovFirst, "b.mov")
    try await scene.start()
    try await stored(2, scene)
    let tag = try #require(scene["front/a"]?.versionTag?.text)
    let expected = ["index", "json", "mp4", "preamble"].map { "fleet/robot7/front/a/\(tag).\($0)" }
    #expect(keys(scene, "front/a") == expected)
    let object = scene.store.withContents { $0["fleet/robot7/front/a/\(tag).mp4"] }
    #expect(object?.bytes == Samples.moovLast)
    let (before, served) = (try #require(scene["front/a"]), try await scene.served("front/a"))
    #expect(before.whereabouts.item == .both)
    try FileTree.remove(scene.folder.path("front/a.mp4"))
    try await scene.wait("it is in the store alone") { scene["front/a"]?.isRemote == true }
    #expect(scene["front/a"]?.entityTag == before.entityTag && scene["front/a"]?.startedAt == before.startedAt)
    #expect(try await scene.served("front/a") == served)
    // Views are made from the index, and from bytes of the store.
    let clip = try await scene.view(.clip(start: nil, end: nil, version: nil), of: "front/a")
    #expect(clip.count > 10_000)
    // The same after a start, without the caches of this machine.
    scene.stop()
    try await scene.start()
    try await scene.wait("it is listed") { scene["front/a"]?.isRemote == true }
    #expect(try await scene.served("front/a") == served)
  }

  @Test func `without its state a robot finds its recordings in the store`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "front/a.mp4")
    try await scene.start()
    try await stored(1, scene)
    let (item, served) = (
      try #require(scene["front/a"]).item(at: UnixTimestamp(seconds: 0)), try await scene.served("front/a")
    )
    scene.stop()
    try FileTree.remove(scene.folder.path("front/a.mp4"))
    try FileTree.removeFolder(scene.folder.path(".footage"))
    try await scene.start()
    try await scene.wait("it is listed") { scene["front/a"]?.isRemote == true }
    var found = try #require(scene["front/a"]).item(at: UnixTimestamp(seconds: 0))
    #expect(found.place == .store)
    found.place = item.place
    #expect(found == item)
    #expect(try await scene.served("front/a") == served)
    #expect(try await scene.view(.playlist(), of: "front/a").starts(with: Array("#EXTM3U".utf8)))
  }

  @Test func `what comes back from the store is the version that it was`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "front/a.mp4")
    try await scene.start()
    try await stored(1, scene)
    let tag = scene["front/a"]?.entityTag
    #expect(
      try await scene.ask(.remove, ["front/a"]) == [
        .failed("it is still on the robot and would be sent again: delete it on the robot first")
      ])
    try FileTree.remove(scene.folder.path("front/a.mp4"))
    try await scene.wait("it is in the store alone") { scene["front/a"]?.isRemote == true }
    #expect(
      try await scene.ask(.restore, ["front/a"]) == [.done("it is on the robot again, identical to what was signed")])
    try await scene.wait("it is in both") { scene["front/a"]?.whereabouts.item == .both }
    #expect(scene["front/a"]?.entityTag == tag)
    #expect(try scene.contents("front/a.mp4") == Samples.moovLast)
    #expect(try await scene.ask(.read, nil) == [.done("it is in the store, byte for byte")])
    try FileTree.remove(scene.folder.path("front/a.mp4"))
    try await scene.wait("it is in the store alone") { scene["front/a"]?.isRemote == true }
    #expect(try await scene.ask(.remove, ["front/a"]) == [.done("it is deleted from the store")])
    try await scene.wait("nobody has it") { scene["front/a"] == nil }
    #expect(keys(scene, "front/a").isEmpty)
    // The manifest is deleted first, because files without a manifest do not count.
    let deleted = scene.store.requests.all.filter { $0.operation == .delete }.map(\.key)
    #expect(deleted.first?.hasSuffix(".json") == true)
  }

  /// Changes a byte of a recording's file in the store. The file's length and entity tag stay the same.
  ///
  /// - Returns: the file's key.
  private func corruptStored(_ name: String, _ scene: OffloadScene) throws -> String {
    let key = try #require(keys(scene, name).first { $0.hasSuffix(".mp4") })
    scene.store.withContents { contents in
      guard var object = contents[key] else { return }
      object.bytes[object.bytes.count / 2] ^= 1
      contents[key] = object
    }
    return key
  }

  @Test func `bytes that are not what was signed go to nobody`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovFirst, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    try FileTree.remove(scene.folder.path("a.mp4"))
    try await scene.wait("it is in the store alone") { scene["a"]?.isRemote == true }
    let key = try corruptStored("a", scene)
    await #expect(throws: StorageError.self) { try await scene.served("a") }
    let reads = scene.store.requests.all.filter { $0.operation == .get && $0.key == key }.count
    #expect(reads == 2)
    guard case .failed(let words)? = try await scene.ask(.read, ["a"]).first else {
      Issue.record("it was found to be right")
      return
    }
    #expect(words.contains("are not those that were signed"))
    guard case .failed? = try await scene.ask(.restore, ["a"]).first else {
      Issue.record("it was brought back")
      return
    }
    #expect(!FileTree.exists(scene.folder.path("a.mp4")))
  }

  @Test func `another robot's manifests are not touched`() async throws {
    let first = try OffloadScene()
    try first.put(Samples.moovFirst, "a.mp4")
    try await first.start()
    try await stored(1, first)
    first.stop()
    let before = first.store.withContents { $0.keys }
    let second = try OffloadScene(key: "twin", store: first.store)
    try second.put(Samples.moovLast, "b.mp4")
    try await second.start()
    try await second.wait("it says so") {
      second.service?.progress.report.troubles.first?.code == HealthCode.offloadForeign.rawValue
    }
    let after = first.store.withContents { $0.keys }
    #expect(after == before)
    #expect(second.service?.progress.report.troubles.count == 1)
  }

  @Test(
    arguments: [
      (.error(503, "SlowDown"), .offloadAway), (.error(403, "AccessDenied"), .offloadDenied),
      (.error(404, "NoSuchBucket"), .offloadDenied), (.error(507, "InsufficientStorage"), .offloadFull),
      (.redirect(to: "https://elsewhere.example/"), .offloadRedirect), (.closeBefore, .offloadAway),
    ] as [(FakeObjectStore.Fault, HealthCode)])
  func `what keeps recordings from the store is told, and gone with the next success`(
    fault: FakeObjectStore.Fault, code: HealthCode
  ) async throws {
    let scene = try OffloadScene()
    scene.store.play { _ in fault }
    try scene.put(Samples.moovFirst, "a.mp4")
    try await scene.start()
    try await scene.wait("it is told") { scene.service?.progress.report.troubles.first?.code == code.rawValue }
    scene.store.play { _ in nil }
    try await stored(1, scene)
    try await scene.wait("it is over") { scene.service?.progress.report.troubles.isEmpty == true }
  }

  @Test func `with the store away what it has is listed all the same, and who asks for something gets an answer`()
    async throws
  {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    scene.stop()
    try FileTree.remove(scene.folder.path("a.mp4"))
    scene.store.play { _ in .error(503, "SlowDown") }
    try await scene.start()
    try await scene.wait("it is told") { scene.service?.progress.report.troubles.isEmpty == false }
    // The store may have been asked before the folder was scanned.
    try await scene.wait("it is listed as what the store has") { scene["a"]?.isRemote == true }
    guard case .failed(let words)? = try await scene.ask(.verify, ["a"]).first else {
      Issue.record("it was verified")
      return
    }
    #expect(words.contains("does not answer"), "\(words)")
  }

  @Test func `a store that is killed again and again gets everything once it lives`() async throws {
    let scene = try OffloadScene()
    for number in 0..<8 { try scene.put(Samples.moovLast, "\(number).mp4") }
    scene.store.play { request in request.number % 7 == 3 ? .closeAfter : request.number % 11 == 5 ? .closeBefore : nil
    }
    try await scene.start()
    try await stored(8, scene)
  }

  @Test func `an engine without conditions, with tags of its own, or that says no to what it did, has it all the same`()
    async throws
  {
    let scene = try OffloadScene()
    scene.store.withContents { $0.knowsConditionalPut = false }
    scene.store.play { request in
      switch request.operation {
      case .completeUpload: .errorInside("InternalError")
      case .head:
        .lie { answer in
          answer.fields = answer.fields.map {
            $0.name.lowercased() == "etag" ? ($0.name, "\"0123456789abcdef0123456789abcdef-7\"") : $0
          }
        }
      default: nil
      }
    }
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
  }

  @Test func `what verify finds lost is brought there again`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try scene.put(Samples.moovFirst, "b.mp4")
    try await scene.start()
    try await stored(2, scene)
    scene.lose("a")
    let states = try await scene.ask(.verify, nil)
    #expect(states.count == 2 && states.last == .done("it is in the store, with the right length"), "\(states)")
    guard case .failed(let words)? = states.first else {
      Issue.record("it was verified")
      return
    }
    #expect(words.contains("the store has lost") && words.hasSuffix("it will be sent again"), "\(words)")
    try await scene.wait("it is there again") { keys(scene, "a").count == 4 }
    try await stored(2, scene)
    #expect(try await scene.ask(.read, ["a"]) == [.done("it is in the store, byte for byte")])
  }

  @Test(arguments: [OffloadTask.Verb.verify, .read])
  func `what is damaged in the store is sent again, whatever its entity tag says`(verb: OffloadTask.Verb) async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    let key = try #require(keys(scene, "a").first { $0.hasSuffix(".mp4") })
    scene.store.withContents { contents in
      guard var object = contents[key] else { return }
      if verb == .read { object.bytes[object.bytes.count / 2] ^= 1 } else { object.bytes.removeLast() }
      contents[key] = object
    }
    guard case .failed(let words)? = try await scene.ask(verb, ["a"]).first else {
      Issue.record("it was found to be right")
      return
    }
    #expect(words.hasSuffix("it will be sent again"), "\(words)")
    try await scene.wait("it is whole again") { scene.store.withContents { $0[key]?.bytes == Samples.moovLast } }
    try await stored(1, scene)
  }

  @Test func `a start that finds a recording lost keeps its file until it is stored again`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    let served = try await scene.served("a")
    scene.stop()
    scene.lose("a")
    try await scene.start()
    for _ in 0..<50 where FileTree.exists(scene.folder.path("a.mp4")) {
      try await scene.makeRoom(isStrict: true)
      #expect(FileTree.exists(scene.folder.path("a.mp4")) || keys(scene, "a").count == 4)
    }
    try await stored(1, scene)
    try await scene.wait("it goes when the store has it") {
      try await scene.makeRoom(isStrict: true)
      return scene["a"]?.isRemote == true
    }
    #expect(keys(scene, "a").count == 4)
    #expect(try await scene.served("a") == served)
  }

  @Test(arguments: [true, false])
  func `the store is asked directly before a file goes, and what it has lost stays`(isStrict: Bool) async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    // Only the file is removed; the manifest does not show that.
    let key = try #require(keys(scene, "a").first { $0.hasSuffix(".mp4") })
    scene.store.withContents { $0[key] = nil }
    scene.store.requests.removeAll()
    try await scene.makeRoom(isStrict: isStrict)
    #expect(FileTree.exists(scene.folder.path("a.mp4")))
    #expect(scene.store.requests.all.contains { $0.operation == .head && $0.key == key })
    try await scene.wait("it is sent again") { scene.store.withContents { $0[key] != nil } }
    try await stored(1, scene)
    try await scene.makeRoom(isStrict: isStrict)
    try await scene.wait("it is in the store alone") { scene["a"]?.isRemote == true }
  }

  @Test func `while the store does not answer nothing goes where that is strict`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    scene.store.play { _ in .error(503, "SlowDown") }
    try await scene.makeRoom(isStrict: true)
    #expect(FileTree.exists(scene.folder.path("a.mp4")))
    #expect(scene.library?.retention.failure?.contains("store") == true)
    scene.store.play { _ in nil }
    try await scene.wait("it goes") {
      try await scene.makeRoom(isStrict: true)
      return scene["a"]?.isRemote == true
    }
  }

  @Test func `what the store alone had, and has lost, is told until somebody gives it up`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    try FileTree.remove(scene.folder.path("a.mp4"))
    try await scene.wait("it is in the store alone") { scene["a"]?.isRemote == true }
    scene.lose("a")
    guard case .failed(let words)? = try await scene.ask(.verify, ["a"]).first else {
      Issue.record("it was verified")
      return
    }
    #expect(words.hasSuffix("it is not on the robot either"), "\(words)")
    func isMissing() -> Bool {
      scene.service?.progress.report.troubles.contains { $0.code == HealthCode.offloadMissing.rawValue } == true
    }
    #expect(isMissing())
    // A start finds the same, and does not treat the recording as deleted.
    for _ in 0..<3 {
      scene.stop()
      scene.log.removeAll()
      try await scene.start()
      try await scene.wait("it is told again") { isMissing() && scene["a"]?.isRemote == true }
      #expect(!scene.log.all.contains { if case .gone = $0 { true } else { false } }, "\(scene.log.all)")
    }
    #expect(try await scene.ask(.remove, ["a"]) == [.done("it is deleted from the store")])
    try await scene.wait("nobody has it") { scene["a"] == nil && !isMissing() }
  }

  @Test func `what the catalog has is not taken for a file before the folder was listed`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    let recording = try #require(scene["a"])
    let keys = ObjectKeys(prefix: "robot7/", name: "a", tag: try #require(recording.versionTag).text)
    scene.stop()
    try FileTree.remove(scene.folder.path("a.mp4"))
    let library = try await scene.open()
    let served = ServedLibrary(library, StoredVersions(), pins: { [] })
    #expect(library.snapshot.recording(named: "a")?.isRemote == false)
    #expect(served.presence(of: keys) == .unknown)
    try library.start { _ in }
    defer { library.stop() }
    try await eventually("the folder to be listed") { () async -> Bool in served.presence(of: keys) == .absent }
  }

  @Test func `what is protected is not deleted in the store, and a file's name will do`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    try await scene.wait("it is protected") {
      try scene.library?.keep(name: "a")
      return scene["a"]?.isKept == true
    }
    try FileTree.remove(scene.folder.path("a.mp4"))
    try await scene.wait("it is in the store alone") { scene["a"]?.isRemote == true }
    guard case .failed(let words)? = try await scene.ask(.remove, ["a"]).first else {
      Issue.record("it was deleted")
      return
    }
    #expect(words.hasPrefix("it is protected"), "\(words)")
    #expect(keys(scene, "a").count == 4)
    // The restored file is protected.
    #expect(
      try await scene.ask(.restore, ["a.mp4"]) == [.done("it is on the robot again, identical to what was signed")])
    try await scene.wait("it is here, and protected") {
      scene["a"]?.whereabouts.item == .both && scene["a"]?.isKept == true
    }
    try scene.library?.release(name: "a")
    try FileTree.remove(scene.folder.path("a.mp4"))
    try await scene.wait("it is in the store alone") { scene["a"]?.isRemote == true && scene["a"]?.isKept == false }
    #expect(try await scene.ask(.remove, ["a.mp4"]) == [.done("it is deleted from the store")])
    try await scene.wait("nobody has it") { scene["a"] == nil && keys(scene, "a").isEmpty }
  }

  @Test(
    arguments: [
      .lie { answer in
        answer.fields = answer.fields.map { ($0.name, $0.name.lowercased() == "etag" ? "\"foreign\"" : $0.value) }
        answer.body = answer.body.map { $0 ^ 1 }
      }, .error(404, "NoSuchKey"), .error(412, "PreconditionFailed"), .errorInside("InternalError"), .cutOff(100),
      .redirect(to: "https://elsewhere.example/"), .error(403, "AccessDenied"), .closeBefore,
    ] as [FakeObjectStore.Fault])
  func `whatever a store says wrongly, it is asked again, and what it has plays`(
    fault: FakeObjectStore.Fault
  ) async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    let served = try await scene.served("a")
    try FileTree.remove(scene.folder.path("a.mp4"))
    try await scene.wait("it is in the store alone") { scene["a"]?.isRemote == true }
    // The fault is the answer to every request, including those of offloading.
    scene.store.play { _ in fault }
    _ = try? await scene.served("a")
    _ = try await scene.ask(.verify, ["a"])
    // A start does not treat the recording as deleted, either.
    scene.stop()
    try await scene.start()
    try await scene.wait("it is told") { scene.service?.progress.report.troubles.isEmpty == false }
    try await scene.wait("the folder is looked at") { scene["a"] == nil || scene["a"]?.isRemote == true }
    scene.store.play { _ in nil }
    try await scene.wait("it plays") { try await scene.served("a") == served }
    try await scene.wait("nothing is wrong any more") { scene.service?.progress.report.troubles.isEmpty == true }
  }

  @Test func `news that come after its end hold nothing of the folder`() async throws {
    let scene = try OffloadScene()
    try await scene.start()
    do {
      let service = try #require(scene.service)
      service.stop()
      service.lookAgain()
      #expect(await service.ask(.verify, of: nil) == nil)
    }
    scene.stop()
    _ = try await scene.open()
  }

  @Test func `what is protected in the store alone can be released, also when the store has lost it`() async throws {
    let scene = try OffloadScene()
    for name in ["a.mp4", "b.mp4"] { try scene.put(Samples.moovLast, name) }
    try await scene.start()
    try await stored(2, scene)
    try await scene.wait("they are protected") {
      for name in ["a", "b"] { try scene.library?.keep(name: name) }
      return scene["a"]?.isKept == true && scene["b"]?.isKept == true
    }
    guard case .failed(let words)? = try await scene.ask(.release, ["a"]).first else {
      Issue.record("it was released")
      return
    }
    #expect(words.contains("footage release") && scene["a"]?.isKept == true, "\(words)")
    for name in ["a", "b"] {
      try FileTree.remove(scene.folder.path("\(name).mp4"))
      try await scene.wait("it is in the store alone") { scene[name]?.isRemote == true }
    }
    scene.lose("a")
    _ = try await scene.ask(.verify, ["a"])
    for name in ["a", "b"] {
      guard case .failed(let words)? = try await scene.ask(.remove, [name]).first else {
        Issue.record("it was deleted")
        return
      }
      #expect(words.contains("footage offload release"), "\(words)")
      #expect(try await scene.ask(.release, [name]) == [.done("it is no longer protected")])
      try await scene.wait("it is released") { scene[name]?.isKept == false }
      #expect(try await scene.ask(.release, [name]) == [.done("it is not protected")])
    }
    // The loss is reported all the same, until the recording is given up.
    #expect(scene.service?.progress.report.troubles.contains { $0.code == HealthCode.offloadMissing.rawValue } == true)
    for name in ["a", "b"] { #expect(try await scene.ask(.remove, [name]) == [.done("it is deleted from the store")]) }
    try await scene.wait("nobody has them") {
      scene["a"] == nil && scene["b"] == nil && scene.service?.progress.report.troubles.isEmpty == true
    }
  }

  @Test func `what comes back is written through no link, and into folders that are made again`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "rear/day/a.mp4")
    try scene.put(Samples.moovFirst, "front/b.mp4")
    try await scene.start()
    try await stored(2, scene)
    for path in ["rear/day/a.mp4", "front/b.mp4"] { try FileTree.remove(scene.folder.path(path)) }
    try await scene.wait("both are in the store alone") {
      scene["rear/day/a"]?.isRemote == true && scene["front/b"]?.isRemote == true
    }
    // A user who may write to the recordings folder replaces a folder with a link to another place.
    let outside = try TemporaryFolder()
    try FileTree.createFolder(outside.path("day"))
    try FileTree.removeFolder(scene.folder.path("rear"))
    try FileManager.default.createSymbolicLink(
      atPath: scene.folder.path("rear"), withDestinationPath: outside.location)
    guard case .failed? = try await scene.ask(.restore, ["rear/day/a"]).first else {
      Issue.record("it was brought back")
      return
    }
    #expect(try FolderListing.entries(of: outside.path("day")).isEmpty)
    try FileTree.remove(scene.folder.path("rear"))
    try FileTree.removeFolder(scene.folder.path("front"))
    for name in ["rear/day/a", "front/b"] {
      let told = try await scene.ask(.restore, [name])
      #expect(told == [.done("it is on the robot again, identical to what was signed")])
    }
    try await scene.wait("both are here") {
      scene["rear/day/a"]?.whereabouts.item == .both && scene["front/b"]?.whereabouts.item == .both
    }
    #expect(try scene.contents("rear/day/a.mp4") == Samples.moovLast)
  }

  @Test func `what was found to have other bytes counts as stored only once it was sent anew, or read`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    let path = scene.folder.path("a.mp4")
    let aside = scene.folder.path(".aside")
    #expect(try Command("cp", "-p", path, aside).run().succeeded)
    try FileTree.remove(path)
    try await scene.wait("it is in the store alone") { scene["a"]?.isRemote == true }
    let key = try corruptStored("a", scene)
    for verb in [OffloadTask.Verb.read, .verify] {
      guard case .failed(let words)? = try await scene.ask(verb, ["a"]).first else {
        Issue.record("it was found to be right")
        return
      }
      #expect(words.contains("are not those that were signed"), "\(words)")
    }
    scene.stop()
    try await scene.start()
    try await scene.wait("it is told again") {
      scene.service?.progress.report.troubles.contains { $0.code == HealthCode.offloadMissing.rawValue } == true
    }
    // The good copy is restored.
    #expect(try Command("cp", "-p", aside, path).run().succeeded)
    func isGood() -> Bool { scene.store.withContents { $0[key]?.bytes == Samples.moovLast } }
    for _ in 0..<20 {
      try await scene.makeRoom(isStrict: true)
      #expect(FileTree.exists(path) || isGood())
    }
    try await scene.wait("it is sent again") { isGood() }
    try await scene.wait("nothing is wrong any more") { scene.service?.progress.report.troubles.isEmpty == true }
    try await scene.wait("it goes then") {
      try await scene.makeRoom(isStrict: true)
      return scene["a"]?.isRemote == true
    }
  }

  @Test func `what is protected is so when the catalog is lost, and what is not listed is not deleted`() async throws {
    let scene = try OffloadScene()
    try scene.put(Samples.moovLast, "a.mp4")
    try await scene.start()
    try await stored(1, scene)
    try scene.library?.keep(name: "a")
    try FileTree.remove(scene.folder.path("a.mp4"))
    try await scene.wait("it is in the store alone, and protected") {
      scene["a"]?.isRemote == true && scene["a"]?.isKept == true
    }
    // A turn records it.
    _ = try await scene.ask(.verify, ["a"])
    scene.stop()
    for suffix in ["", "-wal", "-shm"] { try FileTree.remove(scene.folder.path(".footage/catalog.sqlite\(suffix)")) }
    try await scene.start()
    try await scene.wait("it is listed, and protected") { scene["a"]?.isRemote == true && scene["a"]?.isKept == true }
    guard case .failed(let words)? = try await scene.ask(.remove, ["a"]).first else {
      Issue.record("it was deleted")
      return
    }
    #expect(words.hasPrefix("it is protected"), "\(words)")
    #expect(keys(scene, "a").count == 4)
  }
}
