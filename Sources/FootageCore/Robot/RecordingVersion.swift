internal import FootageAPI

/// What the cache knows a recording by: its robot and its name, whatever its bytes are just now. Both are compared byte
/// by byte, so that an `é` of one letter and one of two make two recordings, as they do on the robot.
public struct RecordingKey: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
  /// What tells the robot from others for good: its pin, say.
  public let robot: String
  /// As the robot lists it.
  public let name: String

  /// A key as a ``Playback`` or an entry of the cache shows it; the two together have to be the same.
  public init(robot: String, name: String) {
    self.robot = robot
    self.name = name
  }

  public var description: String { "recording \(name)" }

  public static func == (one: RecordingKey, other: RecordingKey) -> Bool {
    ExactName(one.name) == ExactName(other.name) && ExactName(one.robot) == ExactName(other.robot)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactName(name))
    hasher.combine(ExactName(robot))
  }

  /// By name, then by robot.
  public static func < (one: RecordingKey, other: RecordingKey) -> Bool {
    (ExactName(one.name), ExactName(one.robot)) < (ExactName(other.name), ExactName(other.robot))
  }
}

/// One state of a recording's bytes: under the same strong entity tag they are the same (RFC 9110 §8.8.1).
public struct RecordingVersion: Hashable, Codable, Sendable {
  /// Strong, quotes included: `"x"`.
  public let tag: String
  /// In bytes.
  public let length: UInt64

  /// - Parameters:
  ///   - tag: strong, quotes included.
  ///   - length: in bytes.
  public init(tag: String, length: UInt64) {
    self.tag = tag
    self.length = length
  }

  /// Whether the tag is a strong one (RFC 9110 §8.8.3) and the length one that a file can have.
  public var isBindable: Bool {
    let bytes = tag.utf8
    return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
      && !bytes.dropFirst().dropLast().contains { $0 == UInt8(ascii: "\"") || $0 < 0x21 || $0 == 0x7F }
      && length <= UInt64(Int64.max)
  }
}
