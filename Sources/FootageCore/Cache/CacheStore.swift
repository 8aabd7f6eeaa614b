internal import FootageBase
internal import FootageSystem

/// The contents of a cache folder: versions, their files, and the claims on their bytes. A claim is the index's record
/// that a range is durable.
///
/// It belongs to one owner, and all of its calls block.
final class CacheStore {
  let folder: String
  let files: any CacheFiles
  /// The lock on the folder; nil if the folder does not belong to this store.
  private let lock: (any CacheLock)?
  let index: any RangeIndex
  /// The reason why nothing can be written; nil if all is well.
  let problem: CacheStoreProblem?
  private(set) var records: [Int64: CacheRecord] = [:]
  /// The total number of claimed bytes of all versions.
  private(set) var claimedBytes: UInt64 = 0
  /// The lengths of the files that are kept beside versions, in bytes.
  var companionLengths: [Int64: [CacheCompanion: UInt64]] = [:]
  /// The handler that receives an event when a version becomes complete, and when one is removed.
  var onEvent: (MediaCache.Event) -> Void = { _ in }
  private var clock: Int64 = 0
  /// The numbers of the versions that are known only from manifests, by the stems of their files. The numbers are
  /// negative, and do not change.
  private var manifestNumbers: [String: Int64] = [:]

  var mediaFolder: String { "\(folder)/media" }
  static let partEnding = ".part"
  static let completeEnding = ".mp4"

  /// Opens the folder only for reading: nothing in it is changed, and nothing is created.
  ///
  /// - Returns: an empty store if the folder does not exist.
  /// - Throws: if the folder exists and cannot be read, or is not a cache's.
  static func openReading(_ folder: String, files: any CacheFiles) throws(MediaCacheError) -> CacheStore {
    let problem = CacheStoreProblem.files(StorageError("write to", folder, .wrongKind("open for reading only")))
    let store = CacheStore(reading: folder, files: files, lock: nil, problem)
    do throws(CacheStoreProblem) {
      try CacheFolderOwner.check(folder, files)
      try CacheStoreProblem.files { () throws(StorageError) in
        do throws(StorageError) { try store.reload() } catch {
          guard error.reason == .system(.notFound) else { throw error }
        }
      }
    } catch { throw error.error(folder) }
    return store
  }

  /// Takes over the folder. If it cannot be written, or belongs to another owner, it is opened for reading.
  ///
  /// - Parameters:
  ///   - former: the store that had this folder until now.
  ///   - onWarning: receives messages about what could not be kept.
  /// - Throws: if the folder cannot even be read.
  static func open(
    _ folder: String, files: any CacheFiles, after former: CacheStore? = nil, onWarning: (String) -> Void
  ) throws(MediaCacheError) -> CacheStore {
    var lock = former?.lock.flatMap { $0.isIntact ? $0 : nil }
    do throws(CacheStoreProblem) {
      if lock == nil { lock = try takeOver(folder, files) }
      return try CacheStore(folder: folder, files: files, lock: lock, onWarning: onWarning)
    } catch {
      let problem = error
      let store = CacheStore(reading: folder, files: files, lock: lock, problem)
      do throws(StorageError) { try store.reload() } catch { throw problem.error(folder) }
      return store
    }
  }

  private static func takeOver(_ folder: String, _ files: any CacheFiles) throws(CacheStoreProblem) -> any CacheLock {
    try CacheFolderOwner.check(folder, files)
    return try CacheStoreProblem.files { () throws(StorageError) in
      try files.createFolder(folder)
      try files.createFolder("\(folder)/media")
      return try files.lock("\(folder)/lock")
    }
  }

  /// Opens or creates the index, and reconciles it with the files. A version without a file is dropped. A file without
  /// a version is removed if its name has the cache's own form, and if it has the owner and the mode of the cache's
  /// lock. If the index was lost, the versions with manifests are recovered.
  private init(
    folder: String, files: any CacheFiles, lock: (any CacheLock)?, onWarning: (String) -> Void
  ) throws(CacheStoreProblem) {
    self.folder = folder
    self.files = files
    self.lock = lock
    problem = nil
    let found: [Int64: CacheRecord]
    (index, found) = try Self.openIndex("\(folder)/fragments.sqlite", files, onWarning)
    for (id, record) in found { put(record, id) }
    let names = Set(
      try CacheStoreProblem.files { () throws(StorageError) in try files.names(in: "\(folder)/media") })
    if records.isEmpty { try recover(names, onWarning) }
    clock = records.values.map(\.lastUse).max() ?? 0
    try reconcile(names, onWarning)
    noteCompanions(names)
  }

  private init(reading folder: String, files: any CacheFiles, lock: (any CacheLock)?, _ problem: CacheStoreProblem) {
    self.folder = folder
    self.files = files
    self.lock = lock
    self.problem = problem
    index = UnwritableIndex(path: "\(folder)/fragments.sqlite")
  }

  /// Reads the present contents: from the index, as far as it can be read, and from the manifests beside the files.
  func reload() throws(StorageError) {
    let names = try files.names(in: mediaFolder)
    // The manifests supply what the index does not contain.
    var found = ((try? files.readIndex("\(folder)/fragments.sqlite")) ?? nil) ?? [:]
    for name in names.sorted() where name.hasSuffix(Self.manifestEnding) {
      let stem = String(name.dropLast(Self.manifestEnding.count))
      guard let manifest = readManifest(stem),
        !found.values.contains(where: {
          $0.stem == stem || ($0.key == manifest.record.key && $0.version == manifest.record.version)
        })
      else { continue }
      let number = manifestNumbers[stem] ?? -1 - Int64(manifestNumbers.count)
      manifestNumbers[stem] = number
      found[number] = manifest.record
    }
    // The known records are read again. No version is removed by that, so no event is sent.
    let tell = onEvent
    onEvent = { _ in }
    defer { onEvent = tell }
    // If a file is shorter than its claims, its missing end counts as damaged, which reads discover.
    for id in records.keys { put(nil, id) }
    for (id, record) in found where !record.fragments.isEmpty && hasFile(record) { put(record, id) }
  }

  private func hasFile(_ record: CacheRecord) -> Bool {
    (try? files.openToRead("\(mediaFolder)/\(fileName(record))")) != nil
  }

  /// True until the folder is deleted or replaced.
  var isIntact: Bool { lock?.isIntact ?? true }
  /// True if this store has the folder's lock, so that no other process writes to the folder.
  var isOwned: Bool { lock != nil }

  /// Opens the index. An index that cannot be used is replaced by an empty one.
  private static func openIndex(
    _ path: String, _ files: any CacheFiles, _ onWarning: (String) -> Void
  ) throws(CacheStoreProblem) -> (any RangeIndex, [Int64: CacheRecord]) {
    do throws(SQLiteError) {
      if let index = try files.openIndex(path) { return (index, try index.load()) }
      onWarning("the cache in \(path) was written by a newer version of Footage: it will be recreated")
    } catch {
      // A foreign schema makes our statements fail (SQLITE_ERROR). Any other error may be temporary.
      guard error.kind == .damaged || error.code & 0xFF == 1 else { throw .index(error) }
      onWarning("\(path): \(error.message): it will be recreated")
    }
    try CacheStoreProblem.files { () throws(StorageError) in
      for suffix in ["", "-wal", "-shm"] { try files.remove(path + suffix) }
    }
    return try CacheStoreProblem.index { () throws(SQLiteError) in
      guard let index = try files.openIndex(path) else {
        throw SQLiteError(code: 0, message: "it changed while it was being opened", sql: nil, path: path)
      }
      return (index, try index.load())
    }
  }

  /// Withdraws claims on bytes that no longer exist, and removes files without a claim.
  private func reconcile(_ names: Set<String>, _ onWarning: (String) -> Void) throws(CacheStoreProblem) {
    var lost: [Int64] = []
    var known: Set<String> = []
    for (id, record) in records {
      let end = record.fragments.last?.range.upperBound ?? 0
      do throws(StorageError) {
        let name = fileName(record)
        let length = try files.open("\(mediaFolder)/\(name)").length
        if length < end { try? dropEnd(of: id, from: length) }
        guard let record = records[id], !record.fragments.isEmpty else {
          lost.append(id)
          continue
        }
        known.formUnion(fileNames(of: record))
        try reconcileName(record, manifest: names.contains(record.stem + Self.manifestEnding) ? .current : .missing)
      } catch {
        // A file that cannot be read just now is not discarded.
        guard error.reason == .system(.notFound) else {
          known.formUnion(fileNames(of: record))
          continue
        }
        if end > 0 {
          onWarning("the file of \(record.key) is missing from the cache: it will be fetched again when needed")
        }
        lost.append(id)
      }
    }
    if !lost.isEmpty { try CacheStoreProblem.index { () throws(SQLiteError) in try index.remove(lost) } }
    for id in lost { put(nil, id) }
    try CacheStoreProblem.files { () throws(StorageError) in
      for name in names where !known.contains(name) && Self.isOwn(name) {
        guard files.isAlike("\(mediaFolder)/\(name)", "\(folder)/lock") else { continue }
        try removeFile(name)
      }
    }
  }

  /// Removes a file. A folder with a name of the cache's form belongs to someone else, and stays.
  private func removeFile(_ name: String) throws(StorageError) {
    do throws(StorageError) { try files.remove("\(mediaFolder)/\(name)") } catch {
      guard error.reason == .system(.isAFolder) || error.reason == .system(.notPermitted) else { throw error }
    }
  }

  /// Withdraws the claims on bytes that a truncated file has lost. The other bytes stay claimed.
  private func dropEnd(of id: Int64, from length: UInt64) throws(SQLiteError) {
    _ = try unclaim(length..<UInt64.max, of: id)
  }

  // MARK: Versions

  /// - Parameter record: nil if the version was removed.
  func put(_ record: CacheRecord?, _ id: Int64) {
    let former = records[id]
    claimedBytes -= min(claimedBytes, former?.claimed.byteCount ?? 0)
    records[id] = record
    claimedBytes = claimedBytes.addingClamped(record?.claimed.byteCount ?? 0)
    if record == nil { companionLengths[id] = nil }
    guard let former else { return }
    if let record {
      if record.isComplete, !former.isComplete { onEvent(.completed(record.key, record.version)) }
    } else if !former.fragments.isEmpty {
      onEvent(.removed(former.key, former.version))
    }
  }

  func id(of key: RecordingKey, _ version: RecordingVersion) -> Int64? {
    records.first { $0.value.key == key && $0.value.version == version }?.key
  }

  /// Returns the versions of a recording, starting with the one that was used last.
  func ids(of key: RecordingKey) -> [Int64] {
    records.filter { $0.value.key == key }.sorted { $0.value.lastUse > $1.value.lastUse }.map(\.key)
  }

  /// Adds a version: a file that is still empty, and a row in the index.
  func add(_ key: RecordingKey, _ version: RecordingVersion) throws(CacheStoreProblem) -> (Int64, any CacheFile) {
    if let problem { throw problem }
    clock += 1
    let record = CacheRecord(key: key, version: version, stem: Self.stem(key), lastUse: clock)
    let path = "\(mediaFolder)/\(record.stem)\(Self.partEnding)"
    let file = try CacheStoreProblem.files { () throws(StorageError) in try files.create(path) }
    do throws(CacheStoreProblem) {
      guard let id = try CacheStoreProblem.index({ () throws(SQLiteError) in try index.insert([record]) }).first
      else { throw .index(SQLiteError(code: 0, message: "it assigned no row number", sql: nil, path: folder)) }
      put(record, id)
      return (id, file)
    } catch {
      try? files.remove(path)
      throw error
    }
  }

  func open(_ id: Int64) throws(StorageError) -> any CacheFile {
    guard let record = records[id] else { throw StorageError("open", folder, .system(.notFound)) }
    let path = "\(mediaFolder)/\(fileName(record))"
    return problem == nil ? try files.open(path) : try files.openToRead(path)
  }

  func touch(_ id: Int64) throws(SQLiteError) {
    clock += 1
    guard var record = records[id] else { return }
    record.lastUse = clock
    put(record, id)
    try index.update(record, id, durably: false)
  }

  /// - Parameter durably: true if the change has to survive a power cut from now on.
  func keep(_ isKept: Bool, _ id: Int64, durably: Bool = false) throws(SQLiteError) {
    guard var record = records[id] else { return }
    record.isKept = isKept
    try index.update(record, id, durably: durably)
    put(record, id)
    // If this fails, the version is merely not kept any more after the index is lost.
    try? reconcileName(record, manifest: .stale)
  }

  /// Updates the manifest of an incomplete version that is kept, because the version has grown.
  func renewManifest(_ id: Int64) {
    guard problem == nil, let record = records[id], record.isKept, !record.isComplete else { return }
    // If this fails, only what the old manifest describes outlives the index.
    try? writeManifest(of: record)
  }

  /// Records the robot's description of a version.
  func note(_ item: String, _ id: Int64) throws(SQLiteError) {
    guard var record = records[id], record.item != item else { return }
    record.item = item
    try index.update(record, id, durably: false)
    put(record, id)
    // If this fails, the version merely has no description after the index is lost.
    try? reconcileName(record, manifest: .stale)
  }

  /// Claims bytes that have been synced to the disk. If they complete the version, its file becomes a plain `.mp4`, and
  /// the version stays complete.
  ///
  /// - Parameter limit: the size up to which adjacent fragments are joined, in bytes.
  /// - Returns: the ranges that could not be claimed, because the claims on the bytes before them were withdrawn
  ///   meanwhile; nil if the version is no longer in the store.
  func commit(
    _ received: [ReceivedRange], to id: Int64, joining limit: UInt64
  ) throws(SQLiteError) -> [ReceivedRange]? {
    guard var record = records[id] else { return nil }
    // Bytes are useless without the name of their file. If the name cannot be made durable, a power cut loses the
    // bytes, and the next start finds that they are gone.
    if record.fragments.isEmpty { try? files.sync(folder: mediaFolder) }
    var refused: [ReceivedRange] = []
    var fragments = record.fragments
    for new in received {
      guard let joined = fragments.adding(new) else {
        refused.append(new)
        continue
      }
      fragments = joined
    }
    if !refused.isEmpty {
      for new in refused { _ = try unclaim(new.claimedEnd..<new.fragment.range.upperBound, of: id) }
      guard let rest = records[id] else { return nil }
      record = rest
      fragments = rest.fragments
      for new in received where !refused.contains(new) { fragments = fragments.adding(new) ?? fragments }
    }
    fragments = fragments.joined(upTo: limit)
    let (former, now) = (Set(record.fragments.map(\.range)), Set(fragments.map(\.range)))
    let gone = record.fragments.filter { !now.contains($0.range) }
    record.fragments = fragments
    try index.add(
      fragments.filter { !former.contains($0.range) }, insteadOf: gone, to: id, durably: record.isComplete)
    put(record, id)
    // If the file keeps its old name, that works as well, and the next start tries again.
    if record.isComplete { try? reconcileName(record, manifest: .stale) }
    return refused
  }

  /// Withdraws the claims on a range.
  ///
  /// - Returns: the ranges that are no longer claimed, which consist of complete blocks.
  func unclaim(_ range: Range<UInt64>, of id: Int64) throws(SQLiteError) -> [Range<UInt64>] {
    guard let record = records[id] else { return [] }
    let hit = record.fragments.filter { $0.range.overlaps(range) }
    guard !hit.isEmpty else { return [] }
    let rests = hit.flatMap { $0.without(range) }
    try index.replace(hit, by: rests, of: id)
    var rest = record
    rest.fragments = record.fragments.flatMap { $0.without(range) }
    put(rest, id)
    try? reconcileName(rest, manifest: VersionManifest(record) == nil ? .missing : .stale)
    return RangeSet(hit.flatMap { $0.blocks(in: range).map(\.range) }).ranges
  }

  /// Removes versions and their files. The manifests go first, so that removed versions cannot be recovered from them.
  /// The index rows go next: a file without a row is cleaned up later, but a row without a file is a false claim.
  ///
  /// A full disk may have no room for the index to record a deletion. Then the files go before the rows, and make room.
  func remove(_ ids: [Int64]) throws(CacheStoreProblem) {
    guard isOwned || problem == nil else { throw problem ?? .files(StorageError("delete", folder, .changed)) }
    try CacheStoreProblem.files { () throws(StorageError) in
      for id in ids {
        guard let record = records[id] else { continue }
        try files.remove(path(record.stem, Self.manifestEnding))
      }
    }
    var hasForgotten = true
    do throws(SQLiteError) { try index.remove(ids) } catch {
      guard error.kind != .busy else { throw .index(error) }
      hasForgotten = false
    }
    try CacheStoreProblem.files { () throws(StorageError) in
      for id in ids {
        guard let record = records[id] else { continue }
        for name in fileNames(of: record) { try files.remove("\(mediaFolder)/\(name)") }
      }
    }
    // If this fails again, the next start deletes the rows, because their files are gone.
    if !hasForgotten { try? index.remove(ids) }
    for id in ids { put(nil, id) }
  }
}
