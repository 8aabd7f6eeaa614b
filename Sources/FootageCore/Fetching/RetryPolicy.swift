/// The rules for how often, and for how long, lists, reads and downloads are retried.
///
/// Only temporary failures are retried: a robot that cannot be reached, a connection that broke, 429 and 5xx. Requests
/// for lists and for facts about one recording are retried for a few seconds at most, because a person waits for them.
/// Downloads wait for the robot.
public struct RetryPolicy: Hashable, Sendable {
  /// The time that a download waits for a robot that is away: one that cannot be reached, or cannot answer now (429,
  /// 503).
  public enum Waiting: Hashable, Sendable {
    /// Until the robot is back or the task is canceled.
    case untilCancelled
    /// Until this much time has passed without a byte of progress.
    case atMost(Duration)
    /// Until `retries` is used up, which is also the limit for lists and reads.
    case retries
  }

  /// The number of retries in a row without a byte of progress. For downloads, it applies to a robot that can be
  /// reached but makes no progress.
  public var retries: Int
  /// The longest pause before the first retry. This limit doubles from one retry to the next.
  public var base: Duration
  /// The longest pause, whatever the robot asks for.
  public var maximum: Duration
  /// The time that downloads wait for a robot that is away.
  public var downloads: Waiting

  /// Creates a policy. By default, the pauses last about twelve seconds in all, in addition to the attempts themselves,
  /// and downloads wait until their tasks are canceled.
  public init(
    retries: Int = 6, base: Duration = .milliseconds(250), maximum: Duration = .seconds(10),
    downloads: Waiting = .untilCancelled
  ) {
    self.retries = retries
    self.base = base
    self.maximum = maximum
    self.downloads = downloads
  }
}

/// The time limits for a robot's document, above all for a page of a list: a person may be waiting at an empty screen.
package struct DocumentPatience: Hashable, Sendable {
  /// The time limit for getting a connection. After it, no attempt begins, unless the robot has answered meanwhile.
  package var reaching = Duration.milliseconds(4500)
  /// The time for which a robot may be silent before it is asked once more over a new connection. The existing
  /// connection may lead to a robot that has been switched off.
  package var silence = Duration.milliseconds(2000)
  /// The time limit for the whole document, whatever the robot answers.
  package var whole = Duration.seconds(33)

  /// The limits for all connections that the current task makes. Tests can replace them, so that their results do not
  /// depend on how busy the machine is.
  @TaskLocal package static var standard = DocumentPatience()
}
