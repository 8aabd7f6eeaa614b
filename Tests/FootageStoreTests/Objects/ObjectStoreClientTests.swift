import FootageBase
import FootageFetching
import FootageHTTP
import FootageServing
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageStore

/// All operations with a well-behaved store.
@Suite struct ObjectStoreClientTests {
  private static let text = Array("what the robot saw".utf8)

  @Test func `an object is put, asked for, read whole and by range, listed and deleted`() async throws {
    let scene = try StoreScene()
    let client = scene.client
    #expect(try await client.head("a/b c/ü.mp4") == nil)
    let content = ObjectContent(Self.text)
    let tag = try await client.put("a/b c/ü.mp4", content, type: "video/mp4")
    #expect(tag == content.entityTag)
    #expect(scene.store.withContents { $0.keys } == ["fleet/a/b c/ü.mp4"])
    let stored = try await client.head("a/b c/ü.mp4")
    #expect(stored == StoredObject(length: UInt64(Self.text.count), entityTag: tag))
    let whole = try await client.get("a/b c/ü.mp4")
    #expect(whole.object == stored)
    #expect(try await whole.all() == Self.text)
    let piece = try await client.get("a/b c/ü.mp4", 5..<10, ifMatch: tag)
    #expect(piece.range == 5..<10)
    #expect(piece.object == stored)
    #expect(try await piece.all() == Array(Self.text[5..<10]))
    #expect(
      try await client.list("")
        == ObjectListing(
          objects: [ListedObject(key: "a/b c/ü.mp4", length: UInt64(Self.text.count), entityTag: tag)], next: nil))
    try await client.delete("a/b c/ü.mp4")
    try await client.delete("a/b c/ü.mp4")
    #expect(try await client.head("a/b c/ü.mp4") == nil)
    #expect(await StoreScene.reason { _ = try await client.get("a/b c/ü.mp4") } == .notFound)
    let put = try #require(scene.store.requests.all.first { $0.method == "PUT" })
    #expect(put.fields["content-type"] == "video/mp4")
    #expect(put.fields["content-md5"] == Base64.encode(content.md5))
    #expect(put.target == "/recordings/fleet/a/b%20c/%C3%BC.mp4")
    // No secret leaves this machine, and neither does a link that would act as one.
    for request in scene.store.requests.all {
      #expect(!request.target.lowercased().contains("signature"))
      #expect(!request.fields.values.contains { $0.contains(FakeObjectStore.secret) })
    }
  }

  @Test func `an object without bytes is one`() async throws {
    let scene = try StoreScene()
    try await scene.client.put("empty", ObjectContent([]))
    #expect(try await scene.client.head("empty")?.length == 0)
    #expect(try await scene.client.get("empty").all() == [])
  }

  @Test func `where there is an object, a conditional put leaves it, and another version is not read`() async throws {
    let scene = try StoreScene()
    let client = scene.client
    let tag = try await client.put("a", ObjectContent(Self.text), onlyIfAbsent: true)
    #expect(
      await StoreScene.reason { try await client.put("a", ObjectContent([1]), onlyIfAbsent: true) }
        == .preconditionFailed)
    #expect(try await client.get("a").all() == Self.text)
    try await client.put("a", ObjectContent([1]))
    #expect(await StoreScene.reason { _ = try await client.get("a", ifMatch: tag) } == .preconditionFailed)
    #expect(
      await StoreScene.reason { _ = try await client.get("a", 5..<10) }
        == .untrusted(.bytes("the object is shorter than the requested range")))
    scene.store.withContents { $0.knowsConditionalPut = false }
    #expect(
      await StoreScene.reason { try await client.put("b", ObjectContent([1]), onlyIfAbsent: true) }
        == .notImplemented)
  }

  @Test func `an upload goes on with what the store has, and becomes one object`() async throws {
    let scene = try StoreScene()
    let client = scene.client
    scene.store.withContents { $0.smallestPart = 1_000_000 }
    let sizes: [UInt64] = [1_200_000, 1_100_000, 300_000]
    let bodies = sizes.enumerated().map { PatternBody(length: $1, seed: UInt8($0)) }
    let id = try await client.createUpload("film", type: "video/mp4")
    #expect(try await client.listParts("film", upload: id) == [])
    #expect(try await client.listUploads("") == [PendingUpload(key: "film", id: id)])
    var digests: [[UInt8]] = []
    for (index, body) in bodies.enumerated() {
      let content = body.content
      digests.append(content.md5)
      guard index != 1 else { continue }
      let part = try await client.uploadPart("film", upload: id, number: index + 1, content)
      #expect(part == UploadedPart(number: index + 1, entityTag: content.entityTag, length: body.length))
    }
    let kept = try await client.listParts("film", upload: id)
    #expect(kept.map(\.number) == [1, 3])
    #expect(kept.map(\.length) == [sizes[0], sizes[2]])
    _ = try await client.uploadPart("film", upload: id, number: 2, bodies[1].content)
    let parts = try await client.listParts("film", upload: id)
    try await client.completeUpload("film", upload: id, parts)
    let stored = try await client.head("film")
    #expect(stored == StoredObject(length: sizes.reduce(0, +), entityTag: EntityTag(multipart: digests)))
    let reader = try await client.get("film", ifMatch: stored?.entityTag)
    #expect(try await reader.all() == bodies.flatMap(\.all))
    #expect(try await client.listUploads("") == [])
    #expect(await StoreScene.reason { _ = try await client.listParts("film", upload: id) } == .notFound)
    #expect(await StoreScene.reason { try await client.completeUpload("film", upload: id, parts) } == .notFound)
    // A part's body is held back until the store has asked for it.
    #expect(
      scene.store.requests.all.filter { $0.operation == .uploadPart }.map { $0.fields["expect"] != nil } == [
        true, false, true,
      ])
  }

  @Test func `an upload that is given up is gone, however often`() async throws {
    let scene = try StoreScene()
    let id = try await scene.client.createUpload("film")
    _ = try await scene.client.uploadPart("film", upload: id, number: 1, ObjectContent([1]))
    try await scene.client.abortUpload("film", upload: id)
    try await scene.client.abortUpload("film", upload: id)
    #expect(scene.store.withContents { $0.uploads.isEmpty })
    #expect(
      await StoreScene.reason {
        _ = try await scene.client.uploadPart("film", upload: id, number: 1, ObjectContent([1]))
      } == .notFound)
  }

  @Test func `lists go over pages, after a key, and in the order of bytes`() async throws {
    let scene = try StoreScene()
    let names = ["robot7/a", "robot7/e\u{301}", "robot7/z", "robot7/é", "robot7/😀"]
    scene.store.withContents { contents in
      contents.pageEntries = 2
      for name in names + ["robot70/x", "robot8/x"] { contents["fleet/" + name] = .init([1]) }
      for name in ["other/x", "zzz"] { contents[name] = .init([1]) }
    }
    var found: [String] = []
    var position: String?
    repeat {
      let page = try await scene.client.list("robot7/", startAfter: position)
      #expect(page.objects.count <= 2)
      found += page.objects.map(\.key)
      position = page.next
    } while position != nil
    #expect(found.map { Array($0.utf8) } == names.map { Array($0.utf8) })
    #expect(
      try await scene.client.list("robot7/", startAfter: "robot7/z").objects.map(\.key) == ["robot7/é", "robot7/😀"])
    #expect(try await scene.client.list("robot9/") == ObjectListing(objects: [], next: nil))
  }

  @Test func `uploads and parts go over pages, and those of another robot are left out`() async throws {
    let scene = try StoreScene()
    scene.store.withContents { contents in
      contents.pageEntries = 2
      contents.dropsSlashOfUploadPrefix = true
      for (index, name) in ["robot7", "robot70/x", "robot7/a", "robot7/a", "robot7/b"].enumerated() {
        contents.uploads["u\(index)"] = .init(key: "fleet/" + name, parts: [1: [1], 2: [2], 9: [3], 10_000: [4]])
      }
    }
    #expect(
      try await scene.client.listUploads("robot7/") == [
        PendingUpload(key: "robot7/a", id: "u2"), PendingUpload(key: "robot7/a", id: "u3"),
        PendingUpload(key: "robot7/b", id: "u4"),
      ])
    #expect(try await scene.client.listParts("robot7/a", upload: "u3").map(\.number) == [1, 2, 9, 10_000])
  }

  @Test func `a key that no store keeps is not asked for`() async throws {
    let scene = try StoreScene()
    for key in ["", "a/../b", "a\n", String(repeating: "k", count: 1_020)] {
      #expect(await StoreScene.reason { _ = try await scene.client.head(key) } == .unusableKey)
      #expect(await StoreScene.reason { try await scene.client.put(key, ObjectContent([])) } == .unusableKey)
    }
    #expect(scene.store.connections.all.isEmpty)
  }

  @Test func `a session's token is signed with everything else`() async throws {
    let scene = try StoreScene()
    let key = try StoreKey(accessKey: FakeObjectStore.accessKey, secret: .init("s"), sessionToken: "token==")
    let client = try StoreScene.client(scene.store.address(), key: key)
    #expect(try await client.head("a") == nil)
    let request = try #require(scene.store.requests.all.last)
    #expect(request.fields["x-amz-security-token"] == "token==")
    #expect(request.fields["authorization"]?.contains("x-amz-date;x-amz-security-token,") == true)
  }

  @Test func `requests name the host as it is signed, and their connections share a rate`() async throws {
    let scene = try StoreScene()
    let rate = SendingRate(1_000_000)
    let client = try StoreScene.client(scene.store.address(), key: StoreScene.key(), sendingRate: rate)
    try await client.put("a", ObjectContent([1]))
    #expect(scene.store.requests.all.last?.fields["host"] == "127.0.0.1:\(scene.store.port)")
    #expect(rate.connectionCount == 1)
  }
}
