internal import FootageBase
internal import FootageSystem
internal import Synchronization

/// The fetching, storing and committing that the state machine orders.
extension CachedVersion {
  /// Lets the state machine decide, and carries out its actions.
  func act(_ decide: (inout State, Duration) -> [Machine.Action]) {
    let now = clock.uptime
    var woken: [CheckedContinuation<Void, Never>] = []
    var stopped: [Task<Void, Never>] = []
    state.withLock { state in
      for action in decide(&state, now) {
        switch action {
        case .start(let id, let range, let manner):
          let source = state.source
          let pace = manner == .paced ? state.fillRate : nil
          state.fetching[id] = Task { await self.fetch(id, range, from: source, manner, pace: pace) }
        case .stop(let id):
          if let task = state.fetching.removeValue(forKey: id) { stopped.append(task) }
        case .wake(let id):
          if let continuation = state.waiting.removeValue(forKey: id) { woken.append(continuation) }
        case .commit:
          if state.committer == nil { state.committer = Task { await self.commit() } }
        }
      }
      if state.keeper == nil, !(state.machine.isAtRest && state.holds > 0) {
        state.keeper = Task { await self.keep() }
      }
    }
    // Neither may happen under the lock, because both may immediately run other code.
    for task in stopped { task.cancel() }
    for continuation in woken { continuation.resume() }
  }

  private func fetch(
    _ id: Machine.FetchID, _ range: Range<UInt64>, from source: any RangeSource, _ manner: Machine.Manner,
    pace: Double?
  ) async {
    var failure: FetchFailure?
    do throws(FetchFailure) {
      let stream =
        manner == .onNewConnection
        ? try await source.openAnew(range, of: key, version) : try await source.open(range, of: key, version)
      act { state, now in
        state.machine.answered(id, tellsRoundTrip: !stream.wasOpen, now: now)
        return []
      }
      while let bytes = try await stream.next() {
        guard await take(bytes, id) else { break }
        // A rate near zero would make a pause that is too long for a `Duration`.
        if let pace, pace > 0 { await rest(.seconds(min(Double(bytes.count) / pace, 86_400)), id) }
      }
    } catch {
      failure = error
    }
    act { state, now in
      state.fetching[id] = nil
      return state.machine.ended(id, failure, random: .random(in: 0...1), now: now)
    }
  }

  /// Pauses, so that bytes arrive no faster than a rate allows. The pause does not count as silence of the robot.
  private func rest(_ pause: Duration, _ id: Machine.FetchID) async {
    var left = pause
    while left > .zero, state.withLock({ $0.machine.isRunning(id) }) {
      let step = min(left, limits.fetchIdle / 2)
      await clock.pause(for: step)
      left -= step
      act { state, now in
        state.machine.rested(id, now: now)
        return []
      }
    }
  }

  /// - Returns: true if the fetch is to continue.
  private func take(_ bytes: [UInt8], _ id: Machine.FetchID) async -> Bool {
    guard let arrival = state.withLock({ $0.machine.arrived(id, count: bytes.count) }) else { return false }
    guard let place else { return false }
    let count = arrival.new.reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound) }
    if let problem = await room(for: count) {
      act { state, now in state.machine.storingFailed(problem, now: now) }
      return false
    }
    while true {
      do throws(StorageError) {
        return try await disk.perform { () throws(StorageError) in try self.write(bytes, id, in: place.file) }
      } catch {
        if error.isForLackOfRoom, await store.giveUp(max(count, limits.reservationBytes)) { continue }
        act { state, now in state.machine.storingFailed(FileFailure(error), now: now) }
        return false
      }
    }
  }

  /// Writes the missing parts of the bytes. It runs on the disk's thread, so that no other write comes between finding
  /// the missing bytes and storing them. Claimed bytes are never overwritten.
  ///
  /// - Returns: true if the fetch is to continue.
  private func write(
    _ bytes: [UInt8], _ id: Machine.FetchID, in file: any CacheFile
  ) throws(StorageError) -> Bool {
    let (arrival, checksums) = state.withLock { ($0.machine.arrived(id, count: bytes.count), $0.checksums) }
    guard let arrival else { return false }
    let start = arrival.range.lowerBound
    var growths: [ReceivedChecksums.Growth] = []
    for part in arrival.new {
      let place = Int(part.lowerBound - start)..<Int(part.upperBound - start)
      try file.write(bytes, place, at: part.lowerBound)
      growths.append(checksums.growth(at: part.lowerBound, by: bytes, place))
    }
    act { state, now in
      let actions = state.machine.stored(id, arrival.range, written: arrival.new, now: now)
      state.put(growths)
      return actions
    }
    return state.withLock { $0.machine.isRunning(id) }
  }

  /// - Returns: the reason why there is no room; nil if there is room.
  private func room(for count: UInt64) async -> FileFailure? {
    while true {
      let missing = state.withLock { state -> UInt64 in
        guard state.allowance < count else {
          state.allowance -= count
          return 0
        }
        return count - state.allowance
      }
      guard missing > 0 else { return nil }
      let step = max(missing, min(limits.reservationBytes, version.length))
      switch await store.reserve(step, atLeast: missing, for: self) {
      case .granted(let granted): state.withLock { $0.allowance += granted }
      case .refused(let reason): return reason
      }
    }
  }

  /// Syncs the written bytes to the disk, and then claims them. In this order, no bytes are claimed that a power cut
  /// could destroy.
  private func commit() async {
    let (ranges, received) = state.withLock { state in
      state.voided.commitBegins()
      return (state.machine.beginCommit(), state.checksums.unclaimed)
    }
    if let place, !ranges.isEmpty {
      do throws(StorageError) {
        try await syncer.sync(place.file)
        let outcome = await store.commit(received, to: self)
        act { state, now in
          switch outcome {
          case .failed(let problem): state.machine.commitFailed(problem, now: now)
          case .done(let refused): state.claimed(received, of: ranges, but: refused, now)
          }
        }
      } catch {
        if error.isForLackOfRoom { _ = await store.giveUp(limits.commitBytes) }
        act { state, now in
          state.checksums.forgetAll()
          return state.machine.syncFailed(FileFailure(error), now: now)
        }
      }
      publish()
    }
    act { state, now in
      state.committer = nil
      state.voided.commitEnds()
      return state.machine.tick(random: .random(in: 0...1), now: now)
    }
  }

  /// Stops storing. Returns when all earlier bytes are durable, or cannot be made durable.
  func finishStoring() async {
    act { state, now in state.machine.storingFailed("the cache was closed", now: now) }
    while let committer = state.withLock({ $0.committer }) { await committer.value }
  }

  func startKeeping() {
    state.withLock { state in
      if state.keeper == nil { state.keeper = Task { await self.keep() } }
    }
  }

  /// Watches deadlines and informs observers for as long as that is needed.
  private func keep() async {
    while true {
      await clock.pause(for: limits.tick)
      act { state, now in state.machine.tick(random: .random(in: 0...1), now: now) }
      if needsTimeline { await findTimeline() }
      publish()
      let now = clock.uptime
      let (isOver, isHeld) = state.withLock { state in
        // Observers also see the speed fall to zero.
        let isSettled = state.observers.isEmpty || state.holds == 0 || state.machine.rate.value(at: now) == 0
        let isOver = state.machine.isAtRest && state.committer == nil && isSettled
        if isOver, state.holds > 0 { state.keeper = nil }
        return (isOver, state.holds > 0)
      }
      guard isOver else { continue }
      if isHeld { return }
      guard await store.retire(self) else { continue }
      for observer in state.withLock({ Array($0.observers.values) }) { observer.finish() }
      return
    }
  }
}
