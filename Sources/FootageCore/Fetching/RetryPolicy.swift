/// The rules for how often, and how patiently, lists, reads and downloads are tried again.
///
/// Only failures that can pass are tried again: a robot that is away, a connection that broke, 429 and 5xx. Lists, and
/// facts about one recording, are tried for a few seconds at most, since a person waits for them. Downloads wait for
/// the robot.
public struct RetryPolicy: Hashable, Sendable {
  /// The time that a download waits for a robot that is away: one that cannot be reached, or cannot answer now (429,
  /// 503).
  public enum Waiting: Hashable, Sendable {
    /// Until the robot is back or the task is cancelled.
    case untilCancelled
    /// Until this much time has passed without a byte of progress.
    case atMost(Duration)
    /// Until `retries` is used up, as for everything else.
    case retries
  }

  /// The number of retries without a byte of progress in between. For downloads, it applies to a robot that is there
  /// and makes no progress.
  public var retries: Int
  /// The longest pause before the first retry. It doubles from one retry to the next.
  public var base: Duration
  /// The longest pause, whatever the robot asks for.
  public var maximum: Duration
  /// The time that downloads wait for a robot that is away.
  public var downloads: Waiting

  /// Creates a policy. By default, the pauses last about twelve seconds in all, in addition to the attempts themselves,
  /// and downloads wait until their tasks are cancelled.
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

/// The time limits for a robot's document, above all for a page of a list: a person looks at an empty screen meanwhile.
package struct DocumentPatience: Hashable, Sendable {
  /// The time until there is a connection. No try begins later, unless the robot has answered meanwhile.
  package var reaching = Duration.milliseconds(4500)
  /// The time for which a robot may be silent before it is asked once more over a new connection. The connection that
  /// was kept may lead to a robot that is off.
  package var silence = Duration.milliseconds(2000)
  /// The time limit for the whole document, whatever the robot answers.
  package var whole = Duration.seconds(33)

  /// The limits for all connections that the current task makes. A test of something else can replace them, so that it
  /// does not depend on how busy its machine is.
  @TaskLocal package static var standard = DocumentPatience()
}
