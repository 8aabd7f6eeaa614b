/// Makes store and record agree again, at the start and once a day: whatever a crash, an operator or the store itself has
/// left.
///
/// It begins by reading, and where it meets what another robot has signed, nothing is touched.
struct StartSweep {
  let store: any Store
  let files: any RecordingFiles
  let record: any OffloadRecord
  /// Of everything of the robot's, with its slash.
  let prefix: String
  /// The longest manifest that is read, in bytes.
  let manifestLimit: Int

  struct Outcome {
    /// Rows that were not known here, out of manifests.
    var adopted: [OffloadRow] = []
    /// Whose manifest or file the store has lost, though it was there. Nothing was written down of that.
    var lost: [(row: OffloadRow, loss: StoreLoss)] = []
    /// Keys of manifests that this robot did not sign. Nothing was touched then.
    var foreign: [String] = []
    /// How many manifests are listed that nobody here knows, and were not there when they were read.
    var unreadCount = 0
    var abortedUploads = 0
    var finishedUploads = 0
    var deletedObjects = 0
  }

  /// What the store has of one version.
  private struct Found {
    var hasManifest = false
    /// Of the recorder's file, in bytes; nil where it is not there.
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
    // It only reads, so that it is done whoever else has signed something there.
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
          // Only of what has none it matters which others there are.
          if version.hasManifest { version.keys = [] }
          found[VersionKey(name: keys.name, tag: keys.tag)] = version
        }
      }
    }
    return found
  }

  /// What was stored and is there no more, or not whole. A listing alone is not believed.
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

  /// Uploads that no row knows are aborted, but for one whose object is finished: aborting that takes the object's own
  /// parts, so that it is completed once more.
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
      // Of parts whose length it does not say nobody can tell whether the object is made of them: they stay.
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

  /// Objects without a manifest that nobody is about to write one for.
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
