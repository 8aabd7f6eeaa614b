internal import FootageDigest

/// The tasks for a version that the store has. Each function throws `OffloadError.lost` if the store does not have it.
struct StoredWork {
  let store: any Store
  let files: any OffloadLibrary
  /// The prefix of all of the robot's objects, with its slash.
  let prefix: String
  /// The longest manifest that is read, in bytes.
  let manifestLimit: Int

  /// Restores a file to the disk, if its bytes are what was signed.
  ///
  /// - Returns: a text for a person that describes the result.
  func restore(_ row: OffloadRow) async throws(OffloadError) -> String {
    guard !files.isHere(row) else { return "it is already on the robot" }
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
    return "it is on the robot again, identical to what was signed"
  }

  /// Compares the store's objects with what was signed.
  ///
  /// - Parameter readingAll: true to read all bytes; otherwise only the manifest and the lengths are compared.
  /// - Returns: a text for a person that describes what was verified.
  func verify(_ row: OffloadRow, readingAll: Bool) async throws(OffloadError) -> String {
    let manifest = try await manifest(of: row)
    let keys = keys(of: row)
    let presence = StoredPresence(store: store, prefix: prefix)
    try await presence.expect(keys.file, of: row, length: manifest.length)
    for (key, isThere) in [(keys.preamble, manifest.hasPreamble), (keys.index, manifest.hasIndex)] where isThere {
      try await presence.expect(key, of: row, length: nil)
    }
    guard readingAll else { return "it is in the store, with the right length" }
    let digest = try await ofStore { () async throws(ObjectStoreError) in
      try await store.digest(of: keys.file, length: manifest.length)
    }
    guard digest == manifest.digest else { throw .lost(name: row.name, .bytes(key: keys.file)) }
    return "it is in the store, byte for byte"
  }

  private static let stride: UInt64 = 1 << 20

  private func keys(of row: OffloadRow) -> ObjectKeys { ObjectKeys(prefix: prefix, name: row.name, tag: row.tag) }

  /// Returns the manifest in the store, which must be signed by this robot.
  private func manifest(of row: OffloadRow) async throws(OffloadError) -> ProvenManifest {
    let key = keys(of: row).manifest
    let limit = manifestLimit
    let bytes = try await ofStore { () async throws(ObjectStoreError) in try await store.bytes(of: key, limit: limit) }
    guard let bytes else { throw .lost(name: row.name, .gone(key: key)) }
    guard let manifest = files.proven(bytes, of: row) else {
      throw .unproved(name: row.name, reason: "this robot did not sign the manifest in the store")
    }
    return manifest
  }
}
