internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem
internal import Synchronization

/// A served folder in the form that offloading needs.
final class ServedLibrary: OffloadLibrary {
  private let library: RecordingLibrary
  private let stored: StoredVersions
  private let waits = ManifestWaits()
  /// The pins of the keys that may have signed this robot's manifests: the present key, and earlier ones.
  private let pins: @Sendable () -> [PublicKeyPin]
  /// The versions that have yet to be copied to the store, according to one snapshot.
  private let known = Mutex<(generation: UInt64, state: Look)?>(nil)

  private struct Look {
    /// The rows of the versions that have yet to be copied, in the order of copying.
    var rows: [OffloadRow] = []
    /// The time at which the oldest of these versions was recorded.
    var oldest: UnixTimestamp?
    /// The versions that are protected.
    var kept: Set<VersionKey> = []
  }

  init(_ library: RecordingLibrary, _ stored: StoredVersions, pins: @escaping @Sendable () -> [PublicKeyPin]) {
    self.library = library
    self.stored = stored
    self.pins = pins
  }

  /// Begins to receive manifests. Must be called once the library makes them.
  func begin() { library.onManifest { [waits] in waits.note($0) } }

  // MARK: The list

  func owed() -> [OffloadRow] { look().rows }

  func oldestOwed() -> UnixTimestamp? { look().oldest }

  private func look() -> Look {
    let snapshot = library.snapshot
    if let known = known.withLock({ $0 }), known.generation == snapshot.generation { return known.state }
    var kept: [OffloadRow] = []
    var others: [OffloadRow] = []
    var look = Look()
    snapshot.forEachNewestFirst { recording in
      if recording.isKept, let tag = recording.versionTag {
        look.kept.insert(VersionKey(name: recording.name, tag: tag.text))
      }
      guard recording.whereabouts.item == .here, let row = OffloadRow(recording) else { return }
      if recording.isKept { kept.append(row) } else { others.append(row) }
      look.oldest = recording.startedAt
    }
    look.rows = Array(kept.reversed() + others.reversed())
    let made = look
    known.withLock { $0 = (snapshot.generation, made) }
    return made
  }

  func listed(of rows: [OffloadRow]) -> OffloadRow? { rows.first { recording(of: $0) != nil } }

  func isHere(_ row: OffloadRow) -> Bool { recording(of: row).map { !$0.isRemote } ?? false }

  func presence(of keys: ObjectKeys) -> FilePresence {
    // Read before the list, which may be a newer one by then.
    let condition = library.condition
    // Until the folder was scanned, the list is what the catalog had, whatever happened to the files.
    guard condition.hasScanned else { return .unknown }
    if let recording = library.snapshot.recording(named: keys.name), recording.versionTag?.text == keys.tag,
      !recording.isRemote
    {
      return .here
    }
    // A disk that is away may have it. A version that a store has as well is then listed as if the store alone had it.
    let isDiskAway = condition.isFolderMissing || condition.awayCount > 0 || condition.awayStoredCount > 0
    return !condition.isSettled || isDiskAway ? .unknown : .absent
  }

  func noteStored(_ row: OffloadRow) { stored.insert(row.path, tag: row.entityTag) }

  func noteLost(_ row: OffloadRow) { stored.remove(row.path, tag: row.entityTag) }

  func noteDoubt(_ row: OffloadRow) { stored.doubt(row.path, tag: row.entityTag) }

  func noteFirstLook(hasSucceeded: Bool) { stored.noteFirstLook(hasSucceeded: hasSucceeded) }

  func protection(of row: OffloadRow) -> Bool? { recording(of: row)?.isKept }

  func release(_ row: OffloadRow) throws(OffloadError) {
    do throws(ProtectionError) { try library.release(name: row.name) } catch { throw .refused(error.description) }
  }

  var kept: Set<VersionKey> { look().kept }

  /// Sets the checker that asks the store before the robot deletes a file that the store has; nil if it can no longer
  /// answer.
  func check(by checker: (any StoreChecker)?) { stored.check(by: checker) }

  func announce(_ rows: [OffloadRow]) {
    guard !rows.isEmpty else { return }
    library.noteStored(rows.map(\.path))
  }

  func adopt(_ rows: [OffloadRow], _ manifest: (VersionKey) -> [UInt8]?) {
    let snapshot = library.snapshot
    let recordings = rows.compactMap { row -> Recording? in
      guard snapshot.recording(named: row.name) == nil, let bytes = manifest(row.key),
        let signed = try? SignedManifest(bytes)
      else { return nil }
      let recording = Recording(signed.manifest, in: stored, place: library.place)
      // A version that was protected after it was signed is still protected, whatever happened to the catalog.
      return row.isKept ? recording?.protected() : recording
    }
    if !recordings.isEmpty { library.adopt(recordings) }
  }

  private func recording(of row: OffloadRow) -> Recording? {
    guard let recording = library.snapshot.recording(named: row.name), recording.versionTag?.text == row.tag else {
      return nil
    }
    return recording
  }

  // MARK: Files

  func open(_ row: OffloadRow) throws(StorageError) -> (any RecorderFile)? {
    guard let recording = recording(of: row), recording.state == .ready, !recording.isRemote else { return nil }
    let file: RandomAccessFile
    do throws(StorageError) { file = try library.place.open(recording.path) } catch {
      guard [.system(.notFound), .system(.notAFolder)].contains(error.reason) else { throw error }
      return nil
    }
    guard file.openingStatus.version == recording.version else { return nil }
    return OpenRecording(file: file)
  }

  func manifest(of row: OffloadRow) async throws(OffloadError) -> ProvenManifest {
    guard let recording = recording(of: row), let tag = recording.versionTag else { throw .changed(name: row.name) }
    let outcome = await waits.manifest(name: row.name, tag: tag) { () throws(LibraryError) in
      try library.manifest(of: recording, for: .offload)
    }
    switch outcome {
    case .success(.ready(let signed)): return ProvenManifest(signed)
    case .success(.beingMade): throw .unproved(name: row.name, reason: "its manifest is still being made")
    case .failure(.changed), .failure(.unknown): throw .changed(name: row.name)
    case .failure(let error): throw .unproved(name: row.name, reason: error.description)
    }
  }

  func proven(_ bytes: [UInt8], of row: OffloadRow) -> ProvenManifest? {
    guard let signed = proven(bytes), ExactName(signed.manifest.item.name) == ExactName(row.name),
      signed.manifest.tag.text == row.tag
    else { return nil }
    return ProvenManifest(signed)
  }

  func adopted(_ bytes: [UInt8], at keys: ObjectKeys) -> OffloadRow? {
    guard let signed = proven(bytes), ExactName(signed.manifest.item.name) == ExactName(keys.name),
      signed.manifest.tag.text == keys.tag, let entityTag = signed.manifest.item.entityTag
    else { return nil }
    return OffloadRow(
      path: RelativePath(signed.manifest.path), name: keys.name, tag: keys.tag,
      entityTag: String(entityTag.dropFirst().dropLast()), state: .stored, manifest: bytes,
      size: signed.manifest.file.size, storedSeconds: nil)
  }

  private func proven(_ bytes: [UInt8]) -> SignedManifest? {
    guard let signed = try? SignedManifest(bytes), (try? signed.verify(by: pins())) != nil else { return nil }
    return signed
  }

  func preamble(of row: OffloadRow) throws(OffloadError) -> [UInt8] {
    try derived(of: row) { (recording) throws(LibraryError) in
      try library.open(recording).bytes.slice(in: 0..<(recording.content?.preambleLength ?? 0))
    }
  }

  func index(of row: OffloadRow) throws(OffloadError) -> [UInt8] {
    try derived(of: row) { (recording) throws(LibraryError) in try library.openIndex(of: recording) }
  }

  private func derived(
    of row: OffloadRow, _ open: (Recording) throws(LibraryError) -> BoundComposition
  ) throws(OffloadError) -> [UInt8] {
    guard let recording = recording(of: row) else { throw .changed(name: row.name) }
    do throws(LibraryError) {
      let bytes = try open(recording)
      do throws(StorageError) { return try bytes.bytes(at: 0, count: Int(clamping: bytes.length)) } catch {
        throw .storage(error)
      }
    } catch {
      if case .changed = error { throw .changed(name: row.name) }
      throw .file(error.description)
    }
  }

  func restoration(of row: OffloadRow, _ manifest: ProvenManifest) throws(OffloadError) -> any Restoration {
    try FolderRestoration(library, row, manifest)
  }
}

/// A recorder's file that is open.
private struct OpenRecording: RecorderFile {
  let file: RandomAccessFile

  var length: UInt64 { file.length }
  var isUnchanged: Bool { file.isStill(file.openingStatus.version) }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    unsafe try file.read(at: offset, into: buffer)
  }
}

extension ProvenManifest {
  init(_ signed: SignedManifest) {
    let manifest = signed.manifest
    self.init(
      bytes: signed.bytes, modifiedNanoseconds: manifest.modifiedNanoseconds, length: manifest.file.size,
      digest: manifest.file.digest, partSize: manifest.partSize,
      hasPreamble: manifest.preamble != nil, hasIndex: manifest.index != nil)
  }
}

extension OffloadRow {
  /// Creates a row for a recording; nil if the recording is not ready, so that it cannot be stored.
  init?(_ recording: Recording) {
    guard recording.state == .ready, let tag = recording.versionTag, let entityTag = recording.content?.tag else {
      return nil
    }
    self.init(
      path: recording.path, name: recording.name, tag: tag.text, entityTag: entityTag, size: recording.version.size)
  }
}
