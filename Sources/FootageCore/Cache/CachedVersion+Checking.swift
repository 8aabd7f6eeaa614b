internal import FootageBase
internal import FootageSystem
internal import Synchronization

/// What is in a version's file is compared with what was received, before a byte of it is given.
extension CachedVersion {
  /// Compares what an earlier run, or an earlier playback, has left of a range with its checksums: once. What is
  /// damaged is set aside, and fetched again.
  ///
  /// - Returns: false where some of it is not there any more.
  func check(_ range: Range<UInt64>, in file: any CacheFile) async -> Bool {
    while true {
      // What another reader found damaged meanwhile is unchecked no more, and not there either.
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

  /// The claim goes before the bytes are fetched again: what is claimed is never written over.
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

  /// No commit may claim a range from now on. Said before what is claimed of it is taken back: else a commit could
  /// claim it after that, and the bytes would be written over while they are claimed.
  func beginVoiding(_ range: Range<UInt64>) { state.withLock { $0.voided.begin(range) } }

  /// Asked where nothing is claimed and nothing taken back meanwhile.
  ///
  /// - Returns: what is still to be claimed of what a commit began with.
  func standing(_ received: [ReceivedRange]) -> [ReceivedRange] {
    let gone = state.withLock { $0.voided.unclaimable }
    return received.filter { received in !gone.contains { received.fragment.range.overlaps($0) } }
  }

  /// Bytes that turned out not to be those that were received, and are claimed no more: they are fetched again.
  func drop(_ range: Range<UInt64>) {
    act { state, now in
      state.damaged.insert(range)
      return state.drop(range, now)
    }
  }

  /// Why a read fails: that what is here is damaged, where that is so.
  func error(_ failure: FetchFailure, at offset: UInt64) -> MediaCacheError {
    let damaged = state.withLock { $0.damaged.ranges.first { $0.contains(offset) } }
    return damaged.map { .damaged(key, $0) } ?? error(failure)
  }

  /// Whether the robot was heard not to have this version any more.
  var wasReplaced: Bool {
    // That it has none at all is another matter.
    if case .replaced(.replaced) = state.withLock({ $0.machine.failure }) { true } else { false }
  }
}

extension CachedVersion.State {
  /// The bytes of a range are no longer here.
  mutating func drop(_ range: Range<UInt64>, _ now: Duration) -> [VersionStateMachine.Action] {
    forget(range)
    return machine.dropped(range, now: now)
  }

  mutating func forget(_ range: Range<UInt64>) {
    voided.insert(range)
    checksums.forget(range)
    unchecked.remove(range)
  }

  /// Bytes are in the file, of which `growths` are the checksums.
  mutating func put(_ growths: [ReceivedChecksums.Growth]) {
    for growth in growths where machine.available.contains(growth.range) {
      checksums.put(growth)
      damaged.remove(growth.range)
    }
  }

  /// What was to be made durable is claimed, but for what was refused: that has to come again.
  ///
  /// - Parameter committing: the bytes that it was about.
  mutating func claimed(
    _ received: [ReceivedRange], of committing: RangeSet, but refused: [ReceivedRange], _ now: Duration
  ) -> [VersionStateMachine.Action] {
    checksums.claimed(received.filter { !refused.contains($0) })
    var unclaimed = committing
    // What was given up since is gone, even where it was claimed for a moment.
    let gone = voided.sinceCommitBegan.flatMap { committing.parts(in: $0) }
    for fragment in received where !refused.contains(fragment) { unclaimed.remove(fragment.fragment.range) }
    for range in gone { unclaimed.insert(range) }
    return machine.committed(now: now) + unclaimed.ranges.flatMap { drop($0, now) }
  }
}

/// What of a version is given up while a commit may be under way, which must not claim it.
struct VoidedRanges: Sendable {
  /// What is about to be given up, while what is claimed of it is taken back.
  private var beginning: [Range<UInt64>] = []
  /// What was given up since the commit that is under way began; nil where none is.
  private var done: RangeSet?

  /// What a commit may not claim now.
  var unclaimable: [Range<UInt64>] { sinceCommitBegan + beginning }
  /// What was given up since the commit that is under way began.
  var sinceCommitBegan: [Range<UInt64>] { done?.ranges ?? [] }

  mutating func begin(_ range: Range<UInt64>) { beginning.append(range) }

  /// What `begin` was told of is over: the range is inserted next, in the same turn.
  mutating func end(_ range: Range<UInt64>) {
    if let index = beginning.firstIndex(of: range) { beginning.remove(at: index) }
  }

  /// A range is given up.
  mutating func insert(_ range: Range<UInt64>) { done?.insert(range) }

  mutating func commitBegins() { done = RangeSet() }
  mutating func commitEnds() { done = nil }
}
