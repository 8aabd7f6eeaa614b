internal import FootageBase

/// The availability of a robot's bytes: what has failed, whether that is temporary, and when the robot is tried again.
struct RobotAvailability: Sendable {
  /// A period in which the robot fails to deliver, but may deliver again.
  struct Outage: Sendable {
    var error: RobotError
    var backoff: Backoff
    /// The time of the first failure since the last byte.
    var since: Duration
    /// The time of the next attempt.
    var due: Duration

    /// The number of failures in a row.
    var attempt: Int { backoff.failures }
  }

  private(set) var outage: Outage?
  /// The failure after which missing bytes are no longer requested, until a new reader is added.
  private(set) var failure: FetchFailure?
  /// The error with which the robot answered when it was asked about the recording itself.
  private(set) var robotSaid: RobotError?

  /// Returns true if a request may be sent now. While the robot is away, no request begins before the next attempt is
  /// due.
  func isDue(_ now: Duration) -> Bool { outage.map { now >= $0.due } ?? true }

  /// Records a new reader. After a temporary failure, the robot is then asked again at once. A replaced version and an
  /// untrusted robot are not asked for again.
  ///
  /// - Parameter isAlone: true if there is no other reader.
  mutating func readerCame(_ use: FetchPriority, isAlone: Bool, now: Duration) {
    switch failure {
    case .replaced, .final(.trust): break
    case .passing, .final, nil: failure = nil
    }
    guard use == .play else { return }
    outage?.due = now
    if isAlone { outage?.since = now }
  }

  /// Ends the state of a temporary failure, because a reader that has received the error reads again.
  ///
  /// - Returns: true if the robot is asked again.
  mutating func tryAgain() -> Bool {
    guard failure?.canPass == true else { return false }
    failure = nil
    outage = nil
    return true
  }

  mutating func bytesCame() { outage = nil }

  /// Records that a fetch, or a reader that bypasses the cache, has failed.
  ///
  /// - Parameters:
  ///   - isWaitedFor: true if a player waits.
  ///   - random: a number from 0 to 1.
  /// - Returns: true if no more bytes will arrive, so that all waiting readers must be informed.
  mutating func failed(
    _ failure: FetchFailure, isWaitedFor: Bool, random: Double, now: Duration, _ limits: MediaCacheLimits
  ) -> Bool {
    // If another server answers in the robot's place, no later failure changes that.
    if case .final(.trust)? = self.failure { return true }
    switch failure {
    case .replaced, .final:
      self.failure = failure
      outage = nil
      return true
    case .passing(let error):
      // Fetches that break off together are one failure. Otherwise six of them would wait as if the robot had been
      // asked six times.
      guard isDue(now) else { return false }
      var backoff = outage?.backoff ?? Backoff(from: limits.retryBase, upTo: limits.retryMaximum)
      backoff.failed()
      let pause = backoff.pause(atMost: isWaitedFor ? limits.retryWaiting : nil, random: random)
      outage = Outage(error: error, backoff: backoff, since: outage?.since ?? now, due: now + pause)
      return false
    }
  }

  /// Gives up on a robot that has failed for too long.
  ///
  /// - Parameter waitingSince: the time at which the longest wait began; nil if no reader waits.
  /// - Returns: true if the robot was given up, so that all waiting readers must be informed.
  mutating func giveUpIfTooLong(
    waitingSince: Duration?, isStoring: Bool, now: Duration, _ limits: MediaCacheLimits
  ) -> Bool {
    guard let outage, failure == nil else { return false }
    // While bytes are stored, the time counts only as long as a reader waits.
    guard let since = waitingSince.map({ max($0, outage.since) }) ?? (isStoring ? nil : outage.since),
      now - since >= limits.giveUp
    else { return false }
    failure = .passing(outage.error)
    self.outage = nil
    return true
  }

  /// - Parameter error: nil if the robot has exactly this version.
  mutating func robotSaid(_ error: RobotError?) { robotSaid = error }

  /// Forgets all failures, because the source was replaced: the robot is now asked over a connection that has not
  /// failed.
  mutating func openedAnew() {
    robotSaid = nil
    failure = nil
    outage = nil
  }
}
