import FootageDigest
import FootageBase
import FootageFetching
import FootageHTTP
import FootageLibrary
import FootageSystem
import Synchronization
@testable import FootageStore
import LinuxTestSupport

/// A robot's disk and record, and a store, all in memory, in which every effect can be the last one before a crash.
///
/// What is durable stays; whoever goes on after the crash is refused everything.
final class World: @unchecked Sendable {
  struct Object: Equatable {
    var bytes: [UInt8]
    var entityTag: String
    /// The upload that it was made of.
    var upload: String?
  }

  struct Upload {
    var key: String
    var parts: [Int: (bytes: [UInt8], md5: [UInt8])] = [:]
    /// Some engines list a finished one as open still, when they were killed in between.
    var isFinished = false
  }

  struct Recording: Hashable {
    var name: String
    /// Goes up when the file is written anew.
    var version: Int
    var bytes: [UInt8]
    var isKept = false

    var tag: String { Hexadecimal.encode(SHA256.hash(Array("\(name)/\(version)".utf8)).prefix(8)) }
  }

  /// What an engine does that another does not.
  struct Engine {
    var knowsConditions = true
    /// Entity tags are none of the bytes'.
    var hidesDigests = false
    /// Finished uploads stay listed until they are finished once more, and to abort one takes the object's parts.
    var forgetsToFinish = false
    /// Answers of completions say that they failed.
    var deniesCompletion = false
  }

  // Touched by one task at a time, or by a thread of the pool while that waits.
  var objects: [String: Object] = [:]
  var uploads: [String: Upload] = [:]
  var disk: [String: Recording] = [:]
  var rows: [VersionKey: OffloadRow] = [:]
  var engine = Engine()
  var random: SeededGenerator
  /// After so many effects nothing more happens; nil for never.
  var crashesAt: Int?
  /// Of a hundred requests, so many fail, half of them after their effect.
  var failurePercent = 0
  private(set) var effects = 0
  private var lastUpload = 0
  /// Whether the look at the store has ended that a start makes.
  var isLookedAt = false
  /// Versions of which the store has lost something at some time.
  var hasLost: Set<VersionKey> = []
  /// How often each part of an upload was sent.
  var sentParts: [String: Int] = [:]

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  var isCrashed: Bool { crashesAt.map { effects >= $0 } ?? false }

  func restart(crashesAt next: Int?) {
    effects = 0
    crashesAt = next
    isLookedAt = false
  }

  /// - Returns: whether it may happen.
  func step() -> Bool {
    guard !isCrashed else { return false }
    effects += 1
    return !isCrashed
  }

  static let down = ObjectStoreError(.away("simulated"), "request", of: "world:443")

  /// One request: it may fail before its effect, or behind it.
  func request<Answer>(_ effect: () -> Answer) throws(ObjectStoreError) -> Answer {
    let luck = Int.random(in: 0..<100, using: &random)
    guard step(), luck >= failurePercent / 2 else { throw Self.down }
    let answer = effect()
    guard step(), luck >= failurePercent else { throw Self.down }
    return answer
  }

  func newUpload(_ key: String) -> String {
    lastUpload += 1
    uploads["u\(lastUpload)"] = Upload(key: key)
    return "u\(lastUpload)"
  }

  func entityTag(_ bytes: [UInt8]) -> String {
    engine.hidesDigests ? Hexadecimal.encode(SHA256.hash(bytes + [1]).prefix(16)) : Hexadecimal.encode(MD5.hash(bytes))
  }
}

// MARK: The store

struct WorldStore: StoreAccess {
  let world: World

  private func stored(_ object: World.Object) -> StoredObject {
    StoredObject(length: UInt64(object.bytes.count), entityTag: EntityTag(strong: object.entityTag))
  }

  func probe() async throws(ObjectStoreError) { try world.request {} }

  func head(_ key: String) async throws(ObjectStoreError) -> StoredObject? {
    try world.request { world.objects[key].map(stored) }
  }

  func bytes(of key: String, limit: Int) async throws(ObjectStoreError) -> [UInt8]? {
    try world.request { world.objects[key]?.bytes }
  }

  func bytes(of key: String, in range: Range<UInt64>) async throws(ObjectStoreError) -> [UInt8] {
    guard let object = try world.request({ world.objects[key] }), range.upperBound <= UInt64(object.bytes.count) else {
      throw ObjectStoreError(.notFound, "GET", of: "world:443")
    }
    return Array(object.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
  }

  func digest(of key: String, length: UInt64) async throws(ObjectStoreError) -> [UInt8]? {
    try world.request {
      world.objects[key].flatMap { UInt64($0.bytes.count) == length ? SHA256.hash($0.bytes) : nil }
    }
  }

  private func bytes(of content: ObjectContent) async throws(ObjectStoreError) -> [UInt8] {
    let bytes: [UInt8]
    switch content.body {
    case .none: bytes = []
    case .bytes(let given): bytes = given
    case .source(let source):
      var read: [UInt8] = []
      do throws(HTTPBodySourceError) {
        while UInt64(read.count) < source.length {
          read += try await source.bytes(at: UInt64(read.count), count: Int(source.length) - read.count)
        }
      } catch { throw ObjectStoreError(.unreadable(error.reason), "PUT", of: "world:443") }
      bytes = read
    }
    // As engines do.
    guard content.sha256.map({ $0 == SHA256.hash(bytes) }) ?? true, MD5.hash(bytes) == content.md5 else {
      throw ObjectStoreError(.untrusted(.digestRefused), "PUT", of: "world:443")
    }
    return bytes
  }

  func write(_ content: ObjectContent, as key: String) async throws(ObjectStoreError) {
    let bytes = try await bytes(of: content)
    try world.request {
      world.objects[key] = World.Object(bytes: bytes, entityTag: world.entityTag(bytes))
    }
  }

  func writeIfAbsent(_ content: ObjectContent, as key: String) async throws(ObjectStoreError) {
    let bytes = try await bytes(of: content)
    try world.request {
      guard !world.engine.knowsConditions || world.objects[key] == nil else { return }
      world.objects[key] = World.Object(bytes: bytes, entityTag: world.entityTag(bytes))
    }
  }

  func beginUpload(of key: String) async throws(ObjectStoreError) -> String {
    try world.request { world.newUpload(key) }
  }

  func parts(of upload: PendingUpload) async throws(ObjectStoreError) -> [UploadedPart]? {
    try world.request {
      world.uploads[upload.id].map { known in
        known.parts.sorted { $0.key < $1.key }.map {
          UploadedPart(number: $0.key, entityTag: EntityTag(digest: $0.value.md5), length: UInt64($0.value.bytes.count))
        }
      }
    }
  }

  func write(
    _ content: ObjectContent, asPart number: Int, of upload: PendingUpload
  ) async throws(ObjectStoreError) {
    let bytes = try await bytes(of: content)
    let isKnown = try world.request {
      guard world.uploads[upload.id] != nil else { return false }
      world.uploads[upload.id]?.parts[number] = (bytes, MD5.hash(bytes))
      world.sentParts["\(upload.id)/\(number)", default: 0] += 1
      return true
    }
    guard isKnown else { throw ObjectStoreError(.notFound, "PUT", of: "world:443") }
  }

  func finish(_ upload: PendingUpload, _ parts: [UploadedPart]) async throws(ObjectStoreError) {
    try world.request {
      guard let known = world.uploads[upload.id] else { return }
      let pieces = parts.compactMap { known.parts[$0.number] }
      guard pieces.count == parts.count else { return }
      let digests = pieces.map(\.md5)
      let bytes = pieces.flatMap(\.bytes)
      let tag = "\(Hexadecimal.encode(MD5.hash(digests.flatMap { $0 })))-\(digests.count)"
      world.objects[upload.key] = World.Object(
        bytes: bytes, entityTag: world.engine.hidesDigests ? world.entityTag(bytes) : tag, upload: upload.id)
      if world.engine.forgetsToFinish, !known.isFinished {
        world.uploads[upload.id]?.isFinished = true
      } else {
        world.uploads[upload.id] = nil
      }
    }
    if world.engine.deniesCompletion { throw World.down }
  }

  func abort(_ upload: PendingUpload) async throws(ObjectStoreError) {
    try world.request {
      guard let known = world.uploads.removeValue(forKey: upload.id) else { return }
      // It takes the object's own parts.
      if known.isFinished, world.objects[upload.key]?.upload == upload.id { world.objects[upload.key]?.bytes = [] }
    }
  }

  func listUploads(_ prefix: String) async throws(ObjectStoreError) -> [PendingUpload] {
    try world.request {
      world.uploads.filter { $0.value.key.hasPrefix(prefix) }.map { PendingUpload(key: $0.value.key, id: $0.key) }
        .sorted { $0.id < $1.id }
    }
  }

  func objects(below prefix: String, _ each: ([ListedObject]) -> Void) async throws(ObjectStoreError) {
    let all = try world.request { world.objects }
    each(
      all.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
        .map { ListedObject(key: $0.key, length: UInt64($0.value.bytes.count), entityTag: nil) })
  }

  func delete(_ key: String) async throws(ObjectStoreError) { try world.request { world.objects[key] = nil } }
}

// MARK: The record

final class WorldRecord: OffloadRecord {
  let world: World

  init(_ world: World) { self.world = world }

  func rows() throws(OffloadError) -> [OffloadRow] {
    world.rows.values.map { row in
      var row = row
      row.manifest = nil
      return row
    }
  }

  func row(of key: VersionKey) throws(OffloadError) -> OffloadRow? { try rows().first { $0.key == key } }

  func manifest(of key: VersionKey) throws(OffloadError) -> [UInt8]? { world.rows[key]?.manifest }

  func put(_ row: OffloadRow) throws(OffloadError) {
    guard world.step() else { throw .record("crashed") }
    let manifest = row.manifest ?? world.rows[row.key]?.manifest
    world.rows[row.key] = row
    world.rows[row.key]?.manifest = manifest
    guard world.step() else { throw .record("crashed") }
  }

  func remove(_ key: VersionKey) throws(OffloadError) {
    guard world.step() else { throw .record("crashed") }
    world.rows[key] = nil
    guard world.step() else { throw .record("crashed") }
  }
}

// MARK: The disk

/// The list follows the disk at once here.
struct WorldLibrary: OffloadLibrary {
  let world: World
  static let partSize: UInt64 = 8

  static func manifest(_ recording: World.Recording) -> [UInt8] {
    Array(
      "\(recording.name) \(recording.tag) \(recording.bytes.count) \(Hexadecimal.encode(SHA256.hash(recording.bytes)))"
        .utf8)
  }

  private func row(_ recording: World.Recording) -> OffloadRow {
    OffloadRow(
      path: RelativePath(recording.name), name: recording.name, tag: recording.tag, entityTag: recording.tag,
      size: UInt64(recording.bytes.count))
  }

  private func recording(_ row: OffloadRow) -> World.Recording? {
    world.disk[row.name].flatMap { $0.tag == row.tag ? $0 : nil }
  }

  func owed() -> [OffloadRow] {
    world.disk.values.filter { recording in world.rows[row(recording).key]?.state != .stored }
      .sorted { ($0.isKept ? 0 : 1, $0.name) < ($1.isKept ? 0 : 1, $1.name) }.map(row)
  }

  func oldestOwed() -> UnixTimestamp? { nil }
  func listed(of rows: [OffloadRow]) -> OffloadRow? { rows.first }
  func isHere(_ row: OffloadRow) -> Bool { recording(row) != nil }
  func presence(of keys: ObjectKeys) -> FilePresence { world.disk[keys.name]?.tag == keys.tag ? .here : .absent }
  func noteDoubt(_ row: OffloadRow) {}
  func noteFirstLook(hasSucceeded: Bool) { if hasSucceeded { world.isLookedAt = true } }
  func release(_ row: OffloadRow) throws(OffloadError) {}
  func protection(of row: OffloadRow) -> Bool? { world.disk[row.name]?.isKept ?? false }
  var kept: Set<VersionKey> { [] }
  func noteStored(_ row: OffloadRow) {}
  func noteLost(_ row: OffloadRow) {}
  func announce(_ rows: [OffloadRow]) {}
  func adopt(_ rows: [OffloadRow], _ manifest: (VersionKey) -> [UInt8]?) {}
  func restoration(of row: OffloadRow, _ manifest: ProvenManifest) throws(OffloadError) -> any Restoration {
    WorldRestoration(world, row)
  }

  struct File: RecorderFile {
    let world: World
    let recording: World.Recording

    var length: UInt64 { UInt64(recording.bytes.count) }
    var isUnchanged: Bool { world.disk[recording.name]?.version ?? recording.version == recording.version }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
      guard offset + UInt64(buffer.count) <= length else {
        throw StorageError("read", recording.name, .endOfFile(offset: length))
      }
      buffer.copyBytes(from: recording.bytes[Int(offset)..<(Int(offset) + buffer.count)])
    }
  }

  func open(_ row: OffloadRow) throws(StorageError) -> (any RecorderFile)? {
    recording(row).map { File(world: world, recording: $0) }
  }

  func manifest(of row: OffloadRow) async throws(OffloadError) -> ProvenManifest {
    guard let recording = recording(row) else { throw .changed(name: row.name) }
    guard let proven = proven(Self.manifest(recording), of: row) else { throw .changed(name: row.name) }
    return proven
  }

  func proven(_ bytes: [UInt8], of row: OffloadRow) -> ProvenManifest? {
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 4, words[0] == row.name, words[1] == row.tag, let length = UInt64(words[2]) else { return nil }
    let digits = Array(words[3].utf8).compactMap { Hexadecimal.value($0) }
    let digest = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    return ProvenManifest(
      bytes: bytes, modifiedNanoseconds: 0, length: length, digest: digest, partSize: Self.partSize,
      hasPreamble: length % 2 == 0,
      hasIndex: true)
  }

  func adopted(_ bytes: [UInt8], at keys: ObjectKeys) -> OffloadRow? {
    var row = OffloadRow(
      path: RelativePath(keys.name), name: keys.name, tag: keys.tag, entityTag: keys.tag, state: .stored,
      manifest: bytes, size: 0)
    guard let proven = proven(bytes, of: row) else { return nil }
    row.size = proven.length
    return row
  }

  static let preamble = Array("preamble".utf8)
  static let index = Array("index".utf8)

  func preamble(of row: OffloadRow) throws(OffloadError) -> [UInt8] {
    guard recording(row) != nil else { throw .changed(name: row.name) }
    return Self.preamble
  }

  func index(of row: OffloadRow) throws(OffloadError) -> [UInt8] {
    guard recording(row) != nil else { throw .changed(name: row.name) }
    return Self.index
  }
}

final class WorldRestoration: Restoration {
  private let world: World
  private let row: OffloadRow
  private var bytes: [UInt8] = []

  init(_ world: World, _ row: OffloadRow) { (self.world, self.row) = (world, row) }

  func append(_ bytes: [UInt8]) throws(OffloadError) { self.bytes += bytes }

  func finish() throws(OffloadError) {
    guard world.step() else { throw .file("crashed") }
    for version in 0..<100 {
      let recording = World.Recording(name: row.name, version: version, bytes: bytes)
      if recording.tag == row.tag { world.disk[row.name] = recording }
    }
  }
}
