internal import FootageBase
internal import FootageAPI

/// The list of robots as a text with a line for each, `ROBOT sha256/… [sha256/…]`. The name is percent-encoded if it
/// has a blank. The keys are all that the robot ever had. A `#` at the start of a line, or after a blank, begins a
/// comment.
package enum RobotsFile {
  /// The length of the longest text in bytes: about ten thousand robots.
  package static let longestText = 4 << 20
  /// The largest number of robots in a file.
  package static let longestList = 10_000
  /// The largest number of keys of a robot.
  package static let mostPins = 64

  /// - Throws: `RobotsFault`.
  package static func robots(in text: [UInt8]) throws(RobotsFault) -> [FleetRobot] {
    guard text.count <= longestText else { throw RobotsFault(line: 0, .tooLong) }
    var robots: [FleetRobot] = []
    // As bytes: two spellings of a letter are equal strings, but two robots.
    var lines: [[UInt8]: Int] = [:]
    let split = TextBytes.withoutMark(text).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in split.enumerated() {
      do throws(RobotsFault.Reason) {
        guard let robot = try Self.robot(in: line) else { continue }
        if let first = lines[Array(robot.name.utf8)] { throw .repeated(robot.name, line: first) }
        guard robots.count < longestList else { throw .tooMany }
        lines[Array(robot.name.utf8)] = index + 1
        robots.append(robot)
      } catch { throw RobotsFault(line: index + 1, error) }
    }
    guard !robots.isEmpty else { throw RobotsFault(line: 0, .empty) }
    return robots
  }

  /// - Returns: nil for an empty line, or a comment.
  private static func robot(in line: ArraySlice<UInt8>) throws(RobotsFault.Reason) -> FleetRobot? {
    let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.prefix { $0.first != UInt8(ascii: "#") }
    guard let first = words.first else { return nil }
    guard let bytes = PercentEncoding.decode(first), let name = String(validating: bytes, as: UTF8.self) else {
      throw .undecodable
    }
    guard FleetRobot.isName(name) else { throw .badName(name) }
    var pins: [PublicKeyPin] = []
    for word in words.dropFirst() {
      let text = String(decoding: word, as: UTF8.self)
      guard let pin = PublicKeyPin(text) else { throw .badPin(text) }
      guard pins.count < mostPins else { throw .tooManyPins }
      if !pins.contains(pin) { pins.append(pin) }
    }
    guard !pins.isEmpty else { throw .noPin(name) }
    return FleetRobot(name: name, pins: pins)
  }
}

/// The reason why a text is not a list of robots.
package struct RobotsFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Error, Hashable, Sendable {
    case tooLong
    case empty
    case undecodable
    case badName(String)
    case badPin(String)
    case noPin(String)
    case tooManyPins
    /// The robot is already on this line of the file.
    case repeated(String, line: Int)
    case tooMany
  }

  /// The line, counted from 1; 0 for a fault of the file as a whole.
  package let line: Int
  package let reason: Reason

  init(line: Int, _ reason: Reason) {
    self.line = line
    self.reason = reason
  }

  package var description: String { line > 0 ? "line \(line): \(words)" : words }

  private var words: String {
    switch reason {
    case .tooLong: "it has more than \(RobotsFile.longestText >> 20) MiB, the limit for a list of robots"
    case .empty: "it names no robots: write a line for each, with its name and its key: ROBOT sha256/…"
    case .undecodable: "the robot's name is not percent-encoded UTF-8: write two hexadecimal digits after each %"
    case .badName(let name):
      """
      '\(Self.shown(name))' is not a valid robot name: use 1 to \(FleetRobot.longestName) bytes without slashes, \
      colons or control characters
      """
    case .badPin(let text):
      "'\(Self.shown(text))' is not a valid pin: use sha256/ and 44 characters of base64, as in server.pin"
    case .noPin(let name):
      "'\(Self.shown(name))' has no key, so nothing from it could be verified: add the pin in its server.pin, sha256/…"
    case .tooManyPins: "the robot has more than \(RobotsFile.mostPins) keys"
    case .repeated(let name, let line):
      "'\(Self.shown(name))' is already in line \(line): write all its keys in one line"
    case .tooMany: "there are more than \(RobotsFile.longestList) robots: serve them from several machines"
    }
  }

  /// Returns the text in a form that is short enough for a line of a log.
  private static func shown(_ text: String) -> String { TerminalControl.escaped(text, limit: 80) }
}
