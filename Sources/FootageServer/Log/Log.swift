internal import FootageBase
internal import FootageServing
package import FootageSystem

/// How much a line of the log matters.
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

/// The log on standard error: one line an event, written by a thread of its own so that no loop waits for a terminal.
package struct Log: Sendable {
  package let level: LogLevel
  private let isUnderJournal: Bool
  private let output: LineWriter
  /// What the lines go by.
  let clock: Clock

  /// - Parameter isUnderJournal: whether systemd reads the lines, which puts the time there itself.
  package init(level: LogLevel, isUnderJournal: Bool, to output: LineWriter, clock: Clock = .system) {
    self.level = level
    self.isUnderJournal = isUnderJournal
    self.output = output
    self.clock = clock
  }

  package func isWanted(_ level: LogLevel) -> Bool { level <= self.level }

  /// In bytes; the longest path that the kernel takes fits in.
  private static let longestLine = 5_000

  package func callAsFunction(_ level: LogLevel, _ text: @autoclosure () -> String) {
    guard isWanted(level) else { return }
    write(level, text())
  }

  /// A line that is written whatever the level: who has changed what nobody can bring back.
  func always(_ text: String) { write(.info, text) }

  private func write(_ level: LogLevel, _ text: String) {
    // A name with a newline in it must not look like two events.
    let line = TerminalControl.escaped(text, limit: Self.longestLine)
    if isUnderJournal {
      output.write("<\(level.priority)>\(line)\n")
    } else {
      output.write("\(CivilTime(unixSeconds: clock.unixSeconds).rfc3339) \(level.name): \(line)\n")
    }
  }
}
