/// What an app can show of a recording while it plays and is fetched.

public struct PlaybackState: Hashable, Sendable {
  public enum Activity: Hashable, Sendable {
    /// Nothing is wanted that is not here.
    case idle
    case loading
    /// A player waits, and no byte has come for a while.
    case stalled
    /// Taken up again by itself, after this many failures in a row.
    case retrying(reason: String, attempt: Int)
    /// Given up until somebody reads again; what is cached plays on.
    case failed(reason: String)
  }

  public var activity: Activity
  /// In order, without gaps between touching ones.
  public var cachedBytes: [Range<UInt64>]
  /// The same on the recording's own time line; nil while its head is not cached, or where it has none.
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
  public var storageProblem: String?
}
