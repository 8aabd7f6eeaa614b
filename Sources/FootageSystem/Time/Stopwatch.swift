/// How long something takes; of known size, so that where nothing is measured it costs nothing.
package struct Stopwatch: Sendable {
  private let clock: Clock
  private let start: UInt64

  /// Begins now.
  package init(_ clock: Clock) {
    self.clock = clock
    start = clock.nanoseconds
  }

  package var elapsed: Duration { .nanoseconds(Int64(clamping: clock.nanoseconds &- start)) }
}
