internal import FootageBase

/// Whether the robot brings what it is asked for: what has failed, whether that can pass, and when it is tried again.
struct RobotAvailability: Sendable {
  /// The robot did not deliver, which can pass.
  struct Outage: Sendable {
    var error: RobotError
    var backoff: Backoff
    /// Of the first failure since the last byte.
    var since: Duration
    /// When it is tried again.
    var due: Duration

    /// How often in a row.
    var attempt: Int { backoff.failures }
  }

  private(set) var outage: Outage?
  /// Why missing bytes will not come, until somebody new asks.
  private(set) var failure: FetchFailure?
  /// What the robot said when it was asked about the recording itself.
  private(set) var robotSaid: RobotError?

  /// Whether a request may be sent now: while the robot is away nothing new is begun before its time.
  func isDue(_ now: Duration) -> Bool { outage.map { now >= $0.due } ?? true }

  /// Somebody begins to read: a reason to try again at once what had failed for the time being.
  ///
  /// - Parameter isAlone: whether nobody else reads.
  mutating func readerCame(_ use: FetchPriority, isAlone: Bool, now: Duration) {
    switch failure {
    case .replaced, .final(.trust): break
    case .passing, .final, nil: failure = nil
    }
    guard use == .play else { return }
    outage?.due = now
    if isAlone { outage?.since = now }
  }

  /// A reader that was told of a failure that can pass reads on.
  ///
  /// - Returns: whether it is tried again.
  mutating func tryAgain() -> Bool {
    guard failure?.canPass == true else { return false }
    failure = nil
    outage = nil
    return true
  }

  mutating func bytesCame() { outage = nil }

  /// A fetch, or a reader that goes past the cache, has failed.
  ///
  /// - Parameters:
  ///   - isWaitedFor: whether a player waits.
  ///   - random: 0 to 1.
  /// - Returns: whether nothing more will come, so that all who wait have to be told.
  mutating func failed(
    _ failure: FetchFailure, isWaitedFor: Bool, random: Double, now: Duration, _ limits: MediaCacheLimits
  ) -> Bool {
    // That somebody else answers is not undone by what fails after it.
    if case .final(.trust)? = self.failure { return true }
    switch failure {
    case .replaced, .final:
      self.failure = failure
      outage = nil
      return true
    case .passing(let error):
      // What breaks off together is one failure: six fetches must not wait as if the robot had been asked six times.
      guard isDue(now) else { return false }
      var backoff = outage?.backoff ?? Backoff(from: limits.retryBase, upTo: limits.retryMaximum)
      backoff.failed()
      let pause = backoff.pause(atMost: isWaitedFor ? limits.retryWaiting : nil, random: random)
      outage = Outage(error: error, backoff: backoff, since: outage?.since ?? now, due: now + pause)
      return false
    }
  }

  /// Gives up on a robot that has been away for too long.
  ///
  /// - Parameter waitingSince: since when somebody has been waiting.
  /// - Returns: whether it is given up, so that all who wait have to be told.
  mutating func giveUpIfTooLong(
    waitingSince: Duration?, isStoring: Bool, now: Duration, _ limits: MediaCacheLimits
  ) -> Bool {
    guard let outage, failure == nil else { return false }
    // Nobody's patience ends while nobody waits.
    guard let since = waitingSince.map({ max($0, outage.since) }) ?? (isStoring ? nil : outage.since),
      now - since >= limits.giveUp
    else { return false }
    failure = .passing(outage.error)
    self.outage = nil
    return true
  }

  /// - Parameter error: nil where it has this very version.
  mutating func robotSaid(_ error: RobotError?) { robotSaid = error }

  /// The robot is asked by a connection of which nothing is known yet.
  mutating func openedAnew() {
    robotSaid = nil
    failure = nil
    outage = nil
  }
}
