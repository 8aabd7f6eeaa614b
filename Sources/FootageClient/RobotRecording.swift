/// A recording as the robot lists it.

internal import Formats

public struct RobotRecording: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    /// It can be played.
    case ready
    /// The recorder writes to it.
    case recording
    /// It cannot be played, for this reason.
    case refused(String)
    /// What a later robot may come to say.
    case other(String)
  }

  public struct Video: Hashable, Sendable {
    /// RFC 6381: `avc1.64001F`.
    public var codec: String
    public var width: Int
    public var height: Int
    /// In frames a second; nil where it is not known.
    public var frameRate: Double?
  }

  public struct Audio: Hashable, Sendable {
    /// RFC 6381: `mp4a.40.2`.
    public var codec: String
    /// In Hz.
    public var sampleRate: Int
    public var channels: Int
  }

  /// Its path below the recordings' folder, without the extension: `front/2026-11-20T10-15-30`. A robot may send
  /// anything here, so it is no path on this machine.
  public var name: String
  public var camera: String?
  public var state: State
  /// It was cut off, and is whole again as far as it goes.
  public var isRecovered: Bool
  /// In bytes.
  public var size: UInt64
  /// Strong, quotes included; nil where there is nothing to be played.
  public var entityTag: String?
  public var startedAt: UnixTime
  /// In seconds.
  public var duration: Double?
  public var video: Video?
  public var audio: Audio?

  /// Where it is on the robot.
  var target: String { Self.target(of: name) }

  static func target(of name: String) -> String { "/recordings/\(PercentEncoding.encodePath(name)).mp4" }
}

/// A second.
public struct UnixTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Since 1970-01-01T00:00:00Z.
  public var seconds: Int64

  public init(seconds: Int64) { self.seconds = seconds }

  /// Reads `2026-11-20T10:15:30Z`, one with an offset, or a date alone (RFC 3339 §5.6); nil where it is something else.
  public init?(rfc3339 text: String) {
    guard let seconds = CivilTime.unixSeconds(rfc3339: text) else { return nil }
    self.seconds = seconds
  }

  public var description: String { CivilTime(unixSeconds: seconds).rfc3339 }

  public static func < (one: UnixTime, other: UnixTime) -> Bool { one.seconds < other.seconds }
}
