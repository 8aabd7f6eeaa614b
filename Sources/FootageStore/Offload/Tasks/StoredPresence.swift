/// A check that a store still has the objects of a version, by `HEAD` requests.
struct StoredPresence {
  let store: any Store
  /// The prefix of all of the robot's objects, with its slash.
  let prefix: String

  /// Checks that the store has the manifest and the file of a version, with one request for each.
  ///
  /// - Parameter manifestLength: the length of the manifest in the record, in bytes; nil if the record has none.
  /// - Throws: `OffloadError.lost` if one of them is missing or has another length; `.store`.
  func expect(_ row: OffloadRow, manifestLength: Int?) async throws(OffloadError) {
    let keys = ObjectKeys(prefix: prefix, name: row.name, tag: row.tag)
    try await expect(keys.manifest, of: row, length: manifestLength.map { UInt64($0) })
    try await expect(keys.file, of: row, length: row.size)
  }

  /// Checks that the store has one object.
  ///
  /// - Parameter length: the length in bytes; nil if the length is not checked.
  func expect(_ key: String, of row: OffloadRow, length: UInt64?) async throws(OffloadError) {
    let facts = try await ofStore { () async throws(ObjectStoreError) in try await store.head(key) }
    guard let facts else { throw .lost(name: row.name, .gone(key: key)) }
    guard let length, facts.length != length else { return }
    throw .lost(name: row.name, .length(key: key, facts.length, expected: length))
  }
}
