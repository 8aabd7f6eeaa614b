internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// A scanner that finds the recordings of one robot in the store, and updates the index.
struct RobotScanner: Sendable {
  let surroundings: FleetScanner.Surroundings
  /// The signal that ends a scan between two requests.
  let stop: StopSignal

  /// The number of manifests that are read at the same time.
  private static let manifestsAtOnce = 8
  /// The length in bytes above which a manifest is read while no other one is.
  private static let longManifest: UInt64 = 1 << 20
  /// The number of objects that a page of a listing requests first. It is enough for the few recordings that are
  /// usually new.
  private static let shortPage = 16
  /// The number of rows that are written together.
  private static let batch = 256
  /// The largest number of a robot's recordings. It ends the listing of a store that returns keys endlessly.
  private static let most = 20_000_000

  /// A manifest in a listing.
  private struct Listed: Sendable {
    let version: VersionKey
    let keys: ObjectKeys
    /// The length in bytes.
    let length: UInt64
  }

  /// Finds new recordings with short lists.
  ///
  /// In the order of keys, a camera's new recordings directly follow its last known one. A new camera's recordings
  /// follow the last known one of another camera, or precede all. The search from each of these positions continues
  /// while a page contains only unknown recordings.
  func lookForNews(of robot: FleetRobot) async throws(ObjectStoreError) {
    let name = robot.name
    guard let keys = await write({ (writer) throws(SQLiteError) in try writer.lastKeys(of: name) }) else { return }
    var starts: [String?] = [nil]
    starts += keys.map { $0 + ObjectKeys.manifestSuffix }
    for start in starts {
      var position = start
      while !stop.isSet {
        let page = try await surroundings.store.list(
          robot.prefix, startAfter: position, atMost: Self.shortPage)
        let manifests = Self.manifests(in: page, of: robot)
        let unknown = await self.unknown(of: manifests)
        try await read(unknown, of: robot)
        guard let next = page.next, unknown.count == manifests.count else { break }
        position = next
      }
    }
  }

  /// Lists all objects of the robot in the store. Removes the recordings that no longer exist from the index.
  func listAll(of robot: FleetRobot) async throws(ObjectStoreError) {
    let began = surroundings.now
    var there: Set<UInt64> = []
    var position: String?
    repeat {
      let page = try await surroundings.store.list(robot.prefix, startAfter: position, atMost: nil)
      let manifests = Self.manifests(in: page, of: robot)
      for manifest in manifests { there.insert(manifest.version.fingerprint) }
      guard there.count <= Self.most else {
        throw ObjectStoreError(
          .malformed("its list does not end"), "list of '\(robot.prefix)'", of: surroundings.progress.status.store)
      }
      try await read(await unknown(of: manifests), of: robot)
      position = page.next
    } while position != nil && !stop.isSet
    guard !stop.isSet else { return }
    let listed = there
    let removed = await write { (writer) throws(SQLiteError) -> Int in
      var gone: [VersionKey] = []
      try writer.versions(of: robot.name) { if !listed.contains($0.fingerprint) { gone.append($0) } }
      try writer.remove(gone)
      try writer.noteListed(robot, at: began)
      return gone.count
    }
    if removed ?? 0 > 0 { surroundings.changed() }
  }

  private static func manifests(in page: ObjectListing, of robot: FleetRobot) -> [Listed] {
    page.objects.compactMap { object in
      guard object.key.utf8.suffix(ObjectKeys.manifestSuffix.utf8.count).elementsEqual(ObjectKeys.manifestSuffix.utf8),
        let keys = ObjectKeys(key: object.key, prefix: robot.prefix), ItemTag(keys.tag) != nil
      else { return nil }
      let version = VersionKey(name: FleetName.recording(keys.name, of: robot.name), tag: keys.tag)
      return Listed(version: version, keys: keys, length: object.length)
    }
  }

  /// Returns the manifests for which the index has no row; an empty array if the index cannot be read.
  private func unknown(of listed: [Listed]) async -> [Listed] {
    guard !listed.isEmpty else { return [] }
    let versions = listed.map(\.version)
    let unknown = await write { (writer) throws(SQLiteError) -> Set<VersionKey> in
      Set(try writer.unknown(of: versions))
    }
    return listed.filter { unknown?.contains($0.version) ?? false }
  }

  // MARK: Manifests

  /// Reads manifests, and adds their recordings to the index.
  private func read(_ listed: [Listed], of robot: FleetRobot) async throws(ObjectStoreError) {
    let short = listed.filter { $0.length < Self.longManifest }
    var batch: [FleetRow] = []
    for start in stride(from: 0, to: short.count, by: Self.manifestsAtOnce) where !stop.isSet {
      let results = await rows(of: short[start..<min(short.count, start + Self.manifestsAtOnce)], robot)
      for result in results {
        switch result {
        case .success(let row): if let row { batch.append(row) }
        case .failure(let error):
          await add(batch, of: robot)
          throw error
        }
      }
      if batch.count >= Self.batch {
        await add(batch, of: robot)
        batch = []
      }
    }
    await add(batch, of: robot)
    for each in listed where each.length >= Self.longManifest && !stop.isSet {
      if let row = try await row(of: each, robot).get() { await add([row], of: robot) }
    }
  }

  private func rows(
    of listed: ArraySlice<Listed>, _ robot: FleetRobot
  ) async -> [Result<FleetRow?, ObjectStoreError>] {
    await withTaskGroup(of: Result<FleetRow?, ObjectStoreError>.self) { group in
      for each in listed { group.addTask { await self.row(of: each, robot) } }
      var results: [Result<FleetRow?, ObjectStoreError>] = []
      for await result in group { results.append(result) }
      return results
    }
  }

  /// - Returns: nil if the manifest no longer exists.
  private func row(of listed: Listed, _ robot: FleetRobot) async -> Result<FleetRow?, ObjectStoreError> {
    let keys = listed.keys
    guard listed.length <= UInt64(ManifestLimits.bytes) else {
      let reason = "The store has a manifest for it that is too long, with \(listed.length) bytes"
      return .success(FleetRow(refusing: keys.name, tag: keys.tag, of: robot, because: reason))
    }
    do throws(ObjectStoreError) {
      guard let bytes = try await surroundings.store.bytes(of: keys.manifest, limit: ManifestLimits.bytes) else {
        return .success(nil)
      }
      return .success(
        await surroundings.pool.run { FleetRow(manifest: bytes, of: robot, name: keys.name, tag: keys.tag) })
    } catch { return .failure(error) }
  }

  private func add(_ rows: [FleetRow], of robot: FleetRobot) async {
    guard !rows.isEmpty else { return }
    let added = await write { (writer) throws(SQLiteError) -> Int in try writer.add(rows, of: robot) }
    guard added ?? 0 > 0 else { return }
    surroundings.changed()
    let refused = rows.filter(\.isRefused)
    guard let first = refused.first, case .refused(let reason) = first.item.state else { return }
    // Any program that can write to the store could otherwise fill the log.
    let others = refused.count - 1
    let more = others > 0 ? " (and \(others) more \(others == 1 ? "recording" : "recordings"))" : ""
    surroundings.log(FleetEvent(.warning, "refused: \(first.name): \(reason)\(more)"))
  }

  /// - Returns: nil if the index cannot be used, which is recorded in the status.
  private func write<Answer: Sendable>(
    _ body: @escaping @Sendable (FleetWriter) throws(SQLiteError) -> Answer
  ) async -> Answer? {
    do throws(FleetError) { return try await surroundings.write(body) } catch {
      let words = error.description
      surroundings.progress.change { $0.indexFailure = words }
      return nil
    }
  }
}
