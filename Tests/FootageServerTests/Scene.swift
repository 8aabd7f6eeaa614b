import FootageAnswers
import FootageAPI
import FootageBase
import Foundation
import FootageHTTP
import FootageServing
import FootageStore
import FootageLibrary
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageServer

/// A library with recordings of every kind, and the handler of a loop, which the tests call directly.
@MainActor
final class RobotScene {
  let folder: TemporaryFolder
  let library: RecordingLibrary
  let handler: LoopHandler<FolderSource>
  /// The health monitor, which looks only when a test tells it to.
  let health: HealthMonitor
  let time = MovableClock()
  let log = EventLog<String>()
  private let writer: LineWriter
  /// The pool, which has one thread for all viewers.
  let pool: ReadingPool
  private let views: ViewQueue
  let documents: DocumentQueue
  private let protection: ProtectionQueue
  private var rulesGeneration: UInt64 = 0
  /// The handle that keeps a recording from being finished.
  private var recorder: FileHandle?

  /// The name of two seconds of pictures and sound.
  nonisolated static let good = "front/2026-11-20T10-15-30"
  /// The name of a file that is not an MP4.
  nonisolated static let broken = "front/broken"
  /// The name of a file that is still being written.
  nonisolated static let growing = "rear/growing"

  /// - Parameters:
  ///   - rules: the text of `viewers.conf`; nil for none.
  ///   - offload: the state of the upload into a store, for health; nil if there is no upload.
  init(
    openFiles: Int = 64, rules: String? = nil, origins: [String] = [], offload: OffloadProgress? = nil
  ) throws {
    folder = try TemporaryFolder()
    writer = try LineWriter { [log] in
      // On a busy machine several lines come at once.
      for line in $0.split(separator: UInt8(ascii: "\n")) { log.append(String(decoding: line, as: UTF8.self) + "\n") }
    }
    pool = try ReadingPool(threadCount: 1, name: "disk")
    views = try ViewQueue(limit: 64)
    documents = try DocumentQueue()
    protection = try ProtectionQueue()
    library = try RecordingLibrary(
      recordings: folder.location, role: .server, naming: RecordingNaming(), reading: .inProcess, log: { _ in })
    health = HealthMonitor(library, offload: offload)
    let log = Log(level: .debug, isUnderJournal: true, to: writer, clock: time.clock)
    let server = ServerFacilities(
      robot: .ofThisMachine(name: "tin", zone: "UTC"), pool: pool, views: views, documents: documents,
      metrics: Metrics(health, loops: 1), log: log, report: ConnectionReport(log), audit: AuditTrail(log))
    handler = FolderSource.makeHandler(
      FolderFacilities(server: server, library: library, protection: protection, health: health),
      LoopFacilities.Settings(
        loops: 1, openFiles: openFiles, rules: try rules.map { try ViewerRules(Array($0.utf8)) },
        origins: origins.compactMap { WebOrigin($0) }, logsAccess: true))
    try add(Self.good, Samples.moovLast)
    try add(Self.broken, Array("this is no recording".utf8))
    try add(Self.growing, Array(Samples.moovLast.prefix(Samples.moovLast.count / 2)), age: 0)
    recorder = FileHandle(forWritingAtPath: path(Self.growing))
    publish()
  }

  deinit {
    writer.close()
    views.stop()
    documents.stop()
    protection.stop()
    pool.stop()
  }

  func path(_ name: String) -> String { folder.path(name + ".mp4") }

  func add(_ name: String, _ bytes: [UInt8], age: TimeInterval = 3_600) throws {
    let path = path(name)
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try RecordedFile.write(bytes, to: path)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
  }

  /// Lets the library look at its folder, and gives the result to the handler.
  func publish() {
    library.refresh()
    handler.source.update(to: library.snapshot)
  }

  /// Gives the handler another `viewers.conf`.
  func change(to rules: String) throws {
    rulesGeneration += 1
    handler.update(to: try ViewerRules(Array(rules.utf8)), generation: rulesGeneration)
  }

  /// Returns the tag of a recording's version.
  func tag(_ name: String) throws -> String {
    try #require(library.snapshot.recording(named: name)?.versionTag).text
  }

  /// Returns the address of a recording's film.
  func film(_ name: String) throws -> String {
    try #require(library.snapshot.recording(named: name)?.filmAddress).text
  }

  /// The response that the connection would send, apart from ranges.
  struct Answer {
    var status: Int
    var mediaType: String
    var fields: [String: String]
    /// The code of a problem document.
    var code: String?
    var detail: String?
    /// The bytes of a document.
    var bytes: [UInt8] = []
    var body: (any ResponseBody)?
  }

  func ask(
    _ target: String, method: String = "GET", _ fields: String..., over connection: HeldRequest = HeldRequest()
  ) async throws -> Answer {
    try await ask(target, method: method, fields, over: connection)
  }

  private func ask(
    _ target: String, method: String, _ fields: [String], over connection: HeldRequest
  ) async throws -> Answer {
    let head = try request(target, method: method, fields)
    switch try await handler.respond(to: Request(head, over: connection)) {
    case .document(let document):
      return Answer(
        status: document.status.code, mediaType: document.mediaType,
        fields: Dictionary(document.fields.map { ($0.name.description, $0.value) }) { $1 },
        code: JSONValue(document.bytes)?["code"]?.string, detail: JSONValue(document.bytes)?["detail"]?.string,
        bytes: document.bytes)
    case .representation(let body, let fields):
      let plan = ResponsePlan(for: head, of: body.metadata, now: 0)
      var all = Dictionary(fields.map { ($0.name.description, $0.value) }) { $1 }
      all["ETag"] = "\(body.metadata.entityTag)"
      all["Cache-Control"] = body.metadata.cacheControl
      if target.contains(".m3u8"), method == "GET", plan.status.code == 200 {
        ServedMedia.check(target, try await bytes(of: body))
      }
      return Answer(
        status: plan.status.code, mediaType: body.metadata.mediaType, fields: all, body: body)
    }
  }

  /// Returns the content of a resource, whatever its form.
  func json(
    _ target: String, _ fields: String..., over connection: HeldRequest = HeldRequest()
  ) async throws -> JSONValue {
    let answer = try await ask(target, method: "GET", fields, over: connection)
    let bytes = answer.body == nil ? answer.bytes : try await bytes(of: answer.body)
    return try #require(JSONValue(bytes), "\(target): \(answer.status)")
  }

  /// Returns the body of an answer that needs no waiting; nil if there is none.
  func atOnce(
    _ target: String, method: String = "GET", over connection: HeldRequest = HeldRequest()
  ) throws -> (any ResponseBody)? {
    handler.respondAtOnce(to: Request(try request(target, method: method, []), over: connection))
  }

  /// Returns all bytes of a body.
  func bytes(of body: (any ResponseBody)?) async throws -> [UInt8] {
    guard let body else { return [] }
    return try await body.read(at: 0, count: Int(body.metadata.length))
  }
}
