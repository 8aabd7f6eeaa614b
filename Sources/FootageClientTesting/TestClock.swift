public import FootageCore
internal import FootageSystem

/// A clock that a test moves. Pauses between tries, limits and slow robots wait only for this clock.
public final class TestClock: Sendable {
  private let movable = MovableClock()

  /// Creates a clock that stands still until it is moved.
  public init() {}

  /// Lets this much time pass, and resumes every task that waited for it.
  public func advance(by duration: Duration) { movable.advance(by: duration) }

  var clock: FootageSystem.Clock { movable.clock }
}

extension RetryPolicy {
  /// Returns a policy that retries this often and never pauses.
  public static func withoutPauses(retries: Int = 6) -> RetryPolicy {
    RetryPolicy(retries: retries, base: .zero, maximum: .zero, downloads: .retries)
  }
}
