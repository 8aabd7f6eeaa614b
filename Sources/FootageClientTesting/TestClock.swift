public import FootageCore
internal import FootageSystem

/// A clock that a test moves: pauses between tries, limits and slow robots wait for it, and for nothing else.
public final class TestClock: Sendable {
  private let movable = MovableClock()

  /// It stands still until it is moved.
  public init() {}

  /// Lets so much time pass, and whoever waits for it go on.
  public func advance(by duration: Duration) { movable.advance(by: duration) }

  var clock: FootageSystem.Clock { movable.clock }
}

extension RetryPolicy {
  /// Tries again so often, and never pauses.
  public static func withoutPauses(retries: Int = 6) -> RetryPolicy {
    RetryPolicy(retries: retries, base: .zero, maximum: .zero, downloads: .retries)
  }
}
