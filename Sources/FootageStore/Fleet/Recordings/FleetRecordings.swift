internal import FootageDigest
internal import FootageAPI
package import FootageServing
package import FootageLibrary
package import FootageSystem
internal import Synchronization

/// An opener for the recordings of many robots. It opens rows of the index by means of their manifests in the store,
/// which the robots have signed.
package final class FleetRecordings: Sendable {
  private struct Key: Hashable {
    let name: [UInt8]
    let tag: String
  }

  private struct State {
    var known: [Key: (recording: StoredRecording, lastUse: UInt64)] = [:]
    var uses: UInt64 = 0
    /// The approximate memory that is used, in bytes.
    var cost = 0
  }

  private let store: any Store
  private let cache: StoreBlockCache
  private let loop: EventLoop
  private let pool: BlockingPool
  private let state = Mutex(State())

  /// The opener for recordings that only the store has.
  package let opener = StoredOpener()

  /// The memory that recently read manifests may use, in bytes.
  private static let most = 48 << 20
  /// The number of manifests and indexes that are read at the same time to answer one request.
  private static let atOnce = 8

  /// - Parameters:
  ///   - cache: the cache through which their objects are read.
  ///   - loop: the loop of the store's connections.
  ///   - pool: threads that may wait for the disk.
  package init(
    _ store: any Store, _ cache: StoreBlockCache, on loop: EventLoop, pool: BlockingPool
  ) {
    self.store = store
    self.cache = cache
    self.loop = loop
    self.pool = pool
  }

  /// Returns the recording of a row. Its manifest is read unless it was read recently.
  ///
  /// - Throws: `LibraryError`: `.notReady` if the recording is refused or its manifest differs from the indexed one;
  ///   `.storeAway` if the manifest cannot be read.
  package func recording(of row: FleetRow) async throws(LibraryError) -> StoredRecording {
    if case .refused(let reason) = row.item.state { throw .notReady(name: row.name, reason: reason) }
    let key = Key(name: Array(row.name.utf8), tag: row.tag)
    if let known = take(key) { return known }
    guard let bytes = await bytes(of: row) else { throw .storeAway(name: row.name) }
    let cache = cache
    let made = await pool.run { () -> StoredRecording? in
      // It was verified when it was indexed, and its digest shows that it is the same.
      guard SHA256.hash(bytes) == row.digest, let signed = try? SignedManifest(bytes) else { return nil }
      return StoredRecording(signed, row, cache: cache)
    }
    guard let made else {
      throw .notReady(name: row.name, reason: "Its manifest is from another version of footage, or has changed.")
    }
    return keep(made, key)
  }

  /// Reads the manifest of a row on the loop of the store's connections; nil if it cannot be read.
  private func bytes(of row: FleetRow) async -> [UInt8]? {
    let store = store
    let key = "\(row.name)/\(row.tag).json"
    let task = Task(executorPreference: loop) { () -> [UInt8]? in
      try? await store.bytes(of: key, limit: ManifestLimits.bytes)
    }
    return await task.value
  }

  private func take(_ key: Key) -> StoredRecording? {
    state.withLock { state in
      guard let known = state.known[key] else { return nil }
      state.uses += 1
      state.known[key]?.lastUse = state.uses
      return known.recording
    }
  }

  /// - Returns: the recording that is kept, which is the same for all callers that ask at the same time.
  private func keep(_ recording: StoredRecording, _ key: Key) -> StoredRecording {
    state.withLock { state in
      if let known = state.known[key] { return known.recording }
      state.uses += 1
      state.known[key] = (recording, state.uses)
      state.cost += recording.cost
      while state.cost > Self.most, state.known.count > 1,
        let oldest = state.known.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.known[oldest.key] = nil
        state.cost -= oldest.value.recording.cost
      }
      return recording
    }
  }

  /// Returns the recordings of rows, for a film that consists of several, after reading the beginning of each index.
  ///
  /// - Throws: an error like that of `recording(of:)`, for the first that fails.
  package func recordings(of rows: [FleetRow]) async throws(LibraryError) -> [Recording] {
    var found: [Recording] = []
    for start in stride(from: 0, to: rows.count, by: Self.atOnce) {
      let part = rows[start..<min(rows.count, start + Self.atOnce)]
      let results = await withTaskGroup(of: (Int, Result<Recording, LibraryError>).self) { group in
        for (number, row) in part.enumerated() {
          group.addTask {
            do throws(LibraryError) {
              let stored = try await self.recording(of: row)
              try await self.prepareIndex(of: stored)
              return (number, .success(stored.recording))
            } catch { return (number, .failure(error)) }
          }
        }
        var results: [(Int, Result<Recording, LibraryError>)] = []
        while let result = await group.next() { results.append(result) }
        return results.sorted { $0.0 < $1.0 }
      }
      for (_, result) in results { found.append(try result.get()) }
    }
    return found
  }

  /// Waits until the beginning of the sample index has been fetched, which every view needs. If the store does not
  /// answer, the error is thrown before a view is opened.
  package func prepareIndex(of stored: StoredRecording) async throws(LibraryError) {
    guard let digests = stored.signed.manifest.index else { return }
    do throws(StorageError) {
      let index = try opener.indexFile(of: stored.recording)
      try await index?.prepare(at: 0, count: Int(min(digests.size, ObjectDigests.mebibyte)))
    } catch { throw .storage(error) }
  }

  /// Forgets all recordings that were read, because their robots may have other keys now.
  package func forget() { state.withLock { $0 = State() } }
}
