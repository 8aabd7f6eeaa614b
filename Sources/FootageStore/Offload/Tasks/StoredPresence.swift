/// Whether a store has what it had, by requests without a body.
struct StoredPresence {
  let store: any Store
  /// Of everything of the robot's, with its slash.
  let prefix: String

  /// Asks for manifest and file of a version: two requests.
  ///
  /// - Parameter manifestLength: as the record has it, in bytes; nil where it has none.
  /// - Throws: `OffloadError.lost` where one of them is not there, or has another length; `.store`.
  func expect(_ row: OffloadRow, manifestLength: Int?) async throws(OffloadError) {
    let keys = ObjectKeys(prefix: prefix, name: row.name, tag: row.tag)
    try await expect(keys.manifest, of: row, length: manifestLength.map { UInt64($0) })
    try await expect(keys.file, of: row, length: row.size)
  }

  /// Asks for one object.
  ///
  /// - Parameter length: in bytes; nil where any will do.
  func expect(_ key: String, of row: OffloadRow, length: UInt64?) async throws(OffloadError) {
    let facts = try await ofStore { () async throws(ObjectStoreError) in try await store.head(key) }
    guard let facts else { throw .lost(name: row.name, .gone(key: key)) }
    guard let length, facts.length != length else { return }
    throw .lost(name: row.name, .length(key: key, facts.length, expected: length))
  }
}
