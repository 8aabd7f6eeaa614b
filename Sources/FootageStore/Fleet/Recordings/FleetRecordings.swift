internal import FootageDigest
internal import FootageAPI
package import FootageServing
package import FootageLibrary
package import FootageSystem
internal import Synchronization

/// Opens the recordings of many robots: what the index has, by the manifest that the store has, as the robot signed it.
package final class FleetRecordings: Sendable {
  private struct Key: Hashable {
    let name: [UInt8]
    let tag: String
  }

  private struct State {
    var known: [Key: (recording: StoredRecording, lastUse: UInt64)] = [:]
    var uses: UInt64 = 0
    /// In bytes, about.
    var cost = 0
  }

  private let store: any Store
  private let cache: StoreBlockCache
  private let loop: EventLoop
  private let pool: BlockingPool
  private let state = Mutex(State())

  /// Opens what the store alone has.
  package let opener = StoredOpener()

  /// What manifests that were read lately may take of memory, in bytes.
  private static let most = 48 << 20
  /// Manifests, and indexes, that are read at once for one answer.
  private static let atOnce = 8

  /// - Parameters:
  ///   - cache: through which their objects are read.
  ///   - loop: of the store's connections.
  ///   - pool: threads that may wait for the disk.
  package init(
    _ store: any Store, _ cache: StoreBlockCache, on loop: EventLoop, pool: BlockingPool
  ) {
    self.store = store
    self.cache = cache
    self.loop = loop
    self.pool = pool
  }

  /// The recording of a row, whose manifest is read unless it was lately.
  ///
  /// - Throws: `LibraryError`: `.notReady` of what is refused; `.storeAway` where the manifest cannot be had, or is another
  ///   than the one that was indexed.
  package func recording(of row: FleetRow) async throws(LibraryError) -> StoredRecording {
    if case .refused(let reason) = row.item.state { throw .notReady(name: row.name, reason: reason) }
    let key = Key(name: Array(row.name.utf8), tag: row.tag)
    if let known = take(key) { return known }
    guard let bytes = await bytes(of: row) else { throw .storeAway(name: row.name) }
    let cache = cache
    let made = await pool.run { () -> StoredRecording? in
      // It was verified when it was indexed, and is the same.
      guard SHA256.hash(bytes) == row.digest, let signed = try? SignedManifest(bytes) else { return nil }
      return StoredRecording(signed, row, cache: cache)
    }
    guard let made else {
      throw .notReady(name: row.name, reason: "Its manifest is of another version of footage, or another by now.")
    }
    return keep(made, key)
  }

  /// On the loop that the store is spoken with.
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

  /// - Returns: the one that is kept: who asks twice at once gets the same.
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

  /// The recordings of rows, for a film of several: with the beginning of each index at hand.
  ///
  /// - Throws: as `recording(of:)`, of the first that fails.
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

  /// Waits until the beginning of the sample index is here, which every view needs: so a store that is away is told of
  /// before anything is opened.
  package func prepareIndex(of stored: StoredRecording) async throws(LibraryError) {
    guard let digests = stored.signed.manifest.index else { return }
    do throws(StorageError) {
      let index = try opener.indexFile(of: stored.recording)
      try await index?.prepare(at: 0, count: Int(min(digests.size, ObjectDigests.mebibyte)))
    } catch { throw .storage(error) }
  }

  /// Lets go of what is known of these, or of all: their robots may have other keys by now.
  package func forget() { state.withLock { $0 = State() } }
}
