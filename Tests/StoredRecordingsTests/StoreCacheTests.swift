import FootageAPI
import HTTPTransport
import Networking
import ObjectStore
import Storage
import FootageSystem
import LinuxTestSupport
import Testing
import Trust

@testable import StoredRecordings

/// Whatever is read, and by however many: what comes out of the store comes once.
@Suite struct StoreCacheTests {
  private static let mebibyte = Int(ObjectDigests.mebibyte)

  private let folder: TemporaryFolder
  private let store: FakeObjectStore
  private let cache: StoreCache
  private let object: StoredObjectFile

  init() throws {
    folder = try TemporaryFolder()
    store = try FakeObjectStore()
    // Its last mebibyte is not whole.
    let bytes = (0..<(5 * Self.mebibyte / 2)).map { UInt8(truncatingIfNeeded: $0 / 251) }
    store.withContents { $0["fleet/a.mp4"] = StoreContents.Object(bytes) }
    var digester = ObjectDigester()
    digester.update(bytes)
    let connection = StoreConnection(
      address: try StoreAddress(store.address("fleet")),
      key: try StoreKey(accessKey: FakeObjectStore.accessKey, secret: Secret(FakeObjectStore.secret)),
      trust: .systemAuthorities)
    let loop = try ClientRuntime.shared().loop
    let client = try connection.client(on: loop, connections: 8) { _ in }
    cache = try StoreCache(folder: folder.location, limit: StoreCache.leastLimit, store: client, loop: loop)
    object = StoredObjectFile(key: "a.mp4", digests: digester.finish(), cache: cache)
  }

  /// The ranges that were asked for, without `bytes=`.
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
}
