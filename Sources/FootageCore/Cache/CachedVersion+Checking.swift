internal import FootageBase
internal import FootageSystem
internal import Synchronization

/// The comparison of a version's file with what was received. It is made before any byte from the file is delivered.
extension CachedVersion {
  /// Compares the bytes in a range that were cached before this version was opened with their checksums, once. Damaged
  /// bytes are set aside, and fetched again.
  ///
  /// - Returns: false if part of the range is no longer available.
  func check(_ range: Range<UInt64>, in file: any CacheFile) async -> Bool {
    while true {
      // Bytes that another reader found damaged in the meantime are no longer unchecked, but not available either.
      let (part, isThere) = state.withLock {
        ($0.unchecked.parts(in: range).first, $0.machine.available.contains(range))
      }
      guard let part, isThere else { return isThere }
      let blocks = fragments.filter { $0.range.overlaps(part) }.flatMap { $0.blocks(in: part) }
      do throws(StorageError) {
        guard let damaged = try await disk.firstDamaged(blocks, of: file) else {
          state.withLock { state in
            for block in blocks { state.unchecked.remove(block.range) }
            state.unchecked.remove(part)
          }
          continue
        }
        await setAside(damaged.range)
      } catch {
        await lost(part, FileFailure(error))
      }
      return false
    }
  }

  /// Gives up a damaged range. Its claim is withdrawn before the bytes are fetched again, because claimed bytes are
  /// never overwritten.
  private func setAside(_ range: Range<UInt64>) async {
    beginVoiding(range)
    let unclaimed = await store.unclaim(range, of: self)
    act { state, now in
      state.voided.end(range)
      state.damaged.insert(range)
      guard let unclaimed else {
        state.forget(range)
        let reason = FileFailure(
          .broken, "bytes \(range.lowerBound) to \(range.upperBound - 1) of it are damaged in the cache")
        return state.machine.readFailed(range, reason, unclaimed: nil, now: now)
      }
      return (unclaimed + [range]).flatMap { state.drop($0, now) }
    }
  }

  /// Forbids commits to claim a range from now on. Call this before withdrawing the claims on the range. Otherwise a
  /// commit could claim the range again, and its bytes would be overwritten while they are claimed.
  func beginVoiding(_ range: Range<UInt64>) { state.withLock { $0.voided.begin(range) } }

  /// Returns the ranges of `received` that a commit may still claim. No claim may be made or withdrawn until the result
  /// is used.
  func standing(_ received: [ReceivedRange]) -> [ReceivedRange] {
    let gone = state.withLock { $0.voided.unclaimable }
    return received.filter { received in !gone.contains { received.fragment.range.overlaps($0) } }
  }

  /// Gives up bytes that differ from those that were received, and are no longer claimed. They are fetched again.
  func drop(_ range: Range<UInt64>) {
    act { state, now in
      state.damaged.insert(range)
      return state.drop(range, now)
    }
  }

  /// Returns the error of a failed read. If the bytes in the cache are damaged, the error says so.
  func error(_ failure: FetchFailure, at offset: UInt64) -> MediaCacheError {
    let damaged = state.withLock { $0.damaged.ranges.first { $0.contains(offset) } }
    return damaged.map { .damaged(key, $0) } ?? error(failure)
  }

  /// True if the robot is known not to have this version any more.
  var wasReplaced: Bool {
    // A robot without any version of the recording is a different case.
    if case .replaced(.replaced) = state.withLock({ $0.machine.failure }) { true } else { false }
  }
}

extension CachedVersion.State {
  /// Gives up the bytes of a range.
  mutating func drop(_ range: Range<UInt64>, _ now: Duration) -> [VersionStateMachine.Action] {
    forget(range)
    return machine.dropped(range, now: now)
  }

  mutating func forget(_ range: Range<UInt64>) {
    voided.insert(range)
    checksums.forget(range)
    unchecked.remove(range)
  }

  /// Records the checksums of bytes that are now in the file.
  mutating func put(_ growths: [ReceivedChecksums.Growth]) {
    for growth in growths where machine.available.contains(growth.range) {
      checksums.put(growth)
      damaged.remove(growth.range)
    }
  }

  /// Records that the index claims the bytes of a commit, except for the ranges in `refused`, which must be fetched
  /// again.
  ///
  /// - Parameter committing: the bytes that the commit was to make durable.
  mutating func claimed(
    _ received: [ReceivedRange], of committing: RangeSet, but refused: [ReceivedRange], _ now: Duration
  ) -> [VersionStateMachine.Action] {
    checksums.claimed(received.filter { !refused.contains($0) })
    var unclaimed = committing
    // Bytes that were given up since the commit began are gone, even if they were claimed for a moment.
    let gone = voided.sinceCommitBegan.flatMap { committing.parts(in: $0) }
    for fragment in received where !refused.contains(fragment) { unclaimed.remove(fragment.fragment.range) }
    for range in gone { unclaimed.insert(range) }
    return machine.committed(now: now) + unclaimed.ranges.flatMap { drop($0, now) }
  }
}

/// The ranges of a version that are given up while a commit may be running. The commit must not claim them.
struct VoidedRanges: Sendable {
  /// The ranges that are about to be given up. Their claims are being withdrawn.
  private var beginning: [Range<UInt64>] = []
  /// The ranges that were given up since the running commit began; nil if no commit is running.
  private var done: RangeSet?

  /// The ranges that a commit may not claim now.
  var unclaimable: [Range<UInt64>] { sinceCommitBegan + beginning }
  /// The ranges that were given up since the running commit began.
  var sinceCommitBegan: [Range<UInt64>] { done?.ranges ?? [] }

  mutating func begin(_ range: Range<UInt64>) { beginning.append(range) }

  /// Removes a range that `begin` added. The caller inserts the range next, without releasing the lock.
  mutating func end(_ range: Range<UInt64>) {
    if let index = beginning.firstIndex(of: range) { beginning.remove(at: index) }
  }

  /// Records that a range is given up.
  mutating func insert(_ range: Range<UInt64>) { done?.insert(range) }

  mutating func commitBegins() { done = RangeSet() }
  mutating func commitEnds() { done = nil }
}
