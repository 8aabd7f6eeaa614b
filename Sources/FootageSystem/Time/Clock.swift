#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A source of time: the system, or a clock that a test moves. Code that needs the time receives a clock as a
/// parameter.
///
/// It is a struct and not an existential, so reading the time costs one check for nil more than asking the system.
package struct Clock: Sendable {
  private let movable: MovableClock?

  init(_ movable: MovableClock?) { self.movable = movable }

  package static let system = Clock(nil)

  // MARK: For deadlines

  /// The current time. It never goes back, and stands still while the machine sleeps.
  package var now: Deadline { Deadline(milliseconds: nanoseconds / 1_000_000) }

  /// Returns the deadline that is later than now by the delay.
  package func deadline(after delay: Deadline.Delay) -> Deadline { now.advanced(by: delay) }

  /// Returns the deadline that is later than now by the duration.
  package func deadline(after duration: Duration) -> Deadline { deadline(after: Deadline.Delay(duration)) }

  /// Returns the time since a moment; zero if the moment is in the future.
  package func elapsed(since moment: Deadline) -> Duration { now.duration(since: moment) }

  /// The time of `now`, in nanoseconds.
  package var nanoseconds: UInt64 {
    movable?.nanoseconds ?? UInt64(bitPattern: Self.nanoseconds(of: SystemCalls.awakeClock))
  }

  // MARK: For waits that include the machine's sleep

  /// The number of nanoseconds since a fixed moment in the past. It never goes back, and continues while the machine
  /// sleeps.
  package var uptimeNanoseconds: Int64 { movable?.uptimeNanoseconds ?? Self.nanoseconds(of: SystemCalls.uptimeClock) }

  /// The time since a fixed moment in the past. It never goes back, and continues while the machine sleeps.
  package var uptime: Duration { .nanoseconds(uptimeNanoseconds) }

  // MARK: The time of day: wrong on a robot that has just booted without a clock battery

  /// The number of nanoseconds since 1970-01-01T00:00:00Z.
  package var unixNanoseconds: Int64 { movable?.unixNanoseconds ?? Self.nanoseconds(of: CLOCK_REALTIME) }

  /// The number of seconds since 1970-01-01T00:00:00Z, at the system's last tick, which was a few milliseconds ago at
  /// most.
  package var unixSeconds: Int64 {
    if let movable { return movable.unixNanoseconds / 1_000_000_000 }
    var time = timespec()
    // Safe because the structure belongs to this call; the clock always exists.
    _ = unsafe clock_gettime(SystemCalls.coarseClock, &time)
    return Int64(time.tv_sec)
  }

  // MARK: Waiting

  /// Returns the number of milliseconds to wait in the kernel until the deadline; below 0 means without end. That is
  /// always the result for a test's clock that stands still, because moving that clock wakes the waiting threads.
  package func patience(until deadline: Deadline) -> CInt {
    if let movable, !movable.isRunning { return -1 }
    let now = now
    guard deadline > now else { return 0 }
    return deadline == .never ? -1 : CInt(clamping: deadline.milliseconds - now.milliseconds)
  }

  /// Waits for this duration, which includes the time in which the machine sleeps.
  ///
  /// - Throws: if the task is canceled first.
  package func sleep(for duration: Duration) async throws(CancellationError) {
    if let sleeping = movable?.sleeping {
      await sleeping(duration)
      guard !Task.isCancelled else { throw CancellationError() }
      return
    }
    if let movable, !movable.isRunning { return try await movable.sleep(for: duration) }
    do { try await Task.sleep(for: duration) } catch { throw CancellationError() }
  }

  /// Waits for this duration, or until the task is canceled, for callers that then check the state in either case.
  package func pause(for duration: Duration) async {
    // Cancellation is not a failure here: the caller notices it like anything else that has happened in the meantime.
    try? await sleep(for: duration)
  }

  /// Registers an action that is called whenever a test moves this clock. The system's clock never calls it.
  package func whenMoved(_ action: @escaping @Sendable () -> Void) { movable?.whenMoved(action) }

  // MARK: The system's clocks

  static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    // Safe because the structure belongs to this call; these clocks always exist.
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
