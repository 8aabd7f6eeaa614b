/// A measurement of how long something takes. It allocates no memory.
package struct Stopwatch: Sendable {
  private let clock: Clock
  private let start: UInt64

  /// Starts the measurement.
  package init(_ clock: Clock) {
    self.clock = clock
    start = clock.nanoseconds
  }

  package var elapsed: Duration { .nanoseconds(Int64(clamping: clock.nanoseconds &- start)) }
}
