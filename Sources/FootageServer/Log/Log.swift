/// The log on standard error: one line an event, written by a thread of its own so that no loop waits for a terminal.

internal import Formats
internal import Networking

package enum LogLevel: Int, Comparable, CaseIterable, Sendable {
  case error, warning, info, debug

  package init?(_ name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  package var name: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .info: "info"
    case .debug: "debug"
    }
  }

  /// The priority of syslog (RFC 5424 §6.2.1), as systemd reads it off the front of a line (man 3 sd-daemon).
  fileprivate var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .info: 6
    case .debug: 7
    }
  }

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

package struct Log: Sendable {
  package let level: LogLevel
  private let isUnderJournal: Bool
  private let output: LineWriter

  /// - Parameter isUnderJournal: whether systemd reads the lines, which puts the time there itself.
  package init(level: LogLevel, isUnderJournal: Bool, to output: LineWriter) {
    self.level = level
    self.isUnderJournal = isUnderJournal
    self.output = output
  }

  package func isWanted(_ level: LogLevel) -> Bool { level <= self.level }

  package func callAsFunction(_ level: LogLevel, _ text: @autoclosure () -> String) {
    guard isWanted(level) else { return }
    // A name with a newline in it must not look like two events.
    let line = Self.onOneLine(text())
    if isUnderJournal {
      output.write("<\(level.priority)>\(line)\n")
    } else {
      output.write("\(CivilTime(unixSeconds: WallClock.unixSeconds).rfc3339) \(level.name): \(line)\n")
    }
  }

  private static func onOneLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
    var line: [UInt8] = []
    for byte in text.utf8 {
      if byte < 0x20 || byte == 0x7F {
        line.append(contentsOf: "\\x".utf8)
        line.append(Hexadecimal.digit(byte >> 4))
        line.append(Hexadecimal.digit(byte & 15))
      } else {
        line.append(byte)
      }
    }
    return String(decoding: line, as: UTF8.self)
  }
}
