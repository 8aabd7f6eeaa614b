import Foundation
import FootageBase
import FootageFetching
import FootageHTTP
import FootageSystem
import Testing
import FootageAPI

@testable import FootageStore

/// The same operations on a real engine. `FOOTAGE_TEST_STORE` gives the address of its bucket, and
/// `FOOTAGE_TEST_STORE_KEY` the file with its key (`scripts/lib/object_store.sh` starts an engine).
@Suite(.enabled(if: Engine.address != nil, "FOOTAGE_TEST_STORE names no store"), .serialized) struct EngineTests {
  private static func client(_ address: String? = Engine.address) throws -> ObjectStoreClient {
    let path = try #require(Engine.keyPath, "FOOTAGE_TEST_STORE_KEY names no file")
    // Each test has a prefix of its own.
    let prefix = "\(UUID().uuidString)/"
    return try StoreScene.client(
      "\(try #require(address))/\(prefix)", key: StoreKey.read(path).key, limits: ObjectStoreLimits())
  }

  @Test func `an object is put, asked for, read, listed and deleted`() async throws {
    let client = try Self.client()
    let bytes = PatternBody(length: 3_000_000).all
    for key in ["robot7/a b/ü+&<>'\"~.mp4", "robot7/x", "robot70/y", "robot7"] {
      #expect(try await client.head(key) == nil)
      let tag = try await client.put(key, ObjectContent(bytes), type: "video/mp4")
      let stored = try #require(try await client.head(key))
      #expect(stored.length == UInt64(bytes.count))
      #expect(stored.entityTag == ObjectContent(bytes).entityTag)
      #expect(tag == stored.entityTag)
      #expect(try await client.get(key).all() == bytes)
      #expect(try await client.get(key, 5..<1_000_000, ifMatch: tag).all() == Array(bytes[5..<1_000_000]))
      let last = UInt64(bytes.count)
      #expect(try await client.get(key, (last - 1)..<last, ifMatch: tag).all() == [bytes[bytes.count - 1]])
      let beyond = await StoreScene.reason { _ = try await client.get(key, last..<(last + 5), ifMatch: tag) }
      guard case .untrusted(.bytes)? = beyond else {
        Issue.record("\(beyond as Any)")
        return
      }
      let other = try #require(EntityTag(strong: "d41d8cd98f00b204e9800998ecf8427e"))
      #expect(await StoreScene.reason { _ = try await client.get(key, 0..<5, ifMatch: other) } == .preconditionFailed)
    }
    #expect(try await client.list("robot7/").objects.map(\.key) == ["robot7/a b/ü+&<>'\"~.mp4", "robot7/x"])
    #expect(try await client.list("robot7/", startAfter: "robot7/b").objects.map(\.key) == ["robot7/x"])
    #expect(try await client.list("").objects.count == 4)
    for object in try await client.list("").objects { try await client.delete(object.key) }
    try await client.delete("robot7/x")
    #expect(try await client.list("").objects == [])
    #expect(await StoreScene.reason { _ = try await client.get("robot7/x") } == .notFound)
  }

  @Test func `a conditional put leaves what is there, or is not known to the engine`() async throws {
    let client = try Self.client()
    let first = try await Self.outcome { try await client.put("a", ObjectContent([1]), onlyIfAbsent: true) }
    if first == .notImplemented {
      // Nothing was written. A plain PUT is equivalent if the version is in the key.
      #expect(try await client.head("a") == nil)
      try await client.put("a", ObjectContent([1]))
    } else {
      #expect(first == nil)
      #expect(
        try await Self.outcome { try await client.put("a", ObjectContent([2]), onlyIfAbsent: true) }
          == .preconditionFailed)
    }
    #expect(try await client.get("a").all() == [1])
    try await client.delete("a")
  }

  /// Returns the reason of a failure; nil for a success.
  private static func outcome(_ body: () async throws -> Void) async throws -> ObjectStoreError.Reason? {
    do { try await body() } catch let error as ObjectStoreError { return error.reason }
    return nil
  }

  @Test func `an upload goes on with what the engine has`() async throws {
    let client = try Self.client()
    let bodies = [(5 << 20) as UInt64, 5 << 20, 12_345].enumerated().map { PatternBody(length: $1, seed: UInt8($0)) }
    let id = try await client.createUpload("robot7/film", type: "video/mp4")
    var digests: [[UInt8]] = []
    for (index, body) in bodies.enumerated() where index != 1 {
      let content = body.content
      let part = try await client.uploadPart("robot7/film", upload: id, number: index + 1, content)
      #expect(part.entityTag == content.entityTag)
    }
    // Another client continues the upload.
    let other = try StoreScene.client(
      client.address.description, key: StoreKey.read(try #require(Engine.keyPath)).key)
    #expect(try await other.listUploads("robot7/") == [PendingUpload(key: "robot7/film", id: id)])
    #expect(try await other.listUploads("robot8/") == [])
    let kept = try await other.listParts("robot7/film", upload: id)
    #expect(kept.map(\.number) == [1, 3])
    #expect(kept.map(\.length) == [bodies[0].length, bodies[2].length])
    _ = try await other.uploadPart("robot7/film", upload: id, number: 2, bodies[1].content)
    for body in bodies { digests.append(body.content.md5) }
    let parts = try await other.listParts("robot7/film", upload: id)
    try await other.completeUpload("robot7/film", upload: id, parts)
    let stored = try #require(try await other.head("robot7/film"))
    #expect(stored.length == bodies.reduce(0) { $0 + $1.length })
    #expect(stored.entityTag == EntityTag(multipart: digests))
    // The range crosses the border between two parts.
    let border = bodies[0].length
    let piece = try await other.get("robot7/film", (border - 10)..<(border + 10), ifMatch: stored.entityTag).all()
    #expect(piece == bodies[0].all.suffix(10) + bodies[1].all.prefix(10))
    // Some engines have forgotten the upload by then, and others repeat the same answer.
    let again = try await Self.outcome { try await other.completeUpload("robot7/film", upload: id, parts) }
    #expect(again == nil || again == .notFound)
    #expect(try await other.head("robot7/film") == stored)
    #expect(try await other.listUploads("") == [])
    try await other.delete("robot7/film")
  }

  @Test func `an upload that is given up is gone`() async throws {
    let client = try Self.client()
    let id = try await client.createUpload("robot7/film")
    _ = try await client.uploadPart("robot7/film", upload: id, number: 1, ObjectContent([1, 2, 3]))
    try await client.abortUpload("robot7/film", upload: id)
    try await client.abortUpload("robot7/film", upload: id)
    #expect(try await client.listUploads("") == [])
    #expect(await StoreScene.reason { _ = try await client.listParts("robot7/film", upload: id) } == .notFound)
  }

  @Test func `bytes that were not signed are not kept`() async throws {
    let client = try Self.client()
    let content = ObjectContent([1, 2, 3])
    // A long body is sent without the first of the two digests.
    for sha256 in [content.sha256, nil] {
      let damaged = ObjectContent(.bytes([1, 2, 4]), sha256: sha256, md5: content.md5)
      #expect(await StoreScene.reason { try await client.put("a", damaged) } == .untrusted(.digestRefused))
    }
    #expect(try await client.head("a") == nil)
  }

  @Test func `another secret, another bucket and another time are denied`() async throws {
    let client = try Self.client()
    let path = try #require(Engine.keyPath)
    let (key, _) = try StoreKey.read(path)
    let stranger = try StoreScene.client(
      client.address.description, key: StoreKey(accessKey: key.accessKey, secret: .init("wrong")))
    #expect(
      await StoreScene.reason { _ = try await stranger.list("") } == .denied(.credentials("SignatureDoesNotMatch")))
    let store = try #require(Engine.address).split(separator: "/").dropLast().joined(separator: "/")
      .replacingOccurrences(of: "http:/", with: "http://")
    let elsewhere = try StoreScene.client("\(store)/no-such-bucket", key: key)
    #expect(await StoreScene.reason { _ = try await elsewhere.list("") } == .denied(.noBucket))
    try await client.probe()
    #expect(await StoreScene.reason { try await stranger.probe() } == .denied(.credentials("status 403")))
    #expect(await StoreScene.reason { try await elsewhere.probe() } == .denied(.noBucket))
    #expect(await StoreScene.reason { _ = try await elsewhere.createUpload("a") } == .denied(.noBucket))
    let robot = try StoreScene.client(
      client.address.description, key: key, clock: MovableClock(unixSeconds: 86_400 * 10).clock)
    #expect(await StoreScene.reason { _ = try await robot.list("") } == .denied(.clock))
  }
}

enum Engine {
  static let address = ProcessInfo.processInfo.environment["FOOTAGE_TEST_STORE"]
  static let keyPath = ProcessInfo.processInfo.environment["FOOTAGE_TEST_STORE_KEY"]
}
