internal import FootageBase

/// What becomes of a transfer after each of its failures.
///
/// Decides, and waits for nothing: whoever asks it says what time it is, on a clock that goes on while the machine
/// sleeps.
struct RetrySchedule: Sendable {
  /// What to do next.
  struct Next {
    let pause: Duration
    /// What there is to tell.
    let event: RobotEvent?
  }

  private var backoff: Backoff
  private let retries: Int
  /// Those in a row that count against the retries.
  private var countedFailures = 0
  private let waiting: RetryPolicy.Waiting?
  /// When it failed first since the robot last answered.
  private var awaySince: Duration?
  /// When it failed first since the last byte that was new.
  private var stuckSince: Duration?
  private var hasToldWaiting = false

  /// Up to here each try is told, and then once that the robot is waited for.
  private static let toldOneByOne = Duration.seconds(5)

  /// - Parameter waiting: how long a robot that is away is waited for; nil counts every failure against the retries.
  init(_ policy: RetryPolicy, waiting: RetryPolicy.Waiting? = nil) {
    backoff = Backoff(from: policy.base, upTo: policy.maximum)
    retries = policy.retries
    self.waiting = waiting
  }

  /// - Parameter hasAnswered: whether the robot had begun to answer what failed.
  /// - Returns: nil where it cannot pass, or enough was tried.
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

  /// The robot has answered.
  ///
  /// - Returns: what there is to tell.
  mutating func answered(at now: Duration) -> RobotEvent? {
    guard let since = awaySince else { return nil }
    awaySince = nil
    hasToldWaiting = false
    return .back(after: now - since)
  }

  /// Bytes came that were not there before.
  mutating func progress() {
    stuckSince = nil
    countedFailures = 0
    backoff.succeeded()
  }
}

extension RobotError {
  /// An internal error (500) may be the recording's own fault, and then it stays.
  fileprivate var saysThatTheRobotIsAway: Bool {
    switch self {
    case .unreachable, .localNetworkDenied: true
    case .unavailable(let status, _): status != 500
    default: false
    }
  }
}
