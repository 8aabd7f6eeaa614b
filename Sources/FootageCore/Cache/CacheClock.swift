internal import Storage
internal import System

/// The time, so that tests can move it.
package struct CacheClock: Sendable {
  /// Since some moment in the past; never goes back.
  package let now: @Sendable () -> Duration
  /// Returns after so long, or when the task is cancelled.
  package let sleep: @Sendable (Duration) async -> Void

  package init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async -> Void) {
    self.now = now
    self.sleep = sleep
  }

  package static let system = CacheClock(
    now: { .nanoseconds(Clock.system.uptimeNanoseconds) }, sleep: { try? await Task.sleep(for: $0) })
}
