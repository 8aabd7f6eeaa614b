import FootageAPI
import Foundation
import FootageFetching
import FootageServing
@testable import FootageStore
import FootageSystem
import LinuxTestSupport
import Testing

/// Each byte is fetched from the store once, whatever is read and by however many readers.
@Suite struct StoreBlockCacheTests {
  private static let mebibyte = Int(ObjectDigests.mebibyte)

  /// The bytes of an object, whose last mebibyte is not whole.
  private static let bytes = (0..<(5 * mebibyte / 2)).map { UInt8(truncatingIfNeeded: $0 / 251) }

  private let folder: TemporaryFolder
  private let store: FakeObjectStore
  private let cache: StoreBlockCache
  private let object: StoredObjectFile

  init() throws {
    folder = try TemporaryFolder()
    store = try FakeObjectStore()
    store.withContents { $0["fleet/a.mp4"] = StoreContents.Object(Self.bytes) }
    var digester = ObjectDigester()
    digester.update(Self.bytes)
    let connection = StoreConnection(
      address: try StoreAddress(store.address("fleet")),
      key: try StoreKey(accessKey: FakeObjectStore.accessKey, secret: Secret(FakeObjectStore.secret)),
      trust: .systemAuthorities)
    let loop = try ClientRuntime.shared().loop
    let client = try connection.client(on: loop, connections: 8) { _ in }
    cache = try StoreBlockCache(folder: folder.location, limit: StoreBlockCache.leastLimit, store: client, loop: loop)
    object = StoredObjectFile(key: "a.mp4", digests: digester.finish(), cache: cache)
  }

  /// The requested ranges, without `bytes=`.
  private var fetches: [String] {
    store.requests.all.filter { $0.method == "GET" }.map { String($0.fields["range", default: ""].dropFirst(6)) }
  }

  @Test func `what is on its way already is waited for`() async throws {
    for number in 0..<object.digests.count {
      let block = CacheSlots.Block(key: object.key, number: number)
      cache.prefetch(block, of: object)
      try await cache.bring(block, of: object)
    }
    #expect(fetches == ["0-1048575", "1048576-2097151", "2097152-2621439"])
    #expect(cache.fetchedBytes == object.digests.size)
  }

  @Test func `twenty who read all of it, each in its order, have it fetched once`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { [object] in
          for number in 0..<object.digests.count {
            try await object.prepare(object.digests.range(ofMebibyte: number))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(Set(fetches).count == fetches.count)
    #expect(cache.fetchedBytes == object.digests.size)
  }

  /// An answer of the store that is false, or true only at another time.
  struct FalseAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: FakeObjectStore.Fault

    init(_ words: String, _ fault: FakeObjectStore.Fault) { (testDescription, self.fault) = (words, fault) }

    /// Returns an answer for a range in which one field has another form.
    static func fields(_ words: String, _ name: String, _ value: String) -> FalseAnswer {
      FalseAnswer(
        words,
        .lie { answer in
          answer.fields = answer.fields.map {
            $0.name.lowercased() == name ? (name: $0.name, value: value) : (name: $0.name, value: $0.value)
          }
        })
    }

    static let all: [FalseAnswer] = [
      fields("a foreign entity tag over the right bytes", "etag", "\"0123456789abcdef0123456789abcdef\""),
      FalseAnswer(
        "a foreign entity tag over other bytes",
        .lie { answer in
          answer.fields = answer.fields.map {
            $0.name.lowercased() == "etag" ? (name: $0.name, value: "\"f\"") : (name: $0.name, value: $0.value)
          }
          answer.body = answer.body.map { $0 ^ 1 }
        }),
      FalseAnswer("other bytes", .lie { $0.body = $0.body.map { $0 ^ 1 } }),
      fields("a shorter total", "content-range", "bytes 0-1048575/1048576"),
      FalseAnswer("404", .error(404, "NoSuchKey")),
      FalseAnswer("412", .error(412, "PreconditionFailed")),
      FalseAnswer("an error document with 200", .errorInside("InternalError")),
      FalseAnswer("a cut body", .cutOff(1_000)),
      FalseAnswer("a redirect", .redirect(to: "https://elsewhere.example/recordings/fleet/a.mp4")),
      FalseAnswer("403", .error(403, "AccessDenied")),
      FalseAnswer("503", .error(503, "SlowDown")),
      FalseAnswer("the connection's end", .closeBefore),
    ]
  }

  @Test(arguments: FalseAnswer.all, [false, true])
  func `once the store tells the truth again all of it can be read, whatever it said before`(
    answer: FalseAnswer, hasReadBefore: Bool
  ) async throws {
    // The answer before was true, and its version is known.
    if hasReadBefore { try await object.prepare(object.digests.range(ofMebibyte: 2)) }
    store.play { request in request.operation == .get ? answer.fault : nil }
    // The request may fail or succeed. What matters is that a reader never gets unsigned bytes.
    try? await object.prepare(0..<object.digests.size)
    store.play { _ in nil }
    try await object.prepare(0..<object.digests.size)
    var bytes = [UInt8](repeating: 0, count: Int(object.digests.size))
    try bytes.withUnsafeMutableBytes { buffer in try object.read(at: 0, into: buffer) }
    #expect(bytes == Self.bytes)
  }

  @Test func `an object that was written again with the same bytes is read on`() async throws {
    try await object.prepare(object.digests.range(ofMebibyte: 0))
    store.withContents { contents in
      contents["fleet/a.mp4"] = contents["fleet/a.mp4"].map { StoreContents.Object($0.bytes, entityTag: "\"other-2\"") }
    }
    try await object.prepare(0..<object.digests.size)
    #expect(Set(fetches).count == 3)
  }

  @Test(.timeLimit(.minutes(1))) func `who waits when it stops is told so, and who comes then`() async throws {
    store.play { _ in .hang }
    let waiting = Task { [object] in try await object.prepare(0..<1) }
    let outcomes = EventLog<String>()
    Thread.detachNewThread { [object] in
      var byte = [UInt8](repeating: 0, count: 1)
      do {
        try byte.withUnsafeMutableBytes { try object.read(at: UInt64(Self.mebibyte), into: $0) }
        outcomes.append("read")
      } catch { outcomes.append("\(error)") }
    }
    try await eventually("both to be asked for") { () async -> Bool in fetches.count == 2 }
    cache.stop()
    await #expect(throws: StorageError.self) { try await waiting.value }
    try await eventually("the thread to go on") { () async -> Bool in !outcomes.all.isEmpty }
    #expect(outcomes.all.allSatisfy { $0.contains("stopping") }, "\(outcomes.all)")
    await #expect(throws: StorageError.self) { try await object.prepare(0..<object.digests.size) }
    #expect(fetches.count == 2)
  }
}
