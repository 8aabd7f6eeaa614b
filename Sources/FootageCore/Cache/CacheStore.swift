internal import FootageBase
internal import FootageSystem

/// What is in the cache folder: versions, their files and what is claimed of them.
///
/// Belongs to one owner; all of it blocks.
final class CacheStore {
  let folder: String
  let files: any CacheFiles
  /// Nil where the folder is not ours.
  private let lock: (any CacheLock)?
  let index: any RangeIndex
  /// Why nothing can be written; nil where all is well.
  let problem: CacheStoreProblem?
  private(set) var records: [Int64: CacheRecord] = [:]
  /// By all of them together, in bytes.
  private(set) var claimedBytes: UInt64 = 0
  /// Of what is kept beside versions, in bytes.
  var companionLengths: [Int64: [CacheCompanion: UInt64]] = [:]
  /// Told what becomes complete, and what goes.
  var onEvent: (MediaCache.Event) -> Void = { _ in }
  private var clock: Int64 = 0
  /// What goes by manifests alone has numbers below zero, and keeps them.
  private var manifestNumbers: [String: Int64] = [:]

  var mediaFolder: String { "\(folder)/media" }
  static let partEnding = ".part"
  static let completeEnding = ".mp4"

  /// Opens the folder to be read alone: nothing of it is changed, and nothing is made.
  ///
  /// - Returns: a store with nothing in it where the folder is not there.
  /// - Throws: where it is there and cannot be read, or is no cache's.
  static func openReading(_ folder: String, files: any CacheFiles) throws(MediaCacheError) -> CacheStore {
    let problem = CacheStoreProblem.files(StorageError("write to", folder, .wrongKind("open to be read alone")))
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

  /// Takes the folder over; where it cannot be written, or is another's, it is opened to be read.
  ///
  /// - Parameters:
  ///   - former: the store of that folder until now.
  ///   - onWarning: told what could not be kept.
  /// - Throws: where it cannot even be read.
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

  /// Makes what is missing of the folder, and brings files and index into line: what the one has and the other does not
  /// is dropped, as far as it has a name of the cache's own form, and owner and mode of its lock. Where the index was
  /// lost, what is complete is taken in again.
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

  /// Reads what is there now, by the index as far as it can be read, and by the manifests beside the files.
  func reload() throws(StorageError) {
    let names = try files.names(in: mediaFolder)
    // What the index does not say, the manifests do.
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
    // What was read before is read anew, and nothing has gone for that.
    let tell = onEvent
    onEvent = { _ in }
    defer { onEvent = tell }
    // A file that is shorter than what is claimed of it is damaged from its end on, and the reads say so.
    for id in records.keys { put(nil, id) }
    for (id, record) in found where !record.fragments.isEmpty && hasFile(record) { put(record, id) }
  }

  private func hasFile(_ record: CacheRecord) -> Bool {
    (try? files.openToRead("\(mediaFolder)/\(fileName(record))")) != nil
  }

  /// False once the folder was deleted or replaced.
  var isIntact: Bool { lock?.isIntact ?? true }
  /// Whether nobody else writes to the folder.
  var isOwned: Bool { lock != nil }

  /// An index that cannot be used gives way to an empty one.
  private static func openIndex(
    _ path: String, _ files: any CacheFiles, _ onWarning: (String) -> Void
  ) throws(CacheStoreProblem) -> (any RangeIndex, [Int64: CacheRecord]) {
    do throws(SQLiteError) {
      if let index = try files.openIndex(path) { return (index, try index.load()) }
      onWarning("the cache in \(path) was written by a newer footage: it is made anew")
    } catch {
      // A schema that is not ours is an error in our statements (SQLITE_ERROR); what else there is may pass.
      guard error.kind == .damaged || error.code & 0xFF == 1 else { throw .index(error) }
      onWarning("\(path): \(error.message): it is made anew")
    }
    try CacheStoreProblem.files { () throws(StorageError) in
      for suffix in ["", "-wal", "-shm"] { try files.remove(path + suffix) }
    }
    return try CacheStoreProblem.index { () throws(SQLiteError) in
      guard let index = try files.openIndex(path) else {
        throw SQLiteError(code: 0, message: "it changes while it is opened", sql: nil, path: path)
      }
      return (index, try index.load())
    }
  }

  /// Nothing may be claimed without its bytes, and no file stay without its claim.
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
        // Not to be read just now is no reason to throw it away.
        guard error.reason == .system(.notFound) else {
          known.formUnion(fileNames(of: record))
          continue
        }
        if end > 0 {
          onWarning("the file of \(record.key) has gone from the cache: it is fetched again when it is wanted")
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

  /// A folder that has a name of ours is somebody else's, and stays.
  private func removeFile(_ name: String) throws(StorageError) {
    do throws(StorageError) { try files.remove("\(mediaFolder)/\(name)") } catch {
      guard error.reason == .system(.isAFolder) || error.reason == .system(.notPermitted) else { throw error }
    }
  }

  /// What a file that was cut off does not have is not claimed; the rest of it is.
  private func dropEnd(of id: Int64, from length: UInt64) throws(SQLiteError) {
    _ = try unclaim(length..<UInt64.max, of: id)
  }

  // MARK: Versions

  /// - Parameter record: nil where it is there no more.
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

  /// The versions of a recording, the one that was used last first.
  func ids(of key: RecordingKey) -> [Int64] {
    records.filter { $0.value.key == key }.sorted { $0.value.lastUse > $1.value.lastUse }.map(\.key)
  }

  /// Makes room for a version's bytes on disk: its file, without any yet, and its row.
  func add(_ key: RecordingKey, _ version: RecordingVersion) throws(CacheStoreProblem) -> (Int64, any CacheFile) {
    if let problem { throw problem }
    clock += 1
    let record = CacheRecord(key: key, version: version, stem: Self.stem(key), lastUse: clock)
    let path = "\(mediaFolder)/\(record.stem)\(Self.partEnding)"
    let file = try CacheStoreProblem.files { () throws(StorageError) in try files.create(path) }
    do throws(CacheStoreProblem) {
      guard let id = try CacheStoreProblem.index({ () throws(SQLiteError) in try index.insert([record]) }).first
      else { throw .index(SQLiteError(code: 0, message: "it gave no number", sql: nil, path: folder)) }
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

  /// - Parameter durably: whether it has to survive a power cut from now on.
  func keep(_ isKept: Bool, _ id: Int64, durably: Bool = false) throws(SQLiteError) {
    guard var record = records[id] else { return }
    record.isKept = isKept
    try index.update(record, id, durably: durably)
    put(record, id)
    // Without it, it is merely not kept in a cache whose index was lost.
    try? reconcileName(record, manifest: .stale)
  }

  /// What is kept in part has grown: its manifest says so.
  func renewManifest(_ id: Int64) {
    guard problem == nil, let record = records[id], record.isKept, !record.isComplete else { return }
    // Without it, only what is said already outlives the index.
    try? writeManifest(of: record)
  }

  /// Notes what the robot said of a version.
  func note(_ item: String, _ id: Int64) throws(SQLiteError) {
    guard var record = records[id], record.item != item else { return }
    record.item = item
    try index.update(record, id, durably: false)
    put(record, id)
    // Without it, it is merely without a description in a cache whose index was lost.
    try? reconcileName(record, manifest: .stale)
  }

  /// Claims bytes that were synced. A version that is complete with them is so for good, and becomes a plain file.
  ///
  /// - Parameter limit: up to which neighbouring fragments become one, in bytes.
  /// - Returns: those that could not be claimed, because what they follow was taken back meanwhile: then nothing is
  ///   claimed where they are; nil where the version is no longer in the store.
  func commit(
    _ received: [ReceivedRange], to id: Int64, joining limit: UInt64
  ) throws(SQLiteError) -> [ReceivedRange]? {
    guard var record = records[id] else { return nil }
    // Bytes are no use without the name of their file. Where it cannot be made durable, a power cut costs the bytes,
    // and the next start sees that they are gone.
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
    // The old name serves as well, and the next start tries again.
    if record.isComplete { try? reconcileName(record, manifest: .stale) }
    return refused
  }

  /// Takes back what is claimed of a range.
  ///
  /// - Returns: all that is no longer claimed: whole blocks.
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

  /// Removes versions and their files. The manifests go first: what was removed must not come back. Then the rows: a
  /// file without a row is swept, a row without a file lies.
  ///
  /// A full disk may have no room for what the index writes to forget a row. Then the files go first and make some, and
  /// manifests that are gone keep what was removed from coming back.
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
    // Where that is in vain again, the next start forgets them: their files are gone.
    if !hasForgotten { try? index.remove(ids) }
    for id in ids { put(nil, id) }
  }
}
