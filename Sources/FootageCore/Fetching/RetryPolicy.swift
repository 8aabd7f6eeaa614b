/// How often, and how patiently, lists, reads and downloads are tried again.
///
/// Only what can pass is tried again: a robot that is away, a connection that broke, 429 and 5xx. Lists, and what is
/// known of one recording, are tried for a few seconds at most, since somebody waits for them; downloads wait for the
/// robot.
public struct RetryPolicy: Hashable, Sendable {
  /// How long a download waits for a robot that is away: one that cannot be reached, or cannot answer now (429, 503).
  public enum Waiting: Hashable, Sendable {
    /// Until it is back, or the task is cancelled.
    case untilCancelled
    /// So long without a byte of progress.
    case atMost(Duration)
    /// As everything else: for as long as `retries` lasts.
    case retries
  }

  /// How often something is tried again without a byte of progress in between. For downloads this is about a robot that
  /// is there and does not get on.
  public var retries: Int
  /// The pause before the first retry, at most; it doubles from one to the next.
  public var base: Duration
  /// No pause is longer, whatever the robot asks for.
  public var maximum: Duration
  /// How long downloads wait for a robot that is away.
  public var downloads: Waiting

  /// The defaults pause for some twelve seconds in all, beside what the attempts themselves take, and have downloads
  /// wait for as long as their tasks are not cancelled.
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

/// How long a document of the robot's, a page of a list above all, is tried for: somebody looks at an empty screen.
package struct DocumentPatience: Hashable, Sendable {
  /// Until there is a connection. No try begins later, unless the robot has answered meanwhile.
  package var reaching = Duration.milliseconds(4500)
  /// How long a robot may say nothing before it is asked once more over a connection of its own: the one that was kept
  /// may lead to a robot that is off.
  package var silence = Duration.milliseconds(2000)
  /// Of everything, whatever the robot answers.
  package var whole = Duration.seconds(33)

  /// Of whatever is connected to from here on; a seam, so that a test of something else does not depend on how busy its
  /// machine is.
  @TaskLocal package static var standard = DocumentPatience()
}
