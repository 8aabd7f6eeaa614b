internal import FootageDigest

/// The work on a version that the store has. Each function throws `OffloadError.lost` if the store does not have it.
struct StoredWork {
  let store: any Store
  let files: any OffloadLibrary
  /// The prefix of all of the robot's objects, with its slash.
  let prefix: String
  /// The longest manifest that is read, in bytes.
  let manifestLimit: Int

  /// Brings a file back to the disk, if it is what was signed.
  ///
  /// - Returns: a text for a person that says what was done.
  func restore(_ row: OffloadRow) async throws(OffloadError) -> String {
    guard !files.isHere(row) else { return "it is here already" }
    let manifest = try await manifest(of: row)
    let restoration = try files.restoration(of: row, manifest)
    var digest = SHA256()
    let keys = keys(of: row)
    var offset: UInt64 = 0
    while offset < manifest.length {
      let range = offset..<min(manifest.length, offset + Self.stride)
      let bytes = try await ofStore { () async throws(ObjectStoreError) in
        try await store.read(keys.file, in: range, ifMatch: nil).bytes
      }
      digest.update(bytes)
      try restoration.append(bytes)
      offset = range.upperBound
    }
    guard digest.finish() == manifest.digest else { throw .lost(name: row.name, .bytes(key: keys.file)) }
    try restoration.finish()
    return "it is here again, equal to what was signed"
  }

  /// Compares what the store has with what was signed.
  ///
  /// - Parameter readingAll: true if all bytes are read; otherwise only lengths are compared, and the manifest.
  /// - Returns: a text for a person that says what was found to be right.
  func verify(_ row: OffloadRow, readingAll: Bool) async throws(OffloadError) -> String {
    let manifest = try await manifest(of: row)
    let keys = keys(of: row)
    let presence = StoredPresence(store: store, prefix: prefix)
    try await presence.expect(keys.file, of: row, length: manifest.length)
    for (key, isThere) in [(keys.preamble, manifest.hasPreamble), (keys.index, manifest.hasIndex)] where isThere {
      try await presence.expect(key, of: row, length: nil)
    }
    guard readingAll else { return "it is there, with its length" }
    let digest = try await ofStore { () async throws(ObjectStoreError) in
      try await store.digest(of: keys.file, length: manifest.length)
    }
    guard digest == manifest.digest else { throw .lost(name: row.name, .bytes(key: keys.file)) }
    return "it is there, byte for byte"
  }

  private static let stride: UInt64 = 1 << 20

  private func keys(of row: OffloadRow) -> ObjectKeys { ObjectKeys(prefix: prefix, name: row.name, tag: row.tag) }

  /// Returns the manifest in the store, which has to be one that this robot has signed.
  private func manifest(of row: OffloadRow) async throws(OffloadError) -> ProvenManifest {
    let key = keys(of: row).manifest
    let limit = manifestLimit
    let bytes = try await ofStore { () async throws(ObjectStoreError) in try await store.bytes(of: key, limit: limit) }
    guard let bytes else { throw .lost(name: row.name, .gone(key: key)) }
    guard let manifest = files.proven(bytes, of: row) else {
      throw .unproved(name: row.name, reason: "the manifest in the store is not one that this robot has signed")
    }
    return manifest
  }
}
