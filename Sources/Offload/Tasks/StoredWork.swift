internal import Digest
internal import ObjectStore
internal import StoredRecordings

/// What is done with a version that the store has.
struct StoredWork {
  let store: any StoreAccess
  let files: any OffloadLibrary
  /// Of everything of the robot's, with its slash.
  let prefix: String
  /// The longest manifest that is read, in bytes.
  let manifestLimit: Int

  /// Brings a file back to the disk, if it is what was signed.
  ///
  /// - Returns: what was done, for a person.
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
        try await store.bytes(of: keys.file, in: range)
      }
      digest.update(bytes)
      try restoration.append(bytes)
      offset = range.upperBound
    }
    guard digest.finish() == manifest.digest else {
      throw .unproved(
        name: row.name, reason: "the store has other bytes than were signed: footage offload verify --read")
    }
    try restoration.finish()
    return "it is here again, equal to what was signed"
  }

  /// Compares what the store has with what was signed.
  ///
  /// - Parameter readingAll: whether all bytes are read; else lengths alone are compared, and the manifest.
  /// - Returns: what was found to be right, for a person.
  func verify(_ row: OffloadRow, readingAll: Bool) async throws(OffloadError) -> String {
    let manifest = try await manifest(of: row)
    let keys = keys(of: row)
    let facts = try await ofStore { () async throws(ObjectStoreError) in try await store.head(keys.file) }
    guard let facts else { throw .unproved(name: row.name, reason: "the store has lost its file \(keys.file)") }
    guard facts.length == manifest.length else {
      throw .unproved(
        name: row.name, reason: "its file has \(facts.length) bytes in the store, and had \(manifest.length)")
    }
    for (key, isThere) in [(keys.preamble, manifest.hasPreamble), (keys.index, manifest.hasIndex)] where isThere {
      guard try await ofStore({ () async throws(ObjectStoreError) in try await store.head(key) }) != nil else {
        throw .unproved(name: row.name, reason: "the store has lost \(key)")
      }
    }
    guard readingAll else { return "it is there, with its length" }
    let digest = try await ofStore { () async throws(ObjectStoreError) in
      try await store.digest(of: keys.file, length: manifest.length)
    }
    guard digest == manifest.digest else {
      throw .unproved(name: row.name, reason: "the store has other bytes than were signed")
    }
    return "it is there, byte for byte"
  }

  private static let stride: UInt64 = 1 << 20

  private func keys(of row: OffloadRow) -> ObjectKeys { ObjectKeys(prefix: prefix, name: row.name, tag: row.tag) }

  /// What the store has as its manifest, which has to be one that this robot has signed.
  private func manifest(of row: OffloadRow) async throws(OffloadError) -> ProvenManifest {
    let key = keys(of: row).manifest
    let limit = manifestLimit
    let bytes = try await ofStore { () async throws(ObjectStoreError) in try await store.bytes(of: key, limit: limit) }
    guard let bytes else { throw .unproved(name: row.name, reason: "the store has lost its manifest \(key)") }
    guard let manifest = files.proven(bytes, of: row) else {
      throw .unproved(name: row.name, reason: "the manifest in the store is not one that this robot has signed")
    }
    return manifest
  }
}
