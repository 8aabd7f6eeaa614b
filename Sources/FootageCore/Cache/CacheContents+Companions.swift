internal import FootageSystem

/// What is kept beside versions.
extension CacheContents {
  /// Keeps an index beside its version, where there is room.
  ///
  /// - Returns: whether it is kept.
  func keepIndex(_ bytes: [UInt8], of version: CachedVersion) -> Bool {
    guard let id = version.place?.id, open[id] === version else { return false }
    return keep(.index, bytes + KeptIndex.seal(of: bytes, version.version), id)
  }

  /// Keeps something beside a version, where there is room; others may have to go for it.
  ///
  /// - Returns: whether it is kept.
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
      // An index serves out of memory as well, and a manifest is there to be asked for again.
      return false
    }
  }

  /// The file of a version's index; nil where none is kept.
  func openIndex(of version: CachedVersion) -> (any CacheFile)? {
    guard let store, let id = version.place?.id, open[id] === version else { return nil }
    return store.open(.index, id)
  }

  /// An index is damaged, or of a format that is not known any more.
  func removeIndex(of version: CachedVersion) {
    guard let store, let id = version.place?.id, open[id] === version else { return }
    store.remove(.index, id)
  }
}
