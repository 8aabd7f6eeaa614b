/// The pace for feeding a player that takes whatever it is given. It gets everything at once up to its read-ahead, and
/// the bytes after that twice as fast as it plays. So a paused player does not fetch the whole recording, and a player
/// that needs more than is known here still gets it.
package struct FeedWindow: Hashable, Sendable {
  /// The end of the bytes that the player needs for now; nil while its position is unknown.
  package var end: UInt64?
  /// The average number of bytes in a second of the recording; nil while that is unknown.
  package var bytesPerSecond: Double?
  /// The number of bytes that each request gets at once, wherever it is. A player needs them at a beginning and at an
  /// end.
  package let freeBytes: UInt64

  private static let speed = 2.0

  package init(freeBytes: UInt64 = 16 << 20) { self.freeBytes = freeBytes }

  /// Returns the time that a request waits before it gets more.
  ///
  /// - Parameters:
  ///   - given: the number of bytes that it got so far.
  ///   - offset: the offset of the next byte.
  ///   - count: the number of bytes that it got last.
  package func pause(given: UInt64, at offset: UInt64, count: Int) -> Duration {
    guard given > freeBytes, let end, offset > end, let bytesPerSecond, bytesPerSecond > 0 else { return .zero }
    return .seconds(Double(count) / (bytesPerSecond * Self.speed))
  }
}
