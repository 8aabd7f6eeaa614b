internal import FootageBase
internal import FootageDigest

/// The key of a version's film: 32 hexadecimal digits of the SHA-256 of the rules for films, the recording's name, and
/// its entity tag.
///
/// A version that has another name, and a film that is cut by other rules, have another key. So the bytes at an address
/// never change, and an entity tag alone selects no film.
package struct FilmKey: Hashable, Sendable {
  /// The first 64 bits, and the 64 bits after them.
  private let first: UInt64
  private let second: UInt64

  /// The length of the text in characters.
  package static let length = 32

  /// The word for the rules by which films are made.
  private static let rules = "film\(FilmVersion.current)"

  /// - Parameters:
  ///   - name: the name as it is listed. On a server of many robots it begins with the robot's name and a slash.
  ///   - entityTag: the strong entity tag of the version, with or without its quotes.
  ///   - robot: the robot that made the recording, on a server of many robots; nil on a robot.
  package init(ofRecording name: String, entityTag: String, robot: String? = nil) {
    let quote = UInt8(ascii: "\"")
    var hashed = Array(Self.rules.utf8) + [0]
    if let robot {
      hashed += Array(robot.utf8) + [0] + NameBytes.bytes(of: FleetName.nameAtRobot(name, of: robot))
    } else {
      hashed += NameBytes.bytes(of: name)
    }
    hashed.append(0)
    hashed += entityTag.utf8.lazy.filter { $0 != quote }
    let digest = SHA256.hash(hashed)
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    (first, second) = (number(digest[..<8]), number(digest[8..<16]))
  }

  /// - Returns: nil if the text is anything but 32 hexadecimal digits in lower case.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == Self.length, text.utf8.allSatisfy(\.isLowercaseHexadecimalDigit),
      let first = UInt64(text.prefix(Self.length / 2), radix: 16),
      let second = UInt64(text.suffix(Self.length / 2), radix: 16)
    else { return nil }
    (self.first, self.second) = (first, second)
  }

  /// The 32 hexadecimal digits, in lower case.
  package var text: String { Hexadecimal.encode(bytes) }

  /// The 16 bytes that the digits stand for.
  package var bytes: [UInt8] {
    [first, second].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
  }

  /// A number for the distribution of keys over tables.
  package var shard: UInt64 { second }
}
