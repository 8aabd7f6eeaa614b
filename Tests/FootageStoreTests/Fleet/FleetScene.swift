import FootageDigest
import FootageAPI
import Foundation
import FootageBase
import FootageServing
@testable import FootageStore
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing

/// The key with which a robot signs.
struct RobotKey: Sendable {
  let context: TLSServerContext

  /// - Parameter name: `robot`, `twin` or `strange`, which have different keys.
  init(_ name: String) throws {
    context = try TLSServerContext.make(
      TLSServerConfiguration(
        certificatePEM: try Material.file("\(name).pem"), privateKeyPEM: try Material.file("\(name).key")))
  }

  var pin: PublicKeyPin {
    get throws { try #require(context.certificate.publicKeyPin) }
  }

  /// Returns a manifest as a robot uploads it into the store.
  ///
  /// - Parameters:
  ///   - start: the start in milliseconds since 1970.
  ///   - modified: the time of the last write in nanoseconds since 1970.
  func manifest(
    _ name: String, camera: String? = "front", tag: String, start: Int64 = 1_795_169_730_000, duration: Double = 60,
    modified: Int64 = 1_795_169_800_000_000_000
  ) throws -> [UInt8] {
    let bytes = Array("the bytes of \(name) \(tag)".utf8)
    var digester = ObjectDigester()
    digester.update(bytes)
    let digests = digester.finish()
    let item = RecordingItem(
      name: name, camera: camera, state: .ready, isRecovered: false, size: UInt64(bytes.count),
      entityTag: "\"\(tag)\(tag)\"", tag: ItemTag(tag), startedAt: UnixTimestamp(milliseconds: start),
      startedFrom: "name", isInFuture: false, duration: duration,
      video: VideoFormat(codec: "avc1.64001F", width: 1280, height: 720, frameRate: 30),
      audio: nil, shift: nil, keyInterval: nil)
    let manifest = try Manifest(
      item: item, path: "\(name).mp4", modifiedNanoseconds: modified, layoutVersion: 1,
      composition: Composition(then: [0..<UInt64(bytes.count)], of: Manifest.fileSource), file: digests, preamble: nil,
      index: nil, served: nil, key: try context.publicKeyInfo)
    return try SignedManifest.bytes(of: manifest) { (bytes) throws(TLSError) in try context.sign(bytes) }
  }
}

/// A store in memory, and an index that follows it when a test says so.
final class FleetScene {
  let store: FakeObjectStore
  let folder: TemporaryFolder
  let index: FleetIndex
  let progress: FleetProgress
  let news: FleetScanner
  let events = EventLog<FleetEvent>()
  let changes = EventLog<Void>()
  let time = MovableClock()
  private let loop: EventLoop
  private let pool: BlockingPool

  /// - Parameter robots: the text of the list of robots.
  init(_ robots: String, of store: FakeObjectStore? = nil) throws {
    self.store = try store ?? FakeObjectStore()
    folder = try TemporaryFolder()
    try robots.write(toFile: folder.path("robots"), atomically: true, encoding: .utf8)
    index = try FleetIndex(path: folder.path("index.sqlite"))
    progress = FleetProgress(store: "the store")
    loop = try EventLoop(clock: time.clock)
    pool = try BlockingPool(threadCount: 2)
    let connection = StoreConnection(
      address: try StoreAddress(self.store.address("fleet")),
      key: try StoreKey(accessKey: FakeObjectStore.accessKey, secret: Secret(FakeObjectStore.secret)),
      trust: .systemAuthorities)
    let remote = try connection.client(on: loop, connections: 8, warn: { _ in })
    news = FleetScanner(
      FleetScanner.Surroundings(
        store: remote, index: index, progress: progress, pool: pool, clock: time.clock,
        log: { [events] in events.append($0) }, onChange: { [changes] in changes.append(()) }),
      list: RobotsList(path: folder.path("robots")), robots: [], on: loop)
    try loop.start()
  }

  deinit {
    loop.stop()
    pool.stop()
  }

  /// Scans everything once.
  @discardableResult
  func look() async -> Duration {
    let pause = await news.round()
    await news.settle()
    return pause
  }

  func setRobots(_ text: String) throws {
    try text.write(toFile: folder.path("robots"), atomically: true, encoding: .utf8)
  }

  func put(_ manifest: [UInt8], _ robot: String, _ name: String, _ tag: String, alone: Bool = false) {
    store.withContents { contents in
      contents["fleet/\(robot)/\(name)/\(tag).json"] = StoreContents.Object(manifest)
      guard !alone else { return }
      for suffix in ["mp4", "preamble", "index"] {
        contents["fleet/\(robot)/\(name)/\(tag).\(suffix)"] = StoreContents.Object(Array(suffix.utf8))
      }
    }
  }

  func delete(_ robot: String, _ name: String, _ tag: String) {
    store.withContents { $0["fleet/\(robot)/\(name)/\(tag).json"] = nil }
  }

  /// Returns all listed recordings as names with their states.
  func listed(_ query: ListQuery = ListQuery(limit: 1_000)) throws -> [String] {
    try index.page(of: query, now: UnixTimestamp(milliseconds: 0)).rows.map { row in
      row.isRefused ? "\(row.name) refused" : row.name
    }
  }

  static func tag(_ number: Int) -> String { ItemTag(UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15).text }
}
