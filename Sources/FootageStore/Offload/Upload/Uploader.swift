internal import FootageBase
internal import FootageFetching
internal import FootageHTTP
internal import FootageSystem

/// An uploader that copies one version of a recording to the store, and continues after an interruption.
///
/// Each step first queries the present state of the store, instead of relying on the answer to the previous step: the
/// store's list of parts shows which parts it has, and a `head` of the object shows if it is finished. The record of
/// each step is durable before the next step. The next start can therefore continue after an interruption between any
/// two steps.
struct Uploader {
  let store: any Store
  let files: any RecordingFiles
  let record: any OffloadRecord
  /// The prefix of all of the robot's objects, with its slash.
  let prefix: String
  /// Threads that may wait for the disk.
  let pool: BlockingPool
  /// The function to be called with the number of bytes sent, and true if they had already been sent before.
  var onSent: @Sendable (_ bytes: UInt64, _ isAgain: Bool) -> Void = { _, _ in }
  /// The function that returns the time in seconds since 1970.
  let now: @Sendable () -> Int64

  /// Copies a version to the store, and records that it is stored.
  ///
  /// - Returns: the row in the state `stored`; nil if the version no longer exists, in which case its objects in the
  ///   store were deleted.
  /// - Throws: `OffloadError`. The row then records the progress of the upload.
  func store(_ queued: OffloadRow) async throws(OffloadError) -> OffloadRow? {
    var row = queued
    let keys = ObjectKeys(prefix: prefix, name: row.name, tag: row.tag)
    guard let file = try open(row) else { return try await finishWithoutFile(row, keys) }
    if row.state == .queued {
      row.state = .uploading
      try record.put(row)
    }
    do throws(OffloadError) {
      let manifest = try await manifest(of: &row)
      guard manifest.length == file.length, let plan = PartPlan(length: file.length, partSize: manifest.partSize) else {
        throw .unproved(name: row.name, reason: "its manifest is for a file of another length")
      }
      try await sendFile(file, plan, manifest, keys, &row)
      if manifest.hasPreamble { try await sendDerived(try files.preamble(of: row), as: keys.preamble) }
      if manifest.hasIndex { try await sendDerived(try files.index(of: row), as: keys.index) }
      guard file.isUnchanged else { throw .changed(name: row.name) }
      try await commit(manifest, keys, &row)
      return row
    } catch {
      guard case .changed = error else { throw error }
      try await discard(row)
      return nil
    }
  }

  /// Deletes a version's objects in the store, the manifest first, and then its row. A second call does no harm.
  func discard(_ row: OffloadRow) async throws(OffloadError) {
    var row = row
    if row.state != .removing, row.state != .discarding {
      row.state = .discarding
      try record.put(row)
    }
    let keys = ObjectKeys(prefix: prefix, name: row.name, tag: row.tag)
    for key in keys.all {
      try await ofStore { () async throws(ObjectStoreError) in try await store.delete(key) }
    }
    // After the object: if an upload was finished and is still listed as open, an engine that aborts it deletes the
    // object's parts.
    if let id = row.upload {
      let upload = PendingUpload(key: keys.file, id: id)
      try await ofStore { () async throws(ObjectStoreError) in try await store.abort(upload) }
    }
    try record.remove(row.key)
  }

  /// Finishes the upload of a version whose file no longer exists. If only the manifest is missing in the store, and
  /// the row has it, the manifest is written, because the store has the last copy of the recording. Otherwise, if the
  /// bytes in the store were found to be wrong, the version stays as it is; any other version is discarded.
  private func finishWithoutFile(_ row: OffloadRow, _ keys: ObjectKeys) async throws(OffloadError) -> OffloadRow? {
    var row = row
    if let manifest = try kept(&row), let facts = try await facts(of: keys.file), facts.length == manifest.length,
      try await proves(facts, nil, manifest, keys), try await holdsDerived(manifest, keys)
    {
      // All of it was read.
      row.isDistrusted = false
      try await commit(manifest, keys, &row)
      return row
    }
    // The store was found to have other bytes, and the file is no longer here. This copy is all that there is.
    if row.isDistrusted {
      row.state = .stored
      try record.put(row)
      return row
    }
    try await discard(row)
    return nil
  }

  private func holdsDerived(_ manifest: ProvenManifest, _ keys: ObjectKeys) async throws(OffloadError) -> Bool {
    if manifest.hasPreamble, try await facts(of: keys.preamble) == nil { return false }
    guard manifest.hasIndex else { return true }
    return try await facts(of: keys.index) != nil
  }

  private func open(_ row: OffloadRow) throws(OffloadError) -> (any RecorderFile)? {
    do throws(StorageError) { return try files.open(row) } catch { throw .file(error.description) }
  }

  /// Returns the recorded manifest, or makes a new one and records it.
  private func manifest(of row: inout OffloadRow) async throws(OffloadError) -> ProvenManifest {
    if let kept = try kept(&row) { return kept }
    let manifest = try await files.manifest(of: row)
    row.manifest = manifest.bytes
    try record.put(row)
    return manifest
  }

  /// Returns the recorded manifest if it is valid for this version.
  private func kept(_ row: inout OffloadRow) throws(OffloadError) -> ProvenManifest? {
    if row.manifest == nil { row.manifest = try record.manifest(of: row.key) }
    return row.manifest.flatMap { files.proven($0, of: row) }
  }

  // MARK: The file

  private func sendFile(
    _ file: any RecorderFile, _ plan: PartPlan, _ manifest: ProvenManifest, _ keys: ObjectKeys, _ row: inout OffloadRow
  ) async throws(OffloadError) {
    let before = try await facts(of: keys.file)
    // It may be whole although that was never recorded.
    if !row.isDistrusted, let before, before.length == plan.length {
      var digests: [[UInt8]] = []
      for number in 1...plan.count { digests.append(try await content(number, of: file, plan).md5) }
      guard file.isUnchanged else { throw .changed(name: row.name) }
      if try await proves(before, plan.entityTag(of: digests), manifest, keys) { return }
    }
    let digests: [[UInt8]]
    if plan.isSingle {
      let content = try await content(1, of: file, plan)
      guard file.isUnchanged else { throw .changed(name: row.name) }
      try await ofStore { () async throws(ObjectStoreError) in try await store.write(content, as: keys.file) }
      onSent(plan.length, before != nil)
      digests = [content.md5]
    } else {
      digests = try await sendParts(of: file, plan, keys, &row)
    }
    guard let facts = try await facts(of: keys.file), facts.length == plan.length,
      try await proves(facts, plan.entityTag(of: digests), manifest, keys)
    else {
      throw .unproved(name: row.name, reason: "the store's bytes are not those that were sent: they will be sent again")
    }
  }

  /// Sends the parts that the store does not have, and asks it to make the object from all of them.
  ///
  /// - Returns: the MD5 of each part.
  private func sendParts(
    of file: any RecorderFile, _ plan: PartPlan, _ keys: ObjectKeys, _ row: inout OffloadRow
  ) async throws(OffloadError) -> [[UInt8]] {
    let (upload, known) = try await upload(of: keys.file, &row)
    var parts: [UploadedPart] = []
    var digests: [[UInt8]] = []
    for number in 1...plan.count {
      let content = try await content(number, of: file, plan)
      let length = content.body.length
      let has = known[number]
      if has?.entityTag != content.entityTag || has?.length.map({ $0 != length }) ?? false {
        guard file.isUnchanged else { throw .changed(name: row.name) }
        try await ofStore { () async throws(ObjectStoreError) in
          try await store.write(content, asPart: number, of: upload)
        }
        onSent(length, has != nil)
      }
      parts.append(UploadedPart(number: number, entityTag: content.entityTag, length: length))
      digests.append(content.md5)
    }
    guard file.isUnchanged else { throw .changed(name: row.name) }
    let whole = parts
    try await ofStore { () async throws(ObjectStoreError) in try await store.finish(upload, whole) }
    return digests
  }

  /// Returns the upload that was begun, with the parts that the store has of it. If none was begun, begins a new
  /// upload, which is recorded before anything is sent.
  private func upload(
    of key: String, _ row: inout OffloadRow
  ) async throws(OffloadError) -> (PendingUpload, [Int: UploadedPart]) {
    if let id = row.upload {
      let upload = PendingUpload(key: key, id: id)
      if let parts = try await ofStore({ () async throws(ObjectStoreError) in try await store.parts(of: upload) }) {
        return (upload, Dictionary(parts.map { ($0.number, $0) }, uniquingKeysWith: { $1 }))
      }
    }
    let id = try await ofStore { () async throws(ObjectStoreError) in try await store.beginUpload(of: key) }
    row.upload = id
    try record.put(row)
    return (PendingUpload(key: key, id: id), [:])
  }

  /// Returns a part with its digest, for which the part is read. It is read again while it is sent.
  private func content(
    _ number: Int, of file: any RecorderFile, _ plan: PartPlan
  ) async throws(OffloadError) -> ObjectContent {
    try await content(of: file, plan.range(ofPart: number))
  }

  private func content(
    of file: some RecorderFile, _ range: Range<UInt64>
  ) async throws(OffloadError) -> ObjectContent {
    do throws(HTTPBodySourceError) {
      return try await BlockingBodySource(file, range, on: pool).measured()
    } catch { throw .file(error.reason) }
  }

  /// Returns true if an object has the bytes of the file. Its entity tag proves that, if it is the tag that results
  /// from the parts. If the store computes tags differently, the object is read back.
  private func proves(
    _ object: StoredObject, _ entityTag: EntityTag?, _ manifest: ProvenManifest, _ keys: ObjectKeys
  ) async throws(OffloadError) -> Bool {
    if let entityTag, object.entityTag == entityTag { return true }
    let digest = try await ofStore { () async throws(ObjectStoreError) in
      try await store.digest(of: keys.file, length: manifest.length)
    }
    return digest == manifest.digest
  }

  private func facts(of key: String) async throws(OffloadError) -> StoredObject? {
    try await ofStore { () async throws(ObjectStoreError) in try await store.head(key) }
  }

  // MARK: Derived objects

  private func sendDerived(_ bytes: [UInt8], as key: String) async throws(OffloadError) {
    let before = try await facts(of: key)
    let content = ObjectContent(bytes)
    if let before, before.length == UInt64(bytes.count), before.entityTag == content.entityTag { return }
    try await ofStore { () async throws(ObjectStoreError) in try await store.write(content, as: key) }
    onSent(UInt64(bytes.count), before != nil)
    let after = try await facts(of: key)
    guard let after, after.length == UInt64(bytes.count) else {
      throw .unproved(name: key, reason: "the store's bytes are not those that were sent: they will be sent again")
    }
    guard after.entityTag != content.entityTag else { return }
    let digest = try await ofStore { () async throws(ObjectStoreError) in
      try await store.digest(of: key, length: UInt64(bytes.count))
    }
    guard let sent = content.sha256, digest == sent else {
      throw .unproved(name: key, reason: "the store's bytes are not those that were sent: they will be sent again")
    }
  }

  /// Writes the manifest, unless there is one, reads the manifest back, and records that the version is stored.
  private func commit(
    _ manifest: ProvenManifest, _ keys: ObjectKeys, _ row: inout OffloadRow
  ) async throws(OffloadError) {
    let content = ObjectContent(manifest.bytes)
    try await ofStore { () async throws(ObjectStoreError) in
      try await store.writeIfAbsent(content, as: keys.manifest)
    }
    let limit = manifest.bytes.count + Self.manifestSlack
    let there = try await ofStore { () async throws(ObjectStoreError) in
      try await store.bytes(of: keys.manifest, limit: limit)
    }
    guard let there else {
      throw .unproved(name: row.name, reason: "the store has lost its manifest: it will be sent again")
    }
    if there != manifest.bytes {
      // A manifest that this robot signed earlier, and has forgotten, proves as much.
      guard let proven = files.proven(there, of: row), proven.digest == manifest.digest else {
        throw .unproved(
          name: row.name,
          reason: "the manifest at \(keys.manifest) in the store is not one that this robot signed for this file")
      }
      row.manifest = there
    }
    row.state = .stored
    row.upload = nil
    // It was sent again, or read.
    row.isDistrusted = false
    row.storedSeconds = now()
    try record.put(row)
  }

  /// The number of bytes by which a manifest in the store may be longer than the present one, because an earlier
  /// version of Footage may have written it.
  private static let manifestSlack = 64 << 10
}
