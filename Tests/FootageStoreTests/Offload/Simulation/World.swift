import FootageDigest
import FootageBase
import FootageFetching
import FootageHTTP
import FootageLibrary
import FootageSystem
import Synchronization
@testable import FootageStore
import LinuxTestSupport
import StoreTestSupport

/// A robot's disk and record, and a store, all in memory. Every effect can be the last one before a crash.
///
/// Durable effects survive. After the crash, every further operation is refused.
final class World: @unchecked Sendable {
  struct Recording: Hashable {
    var name: String
    /// The version, which increases when the file is overwritten.
    var version: Int
    var bytes: [UInt8]
    var isKept = false

    var tag: String { Hexadecimal.encode(SHA256.hash(Array("\(name)/\(version)".utf8)).prefix(8)) }
  }

  // Accessed by one task at a time, or by a thread of the pool while that task waits.
  var disk: [String: Recording] = [:]
  var rows: [VersionKey: OffloadRow] = [:]
  var random: SeededGenerator
  /// The number of effects after which nothing more happens; nil for no crash.
  var crashesAt: Int?
  /// The number of requests in a hundred that fail, half of them after their effect.
  var failurePercent = 0
  private(set) var effects = 0
  /// The random number of the current request, below a hundred.
  private var luck = 100
  /// True if the examination of the store that a start makes has ended.
  var isLookedAt = false
  /// The versions of which the store has ever lost a part.
  var hasLost: Set<VersionKey> = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  var isCrashed: Bool { crashesAt.map { effects >= $0 } ?? false }

  func restart(crashesAt next: Int?) {
    effects = 0
    crashesAt = next
    isLookedAt = false
  }

  /// Counts an effect.
  ///
  /// - Returns: true if it may happen.
  func step() -> Bool {
    guard !isCrashed else { return false }
    effects += 1
    return !isCrashed
  }

  static let down = MemoryStore.failure(.away("simulated"))

  /// The store, in which any request may fail.
  private(set) lazy var store = MemoryStore { [unowned self] moment throws(ObjectStoreError) in try pass(moment) }

  var objects: [String: MemoryStore.Object] {
    get { store.contents.objects }
    set { store.contents.objects = newValue }
  }

  var uploads: [String: MemoryStore.Upload] {
    get { store.contents.uploads }
    set { store.contents.uploads = newValue }
  }

  var engine: MemoryStore.Engine {
    get { store.contents.engine }
    set { store.contents.engine = newValue }
  }

  var sentParts: [String: Int] { store.contents.sentParts }

  private func pass(_ moment: MemoryStore.Moment) throws(ObjectStoreError) {
    switch moment {
    case .beforeEffect:
      luck = Int.random(in: 0..<100, using: &random)
      guard step(), luck >= failurePercent / 2 else { throw Self.down }
    case .afterEffect: guard step(), luck >= failurePercent else { throw Self.down }
    }
  }
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

/// A library whose list follows the disk at once.
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
