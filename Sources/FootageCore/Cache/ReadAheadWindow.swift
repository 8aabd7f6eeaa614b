internal import FootageBase
internal import FootageMedia

/// Up to where a player is served ahead of what it has read.
struct ReadAheadWindow: Sendable {
  /// How far that is.
  var readAhead = ReadAhead.seconds(60)
  /// Which bytes belong to which seconds, once that is known.
  var timeline: MovieTimeline?

  /// - Parameter position: up to where it has read.
  func end(from position: UInt64, _ limits: MediaCacheLimits) -> UInt64 {
    let end: UInt64
    switch readAhead {
    case .all: return .max
    case .bytes(let count): end = position.addingClamped(count)
    case .seconds(let seconds):
      guard let timeline else { return position.addingClamped(limits.unknownReadAheadBytes) }
      end = timeline.end(ofNext: seconds, after: position)
      // What lies behind the last second is nobody's second: a player that has come so far takes it all.
      if end >= timeline.end(ofFirst: .infinity) { return .max }
    }
    return max(end, position.addingClamped(limits.leastReadAheadBytes))
  }
}
