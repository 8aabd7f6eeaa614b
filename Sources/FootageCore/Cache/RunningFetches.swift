internal import FootageBase

/// The requests that run for a version: what each of them brings, and which stand in for others.
struct RunningFetches: Sendable {
  typealias ID = VersionStateMachine.FetchID
  typealias Fetch = VersionStateMachine.Fetch

  private(set) var byID: [ID: Fetch] = [:]
  private var lastRival: Duration?

  /// Whether any of them has brought something.
  var haveBytes: Bool { byID.values.contains { $0.hasBytes } }

  /// The requests that will soon bring this byte.
  func near(_ offset: UInt64, for use: FetchPriority, _ limits: MediaCacheLimits) -> [ID] {
    byID.filter { _, fetch in
      fetch.position <= offset && offset < fetch.end && offset - fetch.position <= limits.waitAheadBytes
        && fetch.isFill == (use == .fill)
    }.keys.sorted()
  }

  /// Whether one of them is to bring this byte, soon or late.
  func bring(_ offset: UInt64) -> Bool { byID.values.contains { $0.position <= offset && offset < $0.end } }

  /// Where bytes that have just come belong, as far as they are wanted; nil where the request is over.
  func range(ofNext count: Int, from id: ID) -> Range<UInt64>? {
    guard let fetch = byID[id], fetch.position < fetch.end else { return nil }
    return fetch.position..<(fetch.position + min(UInt64(max(0, count)), fetch.end - fetch.position))
  }

  // MARK: Their lives

  /// - Parameter range: that is asked for.
  mutating func begin(_ id: ID, _ range: Range<UInt64>, isFill: Bool, now: Duration) {
    byID[id] = Fetch(
      isFill: isFill, started: now, position: range.lowerBound, end: range.upperBound, lastByte: now)
  }

  /// Whatever is to be asked for from a byte on ends where another request begins; one that is far behind that byte
  /// ends there.
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

  /// The head of its answer has come, or nothing was taken from it on purpose: its silence begins anew.
  mutating func isHeard(_ id: ID, now: Duration) { byID[id]?.lastByte = now }

  /// Its bytes up to an offset are stored.
  ///
  /// Whoever is first to bring a byte goes on alone. What has said nothing since before a rival was sent that was
  /// answered is as dead as what that one stands in for.
  ///
  /// - Returns: those that are to be stopped.
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

  /// Whether nothing has come for so long that it is given up.
  func isSilent(_ fetch: Fetch, now: Duration, _ limits: MediaCacheLimits) -> Bool {
    now - fetch.lastByte >= (fetch.isRunningOut ? min(limits.rival, limits.fetchIdle) : limits.fetchIdle)
  }

  /// Ends what nobody needs; what is over in a moment may come to its end.
  ///
  /// - Parameter byteCount: so many bytes may still come that nobody needs.
  /// - Returns: those that are to be stopped.
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

  /// Begins another request for what a player waits for, where those that should bring it are silent.
  ///
  /// - Parameters:
  ///   - id: of the new one.
  ///   - missing: the byte that the player waits for.
  /// - Returns: what it asks for, and those that are to be stopped before; nil where it is too early, or nothing is
  ///   asked for that byte.
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
