/// How fast a player is fed that takes whatever it is given: all at once up to where it reads ahead, and behind that
/// twice as fast as it plays. So one that is paused does not fetch the whole recording, and one that needs more than is
/// known here still gets it.
package struct FeedWindow: Hashable, Sendable {
  /// Up to which byte the player needs the recording for now; nil while nobody says where it stands.
  package var end: UInt64?
  /// Of the recording, on average; nil while that is not known.
  package var bytesPerSecond: Double?
  /// What each request gets at once, wherever it is, in bytes: what a player needs of a beginning and of an end.
  package let freeBytes: UInt64

  private static let speed = 2.0

  package init(freeBytes: UInt64 = 16 << 20) { self.freeBytes = freeBytes }

  /// How long a request waits before it gets more.
  ///
  /// - Parameters:
  ///   - given: what it got so far, in bytes.
  ///   - offset: of the next byte.
  ///   - count: of what it got last, in bytes.
  package func pause(given: UInt64, at offset: UInt64, count: Int) -> Duration {
    guard given > freeBytes, let end, offset > end, let bytesPerSecond, bytesPerSecond > 0 else { return .zero }
    return .seconds(Double(count) / (bytesPerSecond * Self.speed))
  }
}
