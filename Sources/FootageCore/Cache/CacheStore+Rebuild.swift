internal import SQLite
internal import Storage

/// Complete versions are taken in again where the index was lost: by the cards beside their files.
extension CacheStore {
  static let cardEnding = ".card"
  private static let draftEnding = ".draft"
  /// A card has 17 bytes for each 64 KiB.
  private static let longestCard: UInt64 = 64 << 20

  /// Writes a version's card, or replaces it, so that it survives a power cut.
  func writeCard(of record: CacheRecord) throws(StorageError) {
    guard let card = VersionManifest(record) else { return }
    let bytes = Array(card.text.utf8)
    let draft = path(record.stem, Self.draftEnding)
    try files.remove(draft)
    do throws(StorageError) {
      let file = try files.create(draft)
      try file.write(bytes, 0..<bytes.count, at: 0)
      try file.sync()
      try files.rename(draft, to: path(record.stem, Self.cardEnding))
    } catch {
      try? files.remove(draft)
      throw error
    }
    try files.sync(folder: mediaFolder)
  }

  /// An index that has no version, beside cards, is one that was lost and made anew. All of them go into it at once, so
  /// that a crash on the way finds it as it was: empty. Reads all that the cards speak of.
  ///
  /// - Parameter names: of what is in the folder of the media.
  func recover(_ names: Set<String>, _ onWarning: (String) -> Void) throws(CacheStoreProblem) {
    let cards = names.filter { $0.hasSuffix(Self.cardEnding) }.sorted()
    var found: [CacheRecord] = []
    for name in cards {
      guard let record = intactRecord(String(name.dropLast(Self.cardEnding.count))),
        !found.contains(where: { $0.key == record.key && $0.version == record.version })
      else { continue }
      found.append(record)
    }
    guard !cards.isEmpty else { return }
    try CacheStoreProblem.index { () throws(SQLiteError) in
      for (id, record) in zip(try index.insert(found), found) { put(record, id) }
    }
    onWarning(
      "the index of the cache \(folder) was lost: \(found.count { $0.isComplete }) of \(cards.count) complete "
        + "recordings are in it again, and what is missing is fetched when it is wanted")
  }

  /// What a card says, as far as it is so.
  private func intactRecord(_ stem: String) -> CacheRecord? {
    // Synced before it is claimed: whoever wrote it last may have been killed before he could.
    guard let card = readCard(stem), let file = try? openEither(stem), (try? file.sync()) != nil else { return nil }
    var record = card.record
    for range in record.fragments.flatMap({ CacheDisk.damaged($0, of: file) }) {
      record.fragments = record.fragments.flatMap { $0.without(range) }
    }
    return record.fragments.isEmpty ? nil : record
  }

  func readCard(_ stem: String) -> VersionManifest? {
    guard let file = try? files.openToRead(path(stem, Self.cardEnding)), file.length <= Self.longestCard,
      let bytes = try? file.read(at: 0, count: Int(file.length))
    else { return nil }
    return VersionManifest(bytes, stem: stem)
  }

  private func openEither(_ stem: String) throws(StorageError) -> any CacheFile {
    do throws(StorageError) { return try files.open(path(stem, Self.completeEnding)) } catch {
      return try files.open(path(stem, Self.partEnding))
    }
  }
}
