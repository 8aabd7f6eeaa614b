/// The pace for feeding a player that accepts all bytes that it is offered. The player gets the bytes up to its
/// read-ahead at once, and later bytes at twice the speed at which it plays. A paused player therefore does not fetch
/// the whole recording, and a player that needs more than its read-ahead still gets it.
package struct FeedWindow: Hashable, Sendable {
  /// The end of the bytes that the player needs for now; nil while its position is unknown.
  package var end: UInt64?
  /// The average number of bytes in a second of the recording; nil while that is unknown.
  package var bytesPerSecond: Double?
  /// The number of bytes that each request gets at once, whatever its position. A player needs them at the beginning
  /// and at the end of a file.
  package let freeBytes: UInt64

  private static let speed = 2.0

  package init(freeBytes: UInt64 = 16 << 20) { self.freeBytes = freeBytes }

  /// Returns the time for which a request waits before it gets more bytes.
  ///
  /// - Parameters:
  ///   - given: the number of bytes that the request has received.
  ///   - offset: the offset of the next byte.
  ///   - count: the number of bytes that it received last.
  package func pause(given: UInt64, at offset: UInt64, count: Int) -> Duration {
    guard given > freeBytes, let end, offset > end, let bytesPerSecond, bytesPerSecond > 0 else { return .zero }
    return .seconds(Double(count) / (bytesPerSecond * Self.speed))
  }
}
