internal import FootageBase
internal import FootageMedia
internal import Synchronization
internal import FootageSystem

/// The state that a version shows, in bytes and in seconds.
extension CachedVersion {
  /// Returns a stream of the state as it is now, and of each state after a change.
  func observe() -> AsyncStream<PlaybackState> {
    let (stream, continuation) = AsyncStream.makeStream(of: PlaybackState.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = continuation
      return state.nextObserver
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.observers[id] = nil }
    }
    continuation.yield(currentState)
    startKeeping()
    return stream
  }

  var currentState: PlaybackState {
    let now = clock.uptime
    return state.withLock { Self.state(of: $0, now) }
  }

  private static func state(of state: borrowing State, _ now: Duration) -> PlaybackState {
    var shown = state.machine.state(now: now)
    if let timeline = state.machine.timeline {
      shown.duration = timeline.duration
      shown.cachedSeconds = timeline.seconds(of: RangeSet(shown.cachedBytes))
    }
    return shown
  }

  func publish() {
    let now = clock.uptime
    let (observers, shown) = state.withLock { state -> ([AsyncStream<PlaybackState>.Continuation], PlaybackState?) in
      guard !state.observers.isEmpty else { return ([], nil) }
      let shown = Self.state(of: state, now)
      guard shown != state.lastShown else { return ([], nil) }
      state.lastShown = shown
      return (Array(state.observers.values), shown)
    }
    guard let shown else { return }
    for observer in observers { observer.yield(shown) }
  }

  /// The recording's time line; nil until its head or its sample index was read.
  var timeline: MovieTimeline? { state.withLock { $0.machine.timeline } }

  /// True if a search for the time line is still possible and a caller needs seconds: an observer, a caller that has
  /// asked for the state, or a player whose read-ahead is in seconds.
  var needsTimeline: Bool {
    state.withLock { state in
      guard state.timelineSearch == .open else { return false }
      if state.isTimelineWanted || !state.observers.isEmpty { return true }
      guard case .seconds = state.machine.readAhead else { return false }
      return state.machine.readers.values.contains { $0.use == .play }
    }
  }

  /// Requests that the time line be read as soon as the bytes that it needs are cached.
  func wantTimeline() {
    let isNew = state.withLock { state in
      defer { state.isTimelineWanted = true }
      return !state.isTimelineWanted || state.timelineSearch == .open
    }
    if isNew { startKeeping() }
  }

  /// True if the time line cannot be determined, so that waiting for it is useless.
  var hasNoTimeline: Bool { state.withLock { $0.timelineSearch == .over && $0.machine.timeline == nil } }

  /// Reads the time line, if the bytes that it needs are cached.
  ///
  /// - Returns: the range that must be cached first; nil if the time line has been read, is being read, or cannot be
  ///   determined.
  @discardableResult
  func findTimeline() async -> Range<UInt64>? {
    if await readTimelineOfFilm() { return nil }
    guard let place else {
      state.withLock { $0.timelineSearch = .over }
      return nil
    }
    let (available, compared, needs) = state.withLock { state -> (RangeSet?, RangeSet, Range<UInt64>?) in
      var compared = state.machine.available
      compared.subtract(state.unchecked)
      guard state.timelineSearch == .open else { return (nil, compared, nil) }
      if let needs = state.timelineNeeds, !state.machine.available.contains(needs) { return (nil, compared, needs) }
      state.timelineSearch = .running
      return (state.machine.available, compared, nil)
    }
    if let needs { return needs }
    guard let available else { return nil }
    var bytes = CachedRanges(file: place.file, length: version.length, available: compared)
    var outcome = await syncer.timeline(of: bytes, limit: limits.headBytes)
    // No time line is made from bytes that are not what was received.
    while case .needs(let range) = outcome, available.contains(range), await check(range, in: place.file) {
      bytes.available.insert(range)
      outcome = await syncer.timeline(of: bytes, limit: limits.headBytes)
    }
    if case .ready(let timeline) = outcome { act { state, now in state.machine.knows(timeline, now: now) } }
    return state.withLock { state in
      switch outcome {
      case .ready:
        state.timelineSearch = .over
        return nil
      case .needs(let range):
        state.timelineSearch = .open
        state.timelineNeeds = range
        return range
      case .none:
        state.timelineSearch = .over
        return nil
      }
    }
  }

  /// - Returns: true if there is a usable index, so that the `moov` is not needed.
  private func readTimelineOfFilm() async -> Bool {
    let film = state.withLock { state -> VersionFilm? in
      guard state.timelineSearch == .open, let film = state.film else { return nil }
      state.timelineSearch = .running
      return film
    }
    guard let film else { return false }
    let timeline = await syncer.timeline(of: film)
    if let timeline { act { state, now in state.machine.knows(timeline, now: now) } }
    state.withLock { state in
      state.timelineSearch = timeline == nil ? .open : .over
      if timeline == nil { state.film = nil }
    }
    return timeline != nil
  }
}
