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
import Testing

@testable import FootageServer

/// A store in memory, which has what a robot has, and may be away.
final class MemoryStore: ManifestStore, StoredPartSource {
  private struct State {
    var objects: [String: [UInt8]] = [:]
    var isAway = false
    var reads: [String] = []
  }

  private let state = Mutex(State())
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Data().write(to: URL(filePath: folder.path("kept")))
  }

  subscript(key: String) -> [UInt8]? {
    get { state.withLock { $0.objects[key] } }
    set { state.withLock { $0.objects[key] = newValue } }
  }

  var isAway: Bool {
    get { state.withLock { $0.isAway } }
    set { state.withLock { $0.isAway = newValue } }
  }

  /// Which objects anything was waited for.
  var reads: [String] { state.withLock { $0.reads } }

  func objects(
    below prefix: String, startAfter: String?, isShort: Bool
  ) async throws(ObjectStoreError) -> ObjectListing {
    throw ObjectStoreError(.notFound, "list", of: "memory")
  }

  func bytes(of key: String, limit: Int) async throws(ObjectStoreError) -> [UInt8]? {
    if isAway { throw ObjectStoreError(.away("a test says so"), "GET", of: "memory") }
    return self[key]
  }

  /// What is read of it first is not there until it was waited for.
  private final class Part: PartialFile {
    let key: String
    let store: MemoryStore
    private let isHere = Atomic<Bool>(false)

    init(key: String, store: MemoryStore) {
      self.key = key
      self.store = store
    }

    private func fetch() throws(StorageError) -> [UInt8] {
      guard !store.isAway, let bytes = store[key] else { throw StorageError("read", key, .away("a test says so")) }
      isHere.store(true, ordering: .relaxed)
      return bytes
    }

    func prepare(_ range: Range<UInt64>) async throws(StorageError) {
      store.state.withLock { $0.reads.append(key) }
      _ = try fetch()
    }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
      let bytes = try fetch()
      guard Int(offset) + buffer.count <= bytes.count else {
        throw StorageError("read", key, .endOfFile(offset: UInt64(bytes.count)))
      }
      bytes[Int(offset)..<(Int(offset) + buffer.count)].withUnsafeBytes { buffer.copyMemory(from: $0) }
    }

    func readImmediately(
      at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> RandomAccessFile.ImmediateRead {
      guard isHere.load(ordering: .relaxed) else { return .wouldBlock }
      try read(at: offset, into: buffer)
      return .bytes(buffer.count)
    }
  }

  func file(
    _ part: StoredPart, of manifest: Manifest, keys: ObjectKeys
  ) throws(StorageError) -> RandomAccessFile {
    guard let digests = part.digests(manifest) else {
      throw StorageError("read", part.key(keys), .system(.notFound))
    }
    let version = FileVersion(
      device: 0, inode: 0, size: digests.size, modifiedNanoseconds: manifest.modifiedNanoseconds)
    return try RandomAccessFile(
      Part(key: part.key(keys), store: self), path: part.key(keys), version: version, kept: folder.path("kept"))
  }
}

/// A robot, and a server of many that shows what the robot has brought into the store.
@MainActor
final class FleetServerScene {
  let robot: RobotScene
  let store: MemoryStore
  let index: FleetIndex
  let handler: LoopHandler<FleetSource>
  let board = FleetBoard(store: "memory")
  private let signer: TLSServerContext
  private let folder: TemporaryFolder
  private let writer: LineWriter
  private let pool: BlockingPool
  private let pools: [ReadingPool]
  private let views: ViewQueue
  private let documents: DocumentQueue
  private let loop: EventLoop

  nonisolated static let good = "robot7/\(RobotScene.good)"

  init(rules: String? = nil) throws {
    robot = try RobotScene()
    store = try MemoryStore()
    folder = try TemporaryFolder()
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
    let log = Log(level: .debug, isUnderJournal: true, to: writer)
    let health = FleetHealth(index, board)
    let server = ServerFacilities(
      robot: .ofThisMachine(name: "fleet", zone: "UTC"), pool: pools[0], views: views, documents: documents,
      metrics: Metrics(loops: 1) { _, _ in }, log: log, report: ConnectionReport(log), audit: AuditTrail(log))
    handler = FleetSource.makeHandler(
      FleetFacilities(
        server: server, index: index, recordings: FleetRecordings(store, parts: store, on: loop, pool: pool),
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
    loop.stop()
  }

  /// Puts what the robot has of a recording into the store, and into the index.
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
      return Answer(
        status: plan.status.code, mediaType: body.metadata.mediaType, fields: all,
        bytes: try await body.read(at: 0, count: Int(body.metadata.length)))
    }
  }
}
