internal import FootageBase
internal import FootageMedia

/// The window of bytes that are fetched for a player, beyond those that it has read.
struct ReadAheadWindow: Sendable {
  /// The length of the window.
  var readAhead = ReadAhead.seconds(60)
  /// The map between bytes and seconds, once it is known.
  var timeline: MovieTimeline?

  /// - Parameter position: the offset up to which the player has read.
  func end(from position: UInt64, _ limits: MediaCacheLimits) -> UInt64 {
    let end: UInt64
    switch readAhead {
    case .all: return .max
    case .bytes(let count): end = position.addingClamped(count)
    case .seconds(let seconds):
      guard let timeline else { return position.addingClamped(limits.unknownReadAheadBytes) }
      end = timeline.end(ofNext: seconds, after: position)
      // The bytes after the last second belong to no second. A player that has come so far gets all of them.
      if end >= timeline.end(ofFirst: .infinity) { return .max }
    }
    return max(end, position.addingClamped(limits.leastReadAheadBytes))
  }
}
