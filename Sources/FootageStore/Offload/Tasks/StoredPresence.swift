/// A check that a store still has what it had, by requests without a body.
struct StoredPresence {
  let store: any Store
  /// The prefix of all of the robot's objects, with its slash.
  let prefix: String

  /// Asks for the manifest and the file of a version, with two requests.
  ///
  /// - Parameter manifestLength: the length in the record, in bytes; nil if it has none.
  /// - Throws: `OffloadError.lost` if one of them is missing or has another length; `.store`.
  func expect(_ row: OffloadRow, manifestLength: Int?) async throws(OffloadError) {
    let keys = ObjectKeys(prefix: prefix, name: row.name, tag: row.tag)
    try await expect(keys.manifest, of: row, length: manifestLength.map { UInt64($0) })
    try await expect(keys.file, of: row, length: row.size)
  }

  /// Asks for one object.
  ///
  /// - Parameter length: the length in bytes; nil if any length will do.
  func expect(_ key: String, of row: OffloadRow, length: UInt64?) async throws(OffloadError) {
    let facts = try await ofStore { () async throws(ObjectStoreError) in try await store.head(key) }
    guard let facts else { throw .lost(name: row.name, .gone(key: key)) }
    guard let length, facts.length != length else { return }
    throw .lost(name: row.name, .length(key: key, facts.length, expected: length))
  }
}
