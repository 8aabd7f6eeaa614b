/// The state of an open recording. It describes the version, and is the same for all of its playbacks.
public struct PlaybackState: Hashable, Sendable {
  /// The activity between the cache and the robot.
  public enum Activity: Hashable, Sendable {
    /// Everything that is wanted is here.
    case idle
    /// Bytes are on their way.
    case loading
    /// A player waits, and no byte has come for two seconds.
    case stalled
    /// The fetch failed this many times in a row, and is retried by itself.
    case retrying(RobotError, attempt: Int)
    /// The fetch was given up, after a minute or, if the failure cannot pass, at once. It begins again with the next
    /// read; cached bytes play on. `RobotError.trust` means that another machine answers in the robot's place: then
    /// nothing is asked for until the recording is opened again.
    case failed(RobotError)
  }

  /// The current activity.
  public var activity: Activity
  /// The half-open ranges of cached bytes, in order, with a gap between each and the next.
  public var cachedBytes: [Range<UInt64>]
  /// The cached ranges on the recording's own time line, in seconds. These parts play without the robot, as a film if
  /// its sample index is here, otherwise as a file. Nil while neither the index nor the head is cached, or if there is
  /// none.
  public var cachedSeconds: [Range<Double>]?
  /// The length of the recording in bytes.
  public var length: UInt64
  /// The duration in seconds; nil while it is unknown.
  public var duration: Double?
  /// The speed of the bytes from the robot over the last few seconds.
  public var bytesPerSecond: Double
  /// True if all of the recording is durably on disk.
  public var isComplete: Bool
  /// The reason why no more bytes are kept: there is no room, or the folder failed. The recording plays all the same.
  public var storageProblem: FileFailure?
  /// The robot's answer when it was last asked about the recording and did not have these bytes to give: gone, not
  /// ready, not allowed, replaced, away. It is nil while there was no answer of this kind. Cached bytes play in any
  /// case.
  public var robotSaid: RobotError?

  /// - Parameters:
  ///   - activity: the current activity.
  ///   - cachedBytes: half-open, in order, with gaps between them.
  ///   - cachedSeconds: the same in seconds; nil if it is unknown.
  ///   - length: in bytes.
  ///   - duration: in seconds; nil while it is unknown.
  ///   - bytesPerSecond: the speed of the bytes from the robot.
  ///   - isComplete: true if all of the recording is durably on disk.
  ///   - storageProblem: the reason why no more bytes are kept.
  ///   - robotSaid: the robot's answer when it did not give these bytes.
  public init(
    activity: Activity = .idle, cachedBytes: [Range<UInt64>] = [], cachedSeconds: [Range<Double>]? = nil,
    length: UInt64, duration: Double? = nil, bytesPerSecond: Double = 0, isComplete: Bool = false,
    storageProblem: FileFailure? = nil, robotSaid: RobotError? = nil
  ) {
    self.activity = activity
    self.cachedBytes = cachedBytes
    self.cachedSeconds = cachedSeconds
    self.length = length
    self.duration = duration
    self.bytesPerSecond = bytesPerSecond
    self.isComplete = isComplete
    self.storageProblem = storageProblem
    self.robotSaid = robotSaid
  }
}
