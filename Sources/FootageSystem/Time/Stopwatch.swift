/// A measurement of how long something takes. Its size is known, so that it costs nothing where nothing is measured.
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
