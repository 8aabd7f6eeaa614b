internal import FootageBase
internal import FootageServing
package import FootageSystem

/// The severity of a log line.
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

  /// The syslog priority (RFC 5424 §6.2.1). systemd reads it from the beginning of a line (man 3 sd-daemon).
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

/// The log on standard error, with one line per event. A separate thread writes it, so that no loop waits for a
/// terminal.
package struct Log: Sendable {
  package let level: LogLevel
  private let isUnderJournal: Bool
  private let output: LineWriter
  /// The clock for the times of the lines.
  let clock: Clock

  /// - Parameter isUnderJournal: true if systemd reads the lines. It adds the time itself.
  package init(level: LogLevel, isUnderJournal: Bool, to output: LineWriter, clock: Clock = .system) {
    self.level = level
    self.isUnderJournal = isUnderJournal
    self.output = output
    self.clock = clock
  }

  package func isWanted(_ level: LogLevel) -> Bool { level <= self.level }

  /// The length of the longest line, in bytes. The longest path that the kernel accepts fits in it.
  private static let longestLine = 5_000

  package func callAsFunction(_ level: LogLevel, _ text: @autoclosure () -> String) {
    guard isWanted(level) else { return }
    write(level, text())
  }

  /// Writes a line at any log level. It is for changes that cannot be undone; the line names the person who made the
  /// change.
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
