internal import FootageAPI

/// The key of a recording in the cache: its robot and its name, for all of its versions. Both are compared byte by
/// byte, so that a composed `é` and a decomposed one make two recordings, as they do on the robot.
public struct RecordingKey: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
  /// The robot's permanent identifier, such as its pin.
  public let robot: String
  /// The name in the robot's list.
  public let name: String

  /// Creates a key. It equals the key of a ``Playback`` or of an entry of the cache if both parts are the same.
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

  /// Orders by name, then by robot.
  public static func < (one: RecordingKey, other: RecordingKey) -> Bool {
    (ExactName(one.name), ExactName(one.robot)) < (ExactName(other.name), ExactName(other.robot))
  }
}

/// One state of a recording's bytes. The same strong entity tag means the same bytes (RFC 9110 §8.8.1).
public struct RecordingVersion: Hashable, Codable, Sendable {
  /// The strong entity tag, with its quotes: `"x"`.
  public let tag: String
  /// The length in bytes.
  public let length: UInt64

  /// - Parameters:
  ///   - tag: strong, with its quotes.
  ///   - length: in bytes.
  public init(tag: String, length: UInt64) {
    self.tag = tag
    self.length = length
  }

  /// True if the tag is a strong one (RFC 9110 §8.8.3) and a file can have this length.
  public var isBindable: Bool {
    let bytes = tag.utf8
    return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
      && !bytes.dropFirst().dropLast().contains { $0 == UInt8(ascii: "\"") || $0 < 0x21 || $0 == 0x7F }
      && length <= UInt64(Int64.max)
  }
}
