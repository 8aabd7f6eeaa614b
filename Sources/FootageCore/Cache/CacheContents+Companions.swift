internal import FootageSystem

/// The companion files that are kept beside a version: its sample index and its signed manifest.
extension CacheContents {
  /// Stores a sample index beside its version, if there is room.
  ///
  /// - Returns: true if the index is kept.
  func keepIndex(_ bytes: [UInt8], of version: CachedVersion) -> Bool {
    guard let id = version.place?.id, open[id] === version else { return false }
    return keep(.index, bytes + KeptIndex.seal(of: bytes, version.version), id)
  }

  /// Keeps a companion file beside a version, if there is room. Other versions may be removed for it.
  ///
  /// - Returns: true if the file is kept.
  func keep(_ companion: CacheCompanion, _ bytes: [UInt8], _ id: Int64) -> Bool {
    guard let store, store.problem == nil, store.records[id] != nil else { return false }
    let needed = UInt64(bytes.count)
    var plan = EvictionPlan(
      quota: quota, used: usedBytes, candidates: unused(in: store).filter { $0.id != id })
    guard plan.room(needed, atLeast: needed) != nil else { return false }
    do throws(CacheStoreProblem) {
      if !plan.evicted.isEmpty { try store.remove(plan.evicted) }
      do throws(CacheStoreProblem) { try store.keep(companion, bytes, id) } catch {
        guard error.isFull, giveUp(needed) else { throw error }
        try store.keep(companion, bytes, id)
      }
      return true
    } catch {
      // An index also serves from memory, and the robot can be asked for a manifest again.
      return false
    }
  }

  /// Opens the file of a version's index; returns nil if no index is kept.
  func openIndex(of version: CachedVersion) -> (any CacheFile)? {
    guard let store, let id = version.place?.id, open[id] === version else { return nil }
    return store.open(.index, id)
  }

  /// Removes an index that is damaged, or whose format is no longer known.
  func removeIndex(of version: CachedVersion) {
    guard let store, let id = version.place?.id, open[id] === version else { return }
    store.remove(.index, id)
  }
}
