/// What is in the cache folder: versions, their files and what is claimed of them.

internal import SQLite
internal import Storage

/// Belongs to one owner; all of it blocks.
final class CacheShelf {
  let folder: String
  let files: any CacheFiles
  private let lock: any CacheLock
  let index: any FragmentIndex
  var records: [Int64: CacheRecord] = [:]
  private var clock: Int64 = 0

  var mediaFolder: String { "\(folder)/media" }
  static let partEnding = ".part"
  static let completeEnding = ".mp4"

  /// Takes the folder over, makes what is missing of it, and brings files and index into line: what the one has and the
  /// other does not is dropped. Where the index was lost, what is complete is taken in again.
  ///
  /// - Parameter tell: told what could not be kept.
  init(folder: String, files: any CacheFiles, tell: (String) -> Void) throws(MediaCacheError) {
    self.folder = folder
    self.files = files
    do throws(StorageError) {
      try files.createFolder(folder)
      try files.createFolder("\(folder)/media")
      lock = try files.lock("\(folder)/lock")
    } catch {
      if error.reason == .system(.wouldBlock) { throw .owned(folder: folder) }
      throw .folder(error.description)
    }
    (index, records) = try Self.openIndex("\(folder)/fragments.sqlite", files, tell)
    let names = Set(
      try MediaCacheError.files { () throws(StorageError) in try files.names(in: "\(folder)/media") })
    if records.isEmpty { try takeIn(names, tell) }
    clock = records.values.map(\.lastUse).max() ?? 0
    try settle(names, tell)
  }

  /// False once the folder was deleted or replaced.
  var isIntact: Bool { lock.isIntact }

  /// An index that cannot be used gives way to an empty one.
  private static func openIndex(
    _ path: String, _ files: any CacheFiles, _ tell: (String) -> Void
  ) throws(MediaCacheError) -> (any FragmentIndex, [Int64: CacheRecord]) {
    do throws(SQLiteError) {
      if let index = try files.openIndex(path) { return (index, try index.load()) }
      tell("the cache in \(path) was written by a newer footage: it is made anew")
    } catch {
      // `.other`: a schema that is not ours.
      guard error.kind == .damaged || error.kind == .other else { throw .database(error.description) }
      tell("\(path): \(error.message): it is made anew")
    }
    try MediaCacheError.files { () throws(StorageError) in
      for suffix in ["", "-wal", "-shm"] { try files.remove(path + suffix) }
    }
    return try MediaCacheError.index { () throws(SQLiteError) in
      guard let index = try files.openIndex(path) else {
        throw SQLiteError(code: 0, message: "it changes while it is opened", sql: nil, path: path)
      }
      return (index, try index.load())
    }
  }

  /// Nothing may be claimed without its bytes, and no file stay without its claim.
  private func settle(_ names: Set<String>, _ tell: (String) -> Void) throws(MediaCacheError) {
    var lost: [Int64] = []
    var known: Set<String> = []
    for (id, record) in records {
      let end = record.fragments.last?.range.upperBound ?? 0
      do throws(StorageError) {
        let name = fileName(record)
        guard try files.open("\(mediaFolder)/\(name)").length >= end, end > 0 else {
          lost.append(id)
          continue
        }
        known.formUnion(fileNames(of: record))
        try settleName(record, hasCard: names.contains(record.stem + Self.cardEnding))
      } catch {
        // Not to be read just now is no reason to throw it away.
        guard error.reason == .system(.notFound) else {
          known.formUnion(fileNames(of: record))
          continue
        }
        if end > 0 { tell("the file of \(record.key) has gone from the cache: it is fetched again when it is wanted") }
        lost.append(id)
      }
    }
    do throws(SQLiteError) { try index.remove(lost) } catch { throw .database(error.description) }
    for id in lost { records[id] = nil }
    do throws(StorageError) {
      for name in names where !known.contains(name) { try files.remove("\(mediaFolder)/\(name)") }
    } catch { throw .folder(error.description) }
  }

  // MARK: Versions

  func id(of key: RecordingKey, _ version: RecordingVersion) -> Int64? {
    records.first { $0.value.key == key && $0.value.version == version }?.key
  }

  /// The versions of a recording, the one that was used last first.
  func ids(of key: RecordingKey) -> [Int64] {
    records.filter { $0.value.key == key }.sorted { $0.value.lastUse > $1.value.lastUse }.map(\.key)
  }

  /// Makes room for a version's bytes on disk: its file, without any yet, and its row.
  func add(_ key: RecordingKey, _ version: RecordingVersion) throws(MediaCacheError) -> (Int64, any CacheFile) {
    clock += 1
    let record = CacheRecord(key: key, version: version, stem: Self.stem(key), lastUse: clock)
    let path = "\(mediaFolder)/\(record.stem)\(Self.partEnding)"
    let file = try MediaCacheError.files { () throws(StorageError) in try files.create(path) }
    do throws(MediaCacheError) {
      guard let id = try MediaCacheError.index({ () throws(SQLiteError) in try index.insert([record]) }).first
      else { throw .database("it gave no number") }
      records[id] = record
      return (id, file)
    } catch {
      try? files.remove(path)
      throw error
    }
  }

  func open(_ id: Int64) throws(StorageError) -> any CacheFile {
    guard let record = records[id] else { throw StorageError("open", folder, .system(.notFound)) }
    return try files.open("\(mediaFolder)/\(fileName(record))")
  }

  /// Where a version's file is.
  func path(_ record: CacheRecord) -> String {
    path(record.stem, record.isComplete ? Self.completeEnding : Self.partEnding)
  }

  func path(_ stem: String, _ ending: String) -> String { "\(mediaFolder)/\(stem)\(ending)" }

  /// What a version may have in the folder of the media.
  private func fileNames(of record: CacheRecord) -> [String] {
    [Self.partEnding, Self.completeEnding, Self.cardEnding].map { record.stem + $0 }
  }

  func touch(_ id: Int64) throws(SQLiteError) {
    clock += 1
    records[id]?.lastUse = clock
    if let record = records[id] { try index.update(record, id) }
  }

  func keep(_ isKept: Bool, _ id: Int64) throws(SQLiteError) {
    records[id]?.isKept = isKept
    guard let record = records[id] else { return }
    try index.update(record, id)
    // Without it, it is merely not kept in a cache whose index was lost.
    try? writeCard(of: record)
  }

  /// Claims bytes that were synced. A version that is complete with them becomes a plain file.
  ///
  /// - Returns: false where the version is no longer on the shelf.
  func commit(_ fragments: [Fragment], to id: Int64) throws(SQLiteError) -> Bool {
    guard var record = records[id] else { return false }
    let claimed = record.claimed
    // Bytes are no use without the name of their file. Where it cannot be made durable, a power cut costs the bytes, and
    // the next start sees that they are gone.
    if record.fragments.isEmpty { try? files.sync(folder: mediaFolder) }
    let new = fragments.filter { claimed.parts(in: $0.range).isEmpty }
    try index.add(new, to: id)
    record.fragments = (record.fragments + new).sorted { $0.range.lowerBound < $1.range.lowerBound }
    records[id] = record
    // The old name serves as well, and the next start tries again.
    if record.isComplete { try? settleName(record, hasCard: false) }
    return true
  }

  /// Takes back what is claimed of a range.
  ///
  /// - Returns: all that is no longer claimed, which may be more.
  func unclaim(_ range: Range<UInt64>, of id: Int64) throws(SQLiteError) -> [Range<UInt64>] {
    guard let record = records[id] else { return [] }
    let hit = record.fragments.filter { $0.range.overlaps(range) }
    try index.remove(hit, from: id)
    records[id]?.fragments.removeAll { $0.range.overlaps(range) }
    if let rest = records[id] { try? settleName(rest, hasCard: record.isComplete) }
    return hit.map(\.range)
  }

  /// Removes versions and their files. The cards go first: what was removed must not come back. Then the rows: a file
  /// without a row is swept, a row without a file lies.
  func remove(_ ids: [Int64]) throws(MediaCacheError) {
    try MediaCacheError.files { () throws(StorageError) in
      for id in ids {
        guard let record = records[id], record.isComplete else { continue }
        try files.remove(path(record.stem, Self.cardEnding))
      }
    }
    do throws(SQLiteError) { try index.remove(ids) } catch { throw .database(error.description) }
    for id in ids {
      guard let record = records.removeValue(forKey: id) else { continue }
      do throws(StorageError) {
        for name in fileNames(of: record) { try files.remove("\(mediaFolder)/\(name)") }
      } catch { throw .folder(error.description) }
    }
  }

  /// Only what is complete is called `.mp4`, and has a card, which is there before the name.
  private func settleName(_ record: CacheRecord, hasCard: Bool) throws(StorageError) {
    if record.isComplete != hasCard {
      // A disk without room for the card is no reason to keep a recording from its name.
      if hasCard { try? files.remove(path(record.stem, Self.cardEnding)) } else { try? writeCard(of: record) }
    }
    let wanted = record.stem + (record.isComplete ? Self.completeEnding : Self.partEnding)
    let name = fileName(record)
    guard name != wanted else { return }
    try files.rename("\(mediaFolder)/\(name)", to: "\(mediaFolder)/\(wanted)")
    try files.sync(folder: mediaFolder)
  }

  /// A power cut, or damage found later, may have left it under either name.
  private func fileName(_ record: CacheRecord) -> String {
    let complete = record.stem + Self.completeEnding
    do throws(StorageError) {
      _ = try files.open("\(mediaFolder)/\(complete)")
      return complete
    } catch { return record.stem + Self.partEnding }
  }

  /// Names a file for people by the recording's last part, and apart from all others by 64 random bits.
  private static func stem(_ key: RecordingKey) -> String {
    let allowed = key.name.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "/"):
        byte
      default: UInt8(ascii: "_")
      }
    }
    let last = allowed.suffix(while: { $0 != UInt8(ascii: "/") }).prefix(80)
    return "\(String(decoding: last, as: UTF8.self))-\(String(UInt64.random(in: .min ... .max), radix: 36))"
  }
}

extension [UInt8] {
  fileprivate func suffix(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex
    return self[start...]
  }
}
