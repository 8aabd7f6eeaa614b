/// A sweep that makes the record agree with the store, at the start and once a day. They may differ after a crash, an
/// operator's changes, or a loss in the store.
///
/// It first reads the manifests. If another robot has signed one of them, it changes nothing.
struct StartSweep {
  let store: any Store
  let files: any RecordingFiles
  let record: any OffloadRecord
  /// The prefix of all of the robot's objects, with its slash.
  let prefix: String
  /// The longest manifest that is read, in bytes.
  let manifestLimit: Int

  struct Outcome {
    /// The rows that the record did not have, created from manifests.
    var adopted: [OffloadRow] = []
    /// The versions whose manifest or file the store has lost. Their losses have not been recorded yet.
    var lost: [(row: OffloadRow, loss: StoreLoss)] = []
    /// The keys of manifests that this robot did not sign. If there are any, the sweep has changed nothing.
    var foreign: [String] = []
    /// The number of listed manifests that the record does not have, and that did not exist when the sweep tried to
    /// read them.
    var unreadCount = 0
    var abortedUploads = 0
    var finishedUploads = 0
    var deletedObjects = 0
  }

  /// The objects that the store has of one version.
  private struct Found {
    var hasManifest = false
    /// The length of the recorder's file in bytes; nil if the object does not exist.
    var fileLength: UInt64?
    var keys: [String] = []
  }

  func run() async throws(OffloadError) -> Outcome {
    var outcome = Outcome()
    var rows: [VersionKey: OffloadRow] = [:]
    for row in try record.rows() { rows[row.key] = row }
    let found = try await listing()
    for (key, version) in found where version.hasManifest && rows[key] == nil {
      let keys = ObjectKeys(prefix: prefix, name: key.name, tag: key.tag)
      let limit = manifestLimit
      guard
        let bytes = try await ofStore({ () async throws(ObjectStoreError) in
          try await store.bytes(of: keys.manifest, limit: limit)
        })
      else {
        outcome.unreadCount += 1
        continue
      }
      if let row = files.adopted(bytes, at: keys) {
        outcome.adopted.append(row)
      } else {
        outcome.foreign.append(keys.manifest)
      }
    }
    // This only reads, so it is done even if the store has something foreign.
    var known = rows
    for row in outcome.adopted { known[row.key] = row }
    try await findLost(known, found, &outcome)
    guard outcome.foreign.isEmpty else {
      outcome.adopted = []
      outcome.lost.removeAll { rows[$0.row.key] == nil }
      return outcome
    }
    for row in outcome.adopted {
      try record.put(row)
      rows[row.key] = row
    }
    try await settleUploads(rows, &outcome)
    try await deleteOrphans(rows, found, &outcome)
    return outcome
  }

  private func listing() async throws(OffloadError) -> [VersionKey: Found] {
    var found: [VersionKey: Found] = [:]
    let prefix = prefix
    try await ofStore { () async throws(ObjectStoreError) in
      try await store.objects(below: prefix) { batch in
        for entry in batch {
          guard let keys = ObjectKeys(key: entry.key, prefix: prefix) else { continue }
          var version = found[VersionKey(name: keys.name, tag: keys.tag)] ?? Found()
          if entry.key == keys.manifest { version.hasManifest = true } else { version.keys.append(entry.key) }
          if entry.key == keys.file { version.fileLength = entry.length }
          // The other objects matter only for a version without a manifest.
          if version.hasManifest { version.keys = [] }
          found[VersionKey(name: keys.name, tag: keys.tag)] = version
        }
      }
    }
    return found
  }

  /// Finds versions that were stored and no longer exist, or are incomplete. It confirms each finding of the listing
  /// with separate requests.
  private func findLost(
    _ rows: [VersionKey: OffloadRow], _ found: [VersionKey: Found], _ outcome: inout Outcome
  ) async throws(OffloadError) {
    let presence = StoredPresence(store: store, prefix: prefix)
    for (key, row) in rows where row.state == .stored {
      guard !row.isDistrusted else {
        let keys = ObjectKeys(prefix: prefix, name: row.name, tag: row.tag)
        outcome.lost.append((row, .bytes(key: keys.file)))
        continue
      }
      if let version = found[key], version.hasManifest, version.fileLength == row.size { continue }
      do throws(OffloadError) {
        let manifest = if let own = row.manifest { own } else { try record.manifest(of: key) }
        try await presence.expect(row, manifestLength: manifest?.count)
      } catch {
        guard case .lost(_, let loss) = error else { throw error }
        outcome.lost.append((row, loss))
      }
    }
  }

  private func hasManifest(_ key: VersionKey) async throws(OffloadError) -> Bool {
    let keys = ObjectKeys(prefix: prefix, name: key.name, tag: key.tag)
    return try await ofStore({ () async throws(ObjectStoreError) in try await store.head(keys.manifest) }) != nil
  }

  /// Aborts uploads that are in no row. If the object of such an upload exists, the upload is completed again instead,
  /// because aborting it would delete parts of the object.
  private func settleUploads(
    _ rows: [VersionKey: OffloadRow], _ outcome: inout Outcome
  ) async throws(OffloadError) {
    let prefix = prefix
    let uploads = try await ofStore { () async throws(ObjectStoreError) in try await store.listUploads(prefix) }
    for upload in uploads {
      guard let keys = ObjectKeys(key: upload.key, prefix: prefix) else { continue }
      let row = rows[VersionKey(name: keys.name, tag: keys.tag)]
      if row?.upload == upload.id, row?.state != .stored { continue }
      let facts = try await ofStore { () async throws(ObjectStoreError) in try await store.head(upload.key) }
      let parts = try await ofStore { () async throws(ObjectStoreError) in try await store.parts(of: upload) }
      guard let parts else { continue }
      // If the store does not report the parts' lengths, nothing shows whether the object is made of them. They stay.
      guard facts == nil || parts.allSatisfy({ $0.length != nil }) else { continue }
      if let facts, facts.length == parts.reduce(0, { $0 + ($1.length ?? 0) }) {
        try await ofStore { () async throws(ObjectStoreError) in try await store.finish(upload, parts) }
        outcome.finishedUploads += 1
      } else {
        try await ofStore { () async throws(ObjectStoreError) in try await store.abort(upload) }
        outcome.abortedUploads += 1
      }
    }
  }

  /// Deletes objects without a manifest, unless a manifest may still be written for them.
  private func deleteOrphans(
    _ rows: [VersionKey: OffloadRow], _ found: [VersionKey: Found], _ outcome: inout Outcome
  ) async throws(OffloadError) {
    for (key, version) in found where !version.hasManifest && rows[key] == nil {
      guard !files.mayHold(ObjectKeys(prefix: prefix, name: key.name, tag: key.tag)), try await !hasManifest(key) else {
        continue
      }
      for object in version.keys {
        try await ofStore { () async throws(ObjectStoreError) in try await store.delete(object) }
        outcome.deletedObjects += 1
      }
    }
  }
}
