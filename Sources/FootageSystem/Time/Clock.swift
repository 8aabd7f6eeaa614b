#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Where the time comes from: the system, or a clock that a test moves. Whoever needs the time is handed one.
///
/// A value of known layout, no existential: beside asking the system it costs one look at nil.
package struct Clock: Sendable {
  private let movable: MovableClock?

  init(_ movable: MovableClock?) { self.movable = movable }

  package static let system = Clock(nil)

  // MARK: For deadlines

  /// Never goes back, and stands still while the machine sleeps.
  package var now: Deadline { Deadline(milliseconds: nanoseconds / 1_000_000) }

  /// So long from now.
  package func deadline(after delay: Deadline.Delay) -> Deadline { now.advanced(by: delay) }

  /// So long from now.
  package func deadline(after duration: Duration) -> Deadline { deadline(after: Deadline.Delay(duration)) }

  /// How long ago a moment was; zero where it is still to come.
  package func elapsed(since moment: Deadline) -> Duration { now.duration(since: moment) }

  /// As `now`, in nanoseconds.
  package var nanoseconds: UInt64 {
    movable?.nanoseconds ?? UInt64(bitPattern: Self.nanoseconds(of: SystemCalls.awakeClock))
  }

  // MARK: For what outlasts a sleep

  /// Nanoseconds since some moment in the past. Never goes back, and goes on while the machine sleeps.
  package var uptimeNanoseconds: Int64 { movable?.uptimeNanoseconds ?? Self.nanoseconds(of: SystemCalls.uptimeClock) }

  /// The same as a duration.
  package var uptime: Duration { .nanoseconds(uptimeNanoseconds) }

  // MARK: The time of day: wrong on a robot that has just booted without a clock battery

  /// Nanoseconds since 1970-01-01T00:00:00Z.
  package var unixNanoseconds: Int64 { movable?.unixNanoseconds ?? Self.nanoseconds(of: CLOCK_REALTIME) }

  /// Seconds since 1970-01-01T00:00:00Z, as of the system's last tick, a few milliseconds ago at most.
  package var unixSeconds: Int64 {
    if let movable { return movable.unixNanoseconds / 1_000_000_000 }
    var time = timespec()
    // Safe because the structure is this call's own; the clock always exists.
    _ = unsafe clock_gettime(SystemCalls.coarseClock, &time)
    return Int64(time.tv_sec)
  }

  // MARK: Waiting

  /// For how many milliseconds the system may be waited for, below 0 without end: a clock that stands still wakes those
  /// who wait when it is moved.
  package func patience(until deadline: Deadline) -> CInt {
    if let movable, !movable.isRunning { return -1 }
    let now = now
    guard deadline > now else { return 0 }
    return deadline == .never ? -1 : CInt(clamping: deadline.milliseconds - now.milliseconds)
  }

  /// Returns after so long, the machine's sleep included.
  ///
  /// - Throws: when the task is cancelled before.
  package func sleep(for duration: Duration) async throws(CancellationError) {
    if let sleeping = movable?.sleeping {
      await sleeping(duration)
      guard !Task.isCancelled else { throw CancellationError() }
      return
    }
    if let movable, !movable.isRunning { return try await movable.sleep(for: duration) }
    do { try await Task.sleep(for: duration) } catch { throw CancellationError() }
  }

  /// Returns after so long, or when the task is cancelled: for whoever looks at what is so then in any case.
  package func pause(for duration: Duration) async {
    // Cancelling is no failure here: the caller sees it as it sees whatever else has happened meanwhile.
    try? await sleep(for: duration)
  }

  /// Has `action` called whenever a test moves this clock; never, by the system's.
  package func whenMoved(_ action: @escaping @Sendable () -> Void) { movable?.whenMoved(action) }

  // MARK: The system's

  static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    // Safe because the structure is this call's own; these clocks always exist.
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
