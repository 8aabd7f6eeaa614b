/// The state of an open recording: of its version, for all of its playbacks together.
public struct PlaybackState: Hashable, Sendable {
  /// What is going on between the cache and the robot.
  public enum Activity: Hashable, Sendable {
    /// Nothing is wanted that is not here.
    case idle
    /// Bytes are on their way.
    case loading
    /// A player waits, and no byte has come for two seconds.
    case stalled
    /// Taken up again by itself, after this many failures in a row.
    case retrying(RobotError, attempt: Int)
    /// Given up, after a minute or at once where it cannot pass, until somebody reads again; what is cached plays on.
    /// With `RobotError.trust` somebody else answers in the robot's place: then nothing is asked for until the
    /// recording is opened anew.
    case failed(RobotError)
  }

  /// As of now.
  public var activity: Activity
  /// Half-open ranges of bytes, in order, with a gap between each and the next.
  public var cachedBytes: [Range<UInt64>]
  /// The same on the recording's own time line, in seconds: what plays without the robot, as a film where its sample
  /// index is here, else as it is. Nil while neither that nor its head is cached, or where it has none.
  public var cachedSeconds: [Range<Double>]?
  /// In bytes.
  public var length: UInt64
  /// In seconds; nil while it is not known.
  public var duration: Double?
  /// From the robot, over the last few seconds.
  public var bytesPerSecond: Double
  /// Whether all of it is on disk for good.
  public var isComplete: Bool
  /// Why nothing more is being kept: no room, or the folder failed. It plays all the same.
  public var storageProblem: FileFailure?
  /// What the robot said of the recording when it was last asked about it and did not have these bytes to give: gone,
  /// not ready, not allowed, replaced, away; nil while it said nothing of the kind. What is cached plays whatever it
  /// said.
  public var robotSaid: RobotError?

  /// - Parameters:
  ///   - activity: as of now.
  ///   - cachedBytes: half-open, in order, with gaps between them.
  ///   - cachedSeconds: the same in seconds; nil where it is not known.
  ///   - length: in bytes.
  ///   - duration: in seconds; nil while it is not known.
  ///   - bytesPerSecond: from the robot.
  ///   - isComplete: whether all of it is on disk for good.
  ///   - storageProblem: why nothing more is being kept.
  ///   - robotSaid: what the robot said and did not give these bytes.
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
