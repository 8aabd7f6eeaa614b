internal import FootageBase

/// The schedule of a transfer's retries.
///
/// It decides after each failure, and does not wait itself. The caller passes the time, from a clock that continues
/// while the machine sleeps.
struct RetrySchedule: Sendable {
  /// The next attempt.
  struct Next {
    let pause: Duration
    /// The event to report; nil if there is none.
    let event: RobotEvent?
  }

  private var backoff: Backoff
  private let retries: Int
  /// The number of failures in a row that count against the retries.
  private var countedFailures = 0
  private let waiting: RetryPolicy.Waiting?
  /// The time of the first failure since the robot last answered.
  private var awaySince: Duration?
  /// The time of the first failure since the last new byte.
  private var stuckSince: Duration?
  private var hasToldWaiting = false

  /// The time during which each try is reported. After it, one event reports that the download waits for the robot.
  private static let toldOneByOne = Duration.seconds(5)

  /// - Parameter waiting: how long to wait for a robot that is away; nil to count every failure against the retries.
  init(_ policy: RetryPolicy, waiting: RetryPolicy.Waiting? = nil) {
    backoff = Backoff(from: policy.base, upTo: policy.maximum)
    retries = policy.retries
    self.waiting = waiting
  }

  /// - Parameter hasAnswered: true if the robot had begun to answer before the failure.
  /// - Returns: nil if the failure cannot pass, or there were enough attempts.
  mutating func next(
    after attempt: RobotRequests.Attempt, hasAnswered: Bool = false, at now: Duration
  ) -> Next? {
    guard attempt.error.canPass else { return nil }
    let isAway = waits && !hasAnswered && attempt.error.saysThatTheRobotIsAway
    if !isAway {
      guard countedFailures < retries else { return nil }
      countedFailures += 1
    }
    backoff.failed()
    let pause = backoff.pause(retryAfter: attempt.retryAfter, random: .random(in: 0...1))
    let since = awaySince ?? now
    awaySince = since
    stuckSince = stuckSince ?? now
    if isAway, case .atMost(let limit)? = waiting, now - (stuckSince ?? now) + pause > limit { return nil }
    guard isAway, now - since >= Self.toldOneByOne else {
      return Next(pause: pause, event: .retrying(attempt.error, after: pause))
    }
    defer { hasToldWaiting = true }
    return Next(pause: pause, event: hasToldWaiting ? nil : .waiting(attempt.error))
  }

  private var waits: Bool { waiting != nil && waiting != .retries }

  /// Records that the robot has answered.
  ///
  /// - Returns: the event to report.
  mutating func answered(at now: Duration) -> RobotEvent? {
    guard let since = awaySince else { return nil }
    awaySince = nil
    hasToldWaiting = false
    return .back(after: now - since)
  }

  /// Records that new bytes have arrived.
  mutating func progress() {
    stuckSince = nil
    countedFailures = 0
    backoff.succeeded()
  }
}

extension RobotError {
  /// True if the error means that the robot cannot be reached or cannot answer now. An internal error (500) does not:
  /// its cause may be the recording, in which case it would persist.
  fileprivate var saysThatTheRobotIsAway: Bool {
    switch self {
    case .unreachable, .localNetworkDenied: true
    case .unavailable(let status, _): status != 500
    default: false
    }
  }
}
