/// The time for which a transfer is retried, and the messages about that.
import Testing

@testable import FootageCore

@Suite struct RetryScheduleTests {
  static let away = RobotRequests.Attempt(.unreachable("connection refused"))
  static let policy = RetryPolicy(retries: 3, base: .seconds(1), maximum: .seconds(10))

  /// A clock that the test moves.
  struct Clock {
    var now = Duration.seconds(1_000)
    mutating func advance(by duration: Duration) { now += duration }
  }

  /// Returns the number of failures in a row that are retried, up to 1,000, and the reported events.
  static func failures(
    _ tries: inout RetrySchedule, _ attempt: RobotRequests.Attempt, hasAnswered: Bool = false, _ clock: inout Clock
  ) -> (count: Int, events: [RobotEvent]) {
    var events: [RobotEvent] = []
    for count in 0..<1000 {
      guard let next = tries.next(after: attempt, hasAnswered: hasAnswered, at: clock.now) else {
        return (count, events)
      }
      if let event = next.event { events.append(event) }
      clock.advance(by: next.pause)
    }
    return (1000, events)
  }

  @Test func `a read is tried as often as the policy says`() {
    var (tries, clock) = (RetrySchedule(Self.policy), Clock())
    #expect(Self.failures(&tries, Self.away, &clock).count == 3)
    tries = RetrySchedule(Self.policy, waiting: .retries)
    #expect(Self.failures(&tries, Self.away, &clock).count == 3)
  }

  @Test func `a download waits for a robot that is away, and says so once`() {
    var (tries, clock) = (RetrySchedule(Self.policy, waiting: .untilCancelled), Clock())
    let start = clock.now
    let outcome = Self.failures(&tries, Self.away, &clock)
    #expect(outcome.count == 1000)
    #expect(outcome.events.filter { $0 == .waiting(Self.away.error) }.count == 1)
    #expect(outcome.events.last == .waiting(Self.away.error))
    #expect((2...8).contains(outcome.events.count), "\(outcome.events)")
    // It is back, and then away again.
    #expect(tries.answered(at: clock.now) == .back(after: clock.now - start))
    #expect(tries.answered(at: clock.now) == nil)
    tries.progress()
    let again = Self.failures(&tries, Self.away, &clock)
    #expect(again.events.last == .waiting(Self.away.error))
  }

  @Test(arguments: [0, 1, 30, 600]) func `or for as long as it is told to, without a byte of progress`(seconds: Int) {
    var (tries, clock) = (RetrySchedule(Self.policy, waiting: .atMost(.seconds(seconds))), Clock())
    for _ in 0..<3 {
      let start = clock.now
      _ = Self.failures(&tries, Self.away, &clock)
      // The next pause would have gone beyond the limit.
      #expect(clock.now - start <= .seconds(seconds))
      #expect(clock.now - start >= .seconds(seconds) - .seconds(10))
      _ = tries.answered(at: clock.now)
      tries.progress()
    }
  }

  @Test func `an answer without a byte of progress is no new time`() {
    var (tries, clock) = (RetrySchedule(Self.policy, waiting: .atMost(.seconds(60))), Clock())
    let start = clock.now
    _ = Self.failures(&tries, Self.away, &clock)
    _ = tries.answered(at: clock.now)
    // The pause is random, and one that is short enough may still fit.
    _ = Self.failures(&tries, Self.away, &clock)
    #expect(clock.now - start <= .seconds(60))
  }

  @Test(arguments: [429, 502, 503, 504]) func `a robot that cannot answer now is away`(status: Int) {
    var (tries, clock) = (RetrySchedule(Self.policy, waiting: .untilCancelled), Clock())
    #expect(Self.failures(&tries, .init(.unavailable(status: status, reason: "")), &clock).count == 1000)
  }

  @Test func `a robot that answers and does not get on is not waited for`() {
    var (tries, clock) = (RetrySchedule(Self.policy, waiting: .untilCancelled), Clock())
    #expect(Self.failures(&tries, Self.away, hasAnswered: true, &clock).count == 3)
    tries = RetrySchedule(Self.policy, waiting: .untilCancelled)
    #expect(Self.failures(&tries, .init(.unavailable(status: 500, reason: "")), &clock).count == 3)
    tries = RetrySchedule(Self.policy, waiting: .untilCancelled)
    #expect(Self.failures(&tries, .init(.notAllowed(status: 403, reason: "")), &clock).count == 0)
  }

  @Test func `what is told is said in words`() {
    #expect(
      RobotEvent.waiting(.unreachable("connection refused")).description
        == "the robot cannot be reached: connection refused; waiting for the robot")
    #expect(RobotEvent.back(after: .milliseconds(25_040)).description == "the robot answers again, after 25.0 s")
  }
}
