package import FootageAPI

/// A robot whose recordings are shown, and the keys that may have signed them.
package struct FleetRobot: Hashable, Sendable {
  /// The robot's name, with which the keys of its objects begin.
  package let name: String
  /// All keys that the robot ever had, in the order of the file.
  package let pins: [PublicKeyPin]

  package init(name: String, pins: [PublicKeyPin]) {
    self.name = name
    self.pins = pins
  }

  /// Compares names byte by byte, because two spellings of a letter are equal strings but belong to different robots.
  package static func == (one: FleetRobot, other: FleetRobot) -> Bool {
    ExactName(one.name) == ExactName(other.name) && one.pins == other.pins
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(ExactName(name)) }

  /// The prefix of its objects' keys, with the slash. Without the slash, a store would also list the keys of `robot70`
  /// for `robot7`.
  package var prefix: String { "\(name)/" }

  /// The length of the longest name, in bytes of UTF-8.
  package static let longestName = 128

  /// Returns true if the name can begin the keys of objects and the names of cameras. It must not contain a slash,
  /// which follows it in keys and names, nor a colon, which follows it in the names of cameras.
  package static func isName(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count) && name != "." && name != ".."
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }
      && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}
