/// The state of an open recording. It describes the version, and is the same for all of its playbacks.
public struct PlaybackState: Hashable, Sendable {
  /// The activity between the cache and the robot.
  public enum Activity: Hashable, Sendable {
    /// All bytes that readers want for now are cached, so nothing is fetched.
    case idle
    /// Bytes are being fetched.
    case loading
    /// A player waits, and no byte has arrived for two seconds.
    case stalled
    /// The fetch failed this many times in a row, and is retried automatically.
    case retrying(RobotError, attempt: Int)
    /// The fetch was given up: after a minute, or at once if the failure is permanent. It begins again with the next
    /// read; cached bytes can still be played. `RobotError.trust` means that another machine answers in place of the
    /// robot: then nothing is requested until the recording is opened again.
    case failed(RobotError)
  }

  /// The current activity.
  public var activity: Activity
  /// The half-open ranges of cached bytes, in order, with a gap between each and the next.
  public var cachedBytes: [Range<UInt64>]
  /// The cached ranges on the recording's own time line, in seconds. These parts can be played without the robot: as a
  /// film if its sample index is cached, otherwise as a file. Nil while neither the index nor the head of the file is
  /// cached, or if the recording has neither.
  public var cachedSeconds: [Range<Double>]?
  /// The length of the recording in bytes.
  public var length: UInt64
  /// The duration in seconds; nil while it is unknown.
  public var duration: Double?
  /// The speed of the bytes from the robot over the last few seconds.
  public var bytesPerSecond: Double
  /// True if all of the recording is durably on disk.
  public var isComplete: Bool
  /// The reason why no more bytes are kept: there is no room, or the folder failed. The recording can be played
  /// nevertheless.
  public var storageProblem: FileFailure?
  /// The robot's last answer about the recording, if it could not provide these bytes: the recording no longer exists,
  /// is not ready, is not allowed or was replaced, or the robot cannot be reached. It is nil if there was no answer of
  /// this kind. Cached bytes can be played in any case.
  public var robotSaid: RobotError?

  /// - Parameters:
  ///   - activity: the current activity.
  ///   - cachedBytes: half-open, in order, with gaps between them.
  ///   - cachedSeconds: the cached ranges in seconds; nil if they are unknown.
  ///   - length: in bytes.
  ///   - duration: in seconds; nil while it is unknown.
  ///   - bytesPerSecond: the speed of the bytes from the robot.
  ///   - isComplete: true if all of the recording is durably on disk.
  ///   - storageProblem: the reason why no more bytes are kept.
  ///   - robotSaid: the robot's last answer, if it could not provide these bytes.
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
