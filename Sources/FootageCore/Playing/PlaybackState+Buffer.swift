internal import FootageBase

/// The part of the recording that a player at a position can play without the robot.
extension PlaybackState {
  /// Returns the number of seconds that a player can play from a position before it needs the robot. It is 0 if the
  /// bytes at the position are missing, and nil while it is unknown which bytes belong to which second.
  ///
  /// - Parameter position: the position of the player, in seconds of the recording.
  public func bufferedSeconds(from position: Double) -> Double? {
    guard let cachedSeconds else { return nil }
    let position = max(0, position)
    return cachedSeconds.first { $0.contains(position) }.map { $0.upperBound - position } ?? 0
  }

  /// Returns true if the recording plays from a position to its end without the robot.
  ///
  /// - Parameter position: the position of the player, in seconds of the recording.
  public func isBufferedToEnd(from position: Double) -> Bool {
    if isComplete { return true }
    guard let duration, let cachedSeconds else { return false }
    let position = max(0, position)
    return position >= duration || cachedSeconds.contains { $0.contains(position) && $0.upperBound >= duration }
  }

  /// The average number of bytes in a second of the recording; nil while its duration is unknown.
  public var bytesPerRecordedSecond: Double? {
    guard let duration, duration > 0 else { return nil }
    return Double(length) / duration
  }

  /// The number of bytes that are cached.
  var cachedByteCount: UInt64 { RangeSet(cachedBytes).byteCount }
}
