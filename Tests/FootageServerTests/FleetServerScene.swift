import FootageAnswers
import FootageDigest
import FootageAPI
import FootageBase
import Foundation
import FootageHTTP
import FootageMedia
import FootageServing
@testable import FootageStore
import FootageLibrary
import FootageSystem
import Synchronization
import FootageTLS
import LinuxTestSupport
import StoreTestSupport
import Testing

@testable import FootageServer

/// A robot, and a server of many robots that shows what this one has uploaded into the store.
@MainActor
final class FleetServerScene {
  let robot: RobotScene
  let store: MemoryStore
  let index: FleetIndex
  let handler: LoopHandler<FleetSource>
  let progress = FleetProgress(store: "memory")
  private let signer: TLSServerContext
  private let folder: TemporaryFolder
  private let writer: LineWriter
  private let pool: BlockingPool
  private let pools: [ReadingPool]
  private let views: ViewQueue
  private let documents: DocumentQueue
  private let loop: EventLoop
  private let cache: StoreBlockCache
  private let weather = Weather()

  /// The switch that makes the store unreachable.
  private final class Weather: Sendable {
    private let state = Atomic<Bool>(false)

    var isAway: Bool {
      get { state.load(ordering: .relaxed) }
      set { state.store(newValue, ordering: .relaxed) }
    }
  }

  var isStoreAway: Bool {
    get { weather.isAway }
    set { weather.isAway = newValue }
  }

  nonisolated static let good = "robot7/\(RobotScene.good)"

  init(rules: String? = nil) throws {
    robot = try RobotScene()
    folder = try TemporaryFolder()
    store = MemoryStore { [weather] _ throws(ObjectStoreError) in
      if weather.isAway { throw MemoryStore.failure(.away("a test says so")) }
    }
    index = try FleetIndex(path: folder.path("index.sqlite"))
    signer = try TLSServerContext.make(
      TLSServerConfiguration(
        certificatePEM: try Material.file("robot.pem"), privateKeyPEM: try Material.file("robot.key")))
    writer = try LineWriter { _ in }
    pool = try BlockingPool(threadCount: 1)
    pools = [try ReadingPool(threadCount: 1, name: "disk"), try ReadingPool(threadCount: 2, name: "store")]
    views = try ViewQueue(limit: 8)
    documents = try DocumentQueue()
    loop = try EventLoop()
    try loop.start()
    cache = try StoreBlockCache(folder: folder.location, limit: StoreBlockCache.leastLimit, store: store, loop: loop)
    let log = Log(level: .debug, isUnderJournal: true, to: writer)
    let health = FleetHealth(index, progress)
    let server = ServerFacilities(
      robot: .ofThisMachine(name: "fleet", zone: "UTC"), pool: pools[0], views: views, documents: documents,
      metrics: Metrics(loops: 1) { _, _ in }, log: log, report: ConnectionReport(log), audit: AuditTrail(log))
    handler = FleetSource.makeHandler(
      FleetFacilities(
        server: server, index: index, recordings: FleetRecordings(store, cache, on: loop, pool: pool),
        zone: .utc, opening: pools[1], health: health),
      LoopFacilities.Settings(loops: 1, openFiles: 16, rules: try rules.map { try ViewerRules(Array($0.utf8)) }))
    try bring(RobotScene.good)
  }

  deinit {
    writer.close()
    views.stop()
    documents.stop()
    for pool in pools { pool.stop() }
    pool.stop()
    cache.stop()
    loop.stop()
  }

  /// Puts the files of a recording into the store, and the recording into the index.
  func bring(_ name: String, as robotName: String = "robot7", pins: [PublicKeyPin]? = nil) throws {
    let library = robot.library
    let recording = try #require(library.snapshot.recording(named: name))
    let content = try #require(recording.content)
    let served = try library.open(recording).bytes
    let all = try served.bytes(at: 0, count: Int(served.length))
    let index = try library.openIndex(of: recording)
    let indexBytes = try index.bytes(at: 0, count: Int(index.length))
    let file = Array(try Data(contentsOf: URL(filePath: robot.path(name))))
    let preamble = Array(all.prefix(Int(content.preambleLength)))
    let manifest = try Manifest(
      item: recording.item(at: library.now), path: recording.path.text,
      modifiedNanoseconds: recording.version.modifiedNanoseconds, layoutVersion: Int(MovieIndex.layoutVersion),
      composition: content.composition, file: Self.digests(file),
      preamble: preamble.isEmpty ? nil : Self.digests(preamble), index: Self.digests(indexBytes),
      served: preamble.isEmpty ? nil : Self.digests(all), key: try signer.publicKeyInfo)
    let signed = try SignedManifest.bytes(of: manifest) { [signer] (bytes) throws(TLSError) in try signer.sign(bytes) }
    let keys = ObjectKeys(prefix: "\(robotName)/", name: name, tag: manifest.tag.text)
    store[keys.file] = file
    store[keys.preamble] = preamble
    store[keys.index] = indexBytes
    store[keys.manifest] = signed
    let pin = try #require(signer.certificate.publicKeyPin)
    try self.index.add([
      FleetRow(
        manifest: signed, of: FleetRobot(name: robotName, pins: pins ?? [pin]), name: name, tag: manifest.tag.text)
    ])
    handler.source.indexChanged()
  }

  /// Returns the address of the film of the recording at a target.
  func film(_ target: String) throws -> String {
    let name = String(target.dropFirst("/recordings/".count))
    let row = try #require(try index.row(named: name, now: UnixTimestamp(milliseconds: 0)))
    return try #require(row.filmKey).text
  }

  private static func digests(_ bytes: [UInt8]) -> ObjectDigests {
    var digester = ObjectDigester()
    digester.update(bytes)
    return digester.finish()
  }

  struct Answer {
    var status: Int
    var mediaType: String
    var fields: [String: String]
    var code: String?
    var bytes: [UInt8]

    var json: JSONValue? { JSONValue(bytes) }
  }

  func ask(
    _ target: String, method: String = "GET", _ fields: String..., over connection: HeldRequest = HeldRequest()
  ) async throws -> Answer {
    let head = try request(target, method: method, fields)
    switch try await handler.respond(to: Request(head, over: connection)) {
    case .document(let document):
      return Answer(
        status: document.status.code, mediaType: document.mediaType,
        fields: Dictionary(document.fields.map { ($0.name.description, $0.value) }) { $1 },
        code: JSONValue(document.bytes)?["code"]?.string, bytes: document.bytes)
    case .representation(let body, let fields):
      let plan = ResponsePlan(for: head, of: body.metadata, now: 0)
      var all = Dictionary(fields.map { ($0.name.description, $0.value) }) { $1 }
      all["ETag"] = "\(body.metadata.entityTag)"
      all["Cache-Control"] = body.metadata.cacheControl
      let bytes = try await body.read(at: 0, count: Int(body.metadata.length))
      if plan.status.code == 200 { ServedMedia.check(target, bytes) }
      return Answer(status: plan.status.code, mediaType: body.metadata.mediaType, fields: all, bytes: bytes)
    }
  }
}
