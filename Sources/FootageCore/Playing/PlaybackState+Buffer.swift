internal import FootageBase

/// What a player that stands at a second of the recording has of it.
extension PlaybackState {
  /// How long it plays on from a position before its robot is needed, in seconds; 0 where that is missing, nil while it
  /// is not known which bytes belong to which second.
  ///
  /// - Parameter position: of the player, in seconds of the recording.
  public func bufferedSeconds(from position: Double) -> Double? {
    guard let cachedSeconds else { return nil }
    let position = max(0, position)
    return cachedSeconds.first { $0.contains(position) }.map { $0.upperBound - position } ?? 0
  }

  /// Whether it plays to its end from a position without its robot.
  ///
  /// - Parameter position: of the player, in seconds of the recording.
  public func isBufferedToEnd(from position: Double) -> Bool {
    if isComplete { return true }
    guard let duration, let cachedSeconds else { return false }
    let position = max(0, position)
    return position >= duration || cachedSeconds.contains { $0.contains(position) && $0.upperBound >= duration }
  }

  /// What a second of the recording has, on average, in bytes; nil while its duration is not known.
  public var bytesPerRecordedSecond: Double? {
    guard let duration, duration > 0 else { return nil }
    return Double(length) / duration
  }

  /// Of all that is cached.
  var cachedByteCount: UInt64 { RangeSet(cachedBytes).byteCount }
}
