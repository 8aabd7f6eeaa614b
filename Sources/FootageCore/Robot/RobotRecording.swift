public import FootageAPI
public import FootageBase

/// A recording as the robot listed it: its name, its state, and what is in it.
public struct RobotRecording: Hashable, Sendable {
  public typealias State = RecordingState
  public typealias Video = VideoFormat
  public typealias Audio = AudioFormat

  /// By what a robot knows when a recording began.
  public enum StartSource: Hashable, Sendable {
    /// By its name, as the robot's operator says that names are to be read.
    case layout
    /// By a timestamp in its name.
    case name
    /// By the creation time in the recording itself.
    case creation
    /// By the last write to its file, less its duration.
    case file
    /// What a later robot may come to say.
    case other(String)
  }

  /// Its path below the recordings' folder, without the extension: `front/2026-11-20T10-15-30`. A robot may send
  /// anything here, so it is no path on this machine.
  public var name: String
  /// The first folder of its name; nil where it is in none.
  public var camera: String?
  /// As it was when it was listed.
  public var state: State
  /// It was cut off, and is whole again as far as it goes.
  public var isRecovered: Bool
  /// Whether the robot protects it: it does not delete it to make room.
  public var isKeptByRobot: Bool
  /// In bytes.
  public var size: UInt64
  /// Strong, quotes included; nil where there is nothing to be played.
  public var entityTag: String?
  /// When it began, as well as the robot knows.
  public var startedAt: UnixTime
  /// How the robot knows when it began; nil where an earlier robot does not say.
  public var startSource: StartSource?
  /// Whether it begins ahead of the robot's clock, so that one of the two is wrong.
  public var startsInFuture: Bool
  /// In seconds; nil while it is not known.
  public var duration: Double?
  /// The longest time from a key frame to the next, or to the end, in seconds: a seek may land so far before its aim; nil
  /// where it has no video, or the robot does not say.
  public var keyInterval: Double?
  /// Nil where it has no video, or none is known.
  public var video: Video?
  /// Nil where it has no sound, or none is known.
  public var audio: Audio?
  /// When the robot listed it, where that is not what it says now: while it is away, lists are what it listed last. Nil
  /// of what it has just said.
  public var listedAt: UnixTime?
  /// Names it in the URLs of its film; nil where there is nothing to be played, and of earlier robots.
  package var tag: FilmKey?
  /// By how many seconds the times of its film are later than those of its presentation; nil where there is no film.
  package var filmShift: UInt32?
  /// Whether the robot serves this version under a URL of its own, for caches in between; not so of earlier robots.
  var hasVersionedURL: Bool
  /// All that the robot said of it, as JSON, with what this client does not know; nil where that is longer than 64 KiB.
  package var itemJSON: String?

  /// Where it may go below a folder of this machine: `front/2026-11-20T10-15-30.mp4`; nil for a name that would lead
  /// out of the folder, or to something hidden.
  public var relativePath: String? { LocalPath.relative(for: name) }
}

extension RobotRecording {
  /// A recording that no robot has listed: for a preview, or a test. Whatever else a robot says can be set.
  ///
  /// - Parameters:
  ///   - name: `front/2026-11-20T10-15-30`: its camera is the first folder.
  ///   - startedAt: when it began.
  ///   - duration: in seconds; nil while it is not known.
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
  /// Since 1970-01-01T00:00:00Z, rounded down.
  public var seconds: Int64
  /// What is left of the second, 0 to 999.
  public var milliseconds: Int

  /// - Parameters:
  ///   - seconds: since 1970-01-01T00:00:00Z: `Int64(date.timeIntervalSince1970)` for Foundation's `Date`.
  ///   - milliseconds: behind that second, 0 to 999.
  public init(seconds: Int64, milliseconds: Int = 0) {
    self.seconds = seconds
    self.milliseconds = min(max(milliseconds, 0), 999)
  }

  /// Reads `2026-11-20T10:15:30.250Z`, one with an offset, or a date alone (RFC 3339 §5.6); nil where it is something
  /// else.
  public init?(rfc3339 text: String) {
    guard let moment = UnixTimestamp(rfc3339: text) else { return nil }
    self.init(seconds: moment.seconds, milliseconds: moment.millisecondsOfSecond)
  }

  /// As RFC 3339 writes it, in UTC: `2026-11-20T10:15:30Z`, or `2026-11-20T10:15:30.250Z` within a second.
  public var description: String {
    milliseconds == 0
      ? CivilTime(unixSeconds: seconds).rfc3339 : UnixTimestamp(seconds: seconds, milliseconds: milliseconds).rfc3339
  }

  public static func < (one: UnixTime, other: UnixTime) -> Bool {
    (one.seconds, one.milliseconds) < (other.seconds, other.milliseconds)
  }
}
