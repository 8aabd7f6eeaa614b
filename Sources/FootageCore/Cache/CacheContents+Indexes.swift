internal import Storage

/// The sample indexes of open versions.
extension CacheContents {
  /// Keeps an index beside its version, where there is room; others may have to go for it.
  ///
  /// - Returns: whether it is kept.
  func keepIndex(_ bytes: [UInt8], of version: CachedVersion) -> Bool {
    guard let store, store.problem == nil, let id = version.place?.id, open[id] === version else { return false }
    let needed = UInt64(bytes.count) + KeptIndex.sealLength
    var plan = EvictionPlan(quota: quota, used: usedBytes, candidates: unused(in: store))
    guard plan.room(needed, atLeast: needed) != nil else { return false }
    do throws(CacheStoreProblem) {
      if !plan.evicted.isEmpty { try store.remove(plan.evicted) }
      do throws(CacheStoreProblem) { try store.keepIndex(bytes, id) } catch {
        guard error.isFull, giveUp(needed) else { throw error }
        try store.keepIndex(bytes, id)
      }
      return true
    } catch {
      // It serves out of memory as well.
      return false
    }
  }

  /// The file of a version's index; nil where none is kept.
  func openIndex(of version: CachedVersion) -> (any CacheFile)? {
    guard let store, let id = version.place?.id, open[id] === version else { return nil }
    return store.openIndex(id)
  }

  /// An index is damaged, or of a format that is not known any more.
  func removeIndex(of version: CachedVersion) {
    guard let store, let id = version.place?.id, open[id] === version else { return }
    store.removeIndex(id)
  }
}
