package import FootageAPI

/// A robot whose recordings are shown, and by which keys they may be signed.
package struct FleetRobot: Hashable, Sendable {
  /// As its objects' keys begin.
  package let name: String
  /// All keys that it ever had, in the order of the file.
  package let pins: [PublicKeyPin]

  package init(name: String, pins: [PublicKeyPin]) {
    self.name = name
    self.pins = pins
  }

  /// Byte by byte: two spellings of a letter are equal strings, and two robots.
  package static func == (one: FleetRobot, other: FleetRobot) -> Bool {
    ExactName(one.name) == ExactName(other.name) && one.pins == other.pins
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(ExactName(name)) }

  /// Of its objects' keys, with the slash: an engine lists those of `robot70` under `robot7` as well.
  package var prefix: String { "\(name)/" }

  /// In bytes of UTF-8.
  package static let longestName = 128

  /// Whether objects can be kept below this name, and cameras be named after it: without a slash, which ends it in
  /// keys and names, and without a colon, which ends it in the names of cameras.
  package static func isName(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count) && name != "." && name != ".."
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }
      && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}
