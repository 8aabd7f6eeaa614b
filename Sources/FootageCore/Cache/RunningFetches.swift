internal import FootageBase

/// The running requests for a version, with the bytes that each of them delivers. A rival is a second request for the
/// bytes of a silent one.
struct RunningFetches: Sendable {
  typealias ID = VersionStateMachine.FetchID
  typealias Fetch = VersionStateMachine.Fetch

  private(set) var byID: [ID: Fetch] = [:]
  private var lastRival: Duration?

  /// True if a running request has delivered bytes.
  var haveBytes: Bool { byID.values.contains { $0.hasBytes } }

  /// Returns the requests that will soon deliver this byte.
  func near(_ offset: UInt64, for use: FetchPriority, _ limits: MediaCacheLimits) -> [ID] {
    byID.filter { _, fetch in
      fetch.position <= offset && offset < fetch.end && offset - fetch.position <= limits.waitAheadBytes
        && fetch.isFill == (use == .fill)
    }.keys.sorted()
  }

  /// Returns true if a running request includes this byte.
  func bring(_ offset: UInt64) -> Bool { byID.values.contains { $0.position <= offset && offset < $0.end } }

  /// Returns the range of bytes that have just arrived, limited to those that are still wanted; nil if the request has
  /// ended.
  func range(ofNext count: Int, from id: ID) -> Range<UInt64>? {
    guard let fetch = byID[id], fetch.position < fetch.end else { return nil }
    return fetch.position..<(fetch.position + min(UInt64(max(0, count)), fetch.end - fetch.position))
  }

  // MARK: Their life cycle

  /// - Parameter range: the requested range.
  mutating func begin(_ id: ID, _ range: Range<UInt64>, isFill: Bool, now: Duration) {
    byID[id] = Fetch(
      isFill: isFill, started: now, position: range.lowerBound, end: range.upperBound, lastByte: now)
  }

  /// Returns the end of a new request that begins at a byte: the start of the next running request, if that is before
  /// `end`. A running request that includes the byte is shortened to end before it.
  ///
  /// - Returns: `end`, or less.
  mutating func end(from missing: UInt64, upTo end: UInt64) -> UInt64 {
    var end = end
    for (id, fetch) in byID {
      if fetch.position > missing { end = min(end, fetch.position) }
      if fetch.position <= missing, missing < fetch.end { byID[id]?.end = missing }
    }
    return end
  }

  /// Restarts the measurement of a request's silence, because the head of its response has arrived, or because the
  /// silence was a deliberate pause.
  mutating func isHeard(_ id: ID, now: Duration) { byID[id]?.lastByte = now }

  /// Records that the bytes of a request are stored up to an offset.
  ///
  /// The first of two rivals to deliver a byte continues alone. When a rival delivers a byte, every request that has
  /// been silent since before the rival was sent is stopped as well.
  ///
  /// - Returns: the requests to stop.
  mutating func stored(_ id: ID, upTo end: UInt64, now: Duration) -> [ID] {
    guard var fetch = byID[id] else { return [] }
    fetch.hasBytes = true
    fetch.position = max(fetch.position, end)
    fetch.lastByte = now
    let others = byID.filter { other, rival in
      other != id
        && ((rival.isRival || fetch.isRival) && rival.position < fetch.position && fetch.position <= rival.end
          || fetch.isRival && rival.lastByte <= fetch.started)
    }
    for other in others.keys { byID[other] = nil }
    fetch.isRival = false
    byID[id] = fetch.position < fetch.end ? fetch : nil
    return others.keys.sorted()
  }

  @discardableResult
  mutating func remove(_ id: ID) -> Fetch? { byID.removeValue(forKey: id) }

  /// Returns true if a request has been silent for so long that it is given up.
  func isSilent(_ fetch: Fetch, now: Duration, _ limits: MediaCacheLimits) -> Bool {
    now - fetch.lastByte >= (fetch.isRunningOut ? min(limits.rival, limits.fetchIdle) : limits.fetchIdle)
  }

  /// Ends the requests that no reader needs, except those that will end soon anyway.
  ///
  /// - Parameter byteCount: the number of unneeded bytes that may still arrive.
  /// - Returns: the requests to stop.
  mutating func stop(except wanted: Set<ID>, runningOut byteCount: UInt64) -> [ID] {
    for id in wanted { byID[id]?.isRunningOut = false }
    let unwanted = byID.filter { !wanted.contains($0.key) }.sorted { one, other in
      (one.value.end - one.value.position, one.key) < (other.value.end - other.value.position, other.key)
    }
    var left = byteCount
    var stopped: [ID] = []
    for (id, fetch) in unwanted {
      let rest = fetch.end - fetch.position
      if rest <= left, !fetch.isRival {
        left -= rest
        byID[id]?.isRunningOut = true
      } else {
        byID[id] = nil
        stopped.append(id)
      }
    }
    return stopped
  }

  /// Begins another request for the byte that a player waits for, if the requests that should deliver it are silent.
  ///
  /// - Parameters:
  ///   - id: the number of the new request.
  ///   - missing: the byte that the player waits for.
  /// - Returns: the range of the new request, and the requests to stop before it starts; nil if it is too early, or if
  ///   no request is running for that byte.
  mutating func beginRival(
    _ id: ID, at missing: UInt64, now: Duration, _ limits: MediaCacheLimits
  ) -> (range: Range<UInt64>, stopped: [ID])? {
    let near = near(missing, for: .play, limits).compactMap { id in byID[id].map { (id: id, fetch: $0) } }
    guard let last = near.map({ $0.fetch.lastByte }).max(), let end = near.map({ $0.fetch.end }).max() else {
      return nil
    }
    let rivals = near.filter { $0.fetch.isRival }.map(\.id)
    guard now - last >= (rivals.isEmpty ? limits.rival : limits.rivalAgain),
      lastRival.map({ now - $0 >= limits.rivalAgain }) ?? true
    else { return nil }
    lastRival = now
    for rival in rivals { byID[rival] = nil }
    byID[id] = Fetch(isFill: false, isRival: true, started: now, position: missing, end: end, lastByte: now)
    return (missing..<end, rivals)
  }
}
