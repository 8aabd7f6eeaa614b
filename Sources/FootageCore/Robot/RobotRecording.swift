public import FootageAPI
public import FootageBase

/// A recording as the robot listed it: its name, its state and its contents.
public struct RobotRecording: Hashable, Sendable {
  public typealias State = RecordingState
  public typealias Video = VideoFormat
  public typealias Audio = AudioFormat

  /// The source of the time at which a recording began.
  public enum StartSource: Hashable, Sendable {
    /// The recording's name, read by the layout that the robot's operator specified.
    case layout
    /// A timestamp in the recording's name.
    case name
    /// The creation time in the recording itself.
    case creation
    /// The last write to the recording's file, minus its duration.
    case file
    /// A source that a later robot may report.
    case other(String)
  }

  /// Its path below the recordings folder, without the extension: `front/2026-11-20T10-15-30`. A robot may send
  /// anything here, so do not use it as a path on this machine.
  public var name: String
  /// The name of its camera, as the robot lists it; nil if it has none.
  public var camera: String?
  /// Its state when it was listed.
  public var state: State
  /// True if its recorder was interrupted. The recording can be played up to the interruption.
  public var isRecovered: Bool
  /// True if the robot protects it: the robot does not delete it to make room.
  public var isKeptByRobot: Bool
  /// The size in bytes.
  public var size: UInt64
  /// The entity tag, strong and with its quotes; nil if there is nothing to play.
  public var entityTag: String?
  /// The time when it began, as precisely as the robot knows it.
  public var startedAt: UnixTime
  /// The source from which the robot knows when it began; nil if the robot is too old to state it.
  public var startSource: StartSource?
  /// True if it begins ahead of the robot's clock, so that either its time or the clock is wrong.
  public var startsInFuture: Bool
  /// The duration in seconds; nil while it is unknown.
  public var duration: Double?
  /// The longest time from a key frame to the next one, or to the end, in seconds. A seek may land this much before its
  /// target. Nil if it has no video, or the robot does not state it.
  public var keyInterval: Double?
  /// The format of its video; nil if it has none, or the format is unknown.
  public var video: Video?
  /// The format of its sound; nil if it has none, or the format is unknown.
  public var audio: Audio?
  /// All video tracks, in the file's order; empty if there are none, or if the robot does not state them. Films, clips
  /// and pictures show the one whose format is ``video``, unless they are requested with the number of another one.
  public var videoTracks: [VideoTrack] = []
  /// The time when the robot listed it, if it is from a remembered list: while the robot cannot be reached, lists
  /// contain what it listed last. Nil if the robot has just listed it.
  public var listedAt: UnixTime?
  /// The name of this version in URLs; nil if there is nothing to play, and for older robots.
  package var tag: ItemTag?
  /// The number of seconds by which the times of its film are later than those of its presentation; nil if there is no
  /// film.
  package var filmShift: UInt32?
  /// True if the robot serves this version under a URL of its own, for intermediate caches. Older robots do not.
  var hasVersionedURL: Bool
  /// The robot's description of the recording as JSON, including members that this client does not know; nil if it is
  /// longer than 64 KiB.
  package var itemJSON: String?

  /// The path where it may be stored below a folder of this machine: `front/2026-11-20T10-15-30.mp4`; nil for a name
  /// that would lead out of the folder, or to something hidden.
  public var relativePath: String? { LocalPath.relative(for: name) }
}

extension RobotRecording {
  /// Creates a recording that no robot has listed, for a preview or a test. The other properties can be set.
  ///
  /// - Parameters:
  ///   - name: such as `front/2026-11-20T10-15-30`; the first folder is its camera.
  ///   - startedAt: when it began.
  ///   - duration: in seconds; nil while it is unknown.
  ///   - size: in bytes.
  ///   - state: whether it can be played.
  ///   - video: nil for none.
  ///   - audio: nil for none.
  public init(
    name: String, startedAt: UnixTime, duration: Double? = nil, size: UInt64 = 0, state: State = .ready,
    video: Video? = nil, audio: Audio? = nil
  ) {
    let folders = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropLast()
    self.init(
      name: name, camera: folders.first.map { String(decoding: $0, as: UTF8.self) }, state: state, isRecovered: false,
      isKeptByRobot: false, size: size, entityTag: nil, startedAt: startedAt, startSource: .name,
      startsInFuture: false, duration: duration, keyInterval: nil, video: video, audio: audio, listedAt: nil, tag: nil,
      filmShift: nil, hasVersionedURL: false, itemJSON: nil)
  }
}

/// A moment, to the millisecond.
public struct UnixTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The seconds since 1970-01-01T00:00:00Z, rounded down.
  public var seconds: Int64
  /// The milliseconds within that second, 0 to 999.
  public var milliseconds: Int

  /// - Parameters:
  ///   - seconds: since 1970-01-01T00:00:00Z: `Int64(date.timeIntervalSince1970)` for Foundation's `Date`.
  ///   - milliseconds: after that second, 0 to 999.
  public init(seconds: Int64, milliseconds: Int = 0) {
    self.seconds = seconds
    self.milliseconds = min(max(milliseconds, 0), 999)
  }

  /// Reads `2026-11-20T10:15:30.250Z`, a time with an offset, or a date alone (RFC 3339 §5.6); nil for anything else.
  public init?(rfc3339 text: String) {
    guard let moment = UnixTimestamp(rfc3339: text) else { return nil }
    self.init(seconds: moment.seconds, milliseconds: moment.millisecondsOfSecond)
  }

  /// The moment in RFC 3339 form and UTC: `2026-11-20T10:15:30Z`, or `2026-11-20T10:15:30.250Z` within a second.
  public var description: String {
    milliseconds == 0
      ? CivilTime(unixSeconds: seconds).rfc3339 : UnixTimestamp(seconds: seconds, milliseconds: milliseconds).rfc3339
  }

  public static func < (one: UnixTime, other: UnixTime) -> Bool {
    (one.seconds, one.milliseconds) < (other.seconds, other.milliseconds)
  }
}
