internal import FootageCore

/// The state of a playback in one line of a terminal, however narrow the terminal is.
enum PlaybackLine {
  private static let barWidths = 8...24

  /// Returns a line like `[####--....]  45% of 27.1 MB  8.2 MB/s  waiting for the robot`, without the parts that do
  /// not fit.
  ///
  /// - Parameter columns: the width of the terminal. The last column stays empty, because some terminals begin a new
  ///   line after it.
  static func text(_ state: PlaybackState, columns: Int) -> String {
    let room = max(0, columns - 1)
    let (percent, news) = (percent(state), news(state))
    let ofTotal = "\(percent) of \(RecordingTable.size(state.length))"
    // The total is dropped first, then the speed. A message for a person is cut off at its end.
    let choices = [[ofTotal, speed(state), news], [percent, speed(state), news], [percent, news]]
    let lines = choices.map { $0.compactMap { $0 }.joined(separator: "  ") }
    let line = lines.first { ProgressLine.width($0) <= room } ?? beginning(of: lines[2], columns: room)
    let barRoom = room - ProgressLine.width(line) - 4
    guard barRoom >= barWidths.lowerBound else { return line }
    return "\(bar(state, width: min(barRoom, barWidths.upperBound)))  \(line)"
  }

  /// Returns a bar that shows which bytes are cached: `#` for a part that is cached completely, `-` for one that is
  /// cached partially.
  private static func bar(_ state: PlaybackState, width: Int) -> String {
    let cells = (0..<width).map { cell -> String in
      let start = Double(cell) / Double(width) * Double(state.length)
      let end = Double(cell + 1) / Double(width) * Double(state.length)
      let here = state.cachedBytes.reduce(0.0) { sum, range in
        sum + max(0, min(end, Double(range.upperBound)) - max(start, Double(range.lowerBound)))
      }
      return here >= end - start - 0.5 ? "#" : here > 0 ? "-" : "."
    }
    return "[\(cells.joined())]"
  }

  private static func percent(_ state: PlaybackState) -> String {
    let here = state.cachedBytes.reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound) }
    return "\(state.length == 0 ? 100 : Int(Double(here) / Double(state.length) * 100))%"
  }

  private static func speed(_ state: PlaybackState) -> String? {
    guard state.bytesPerSecond > 0 else { return nil }
    return "\(RecordingTable.size(UInt64(min(state.bytesPerSecond, 1e15))))/s"
  }

  /// Returns a message that a person should see; nil while all is well.
  static func news(_ state: PlaybackState) -> String? {
    switch state.activity {
    case .stalled: return "waiting for the robot"
    // Trying again already implies that the robot cannot be reached.
    case .retrying(.unreachable(let reason), _): return "trying again: \(Terminal.printable(reason))"
    case .retrying(let error, _): return "trying again: \(Terminal.printable(error.description))"
    case .failed(.trust): return "ANOTHER MACHINE ANSWERS IN THE ROBOT'S PLACE"
    case .failed(let error): return Terminal.printable(error.description)
    case .idle, .loading: break
    }
    if state.isComplete { return "complete" }
    return state.storageProblem.map { "not cached: \(Terminal.printable($0.description))" }
  }

  /// Returns a problem with the robot that needs more words than a line has: another server answers in its place, the
  /// robot no longer has the recording, or this user may not see it.
  static func robotTrouble(_ state: PlaybackState) -> RobotError? {
    if case .failed(let error) = state.activity, !error.canPass { return error }
    return state.robotSaid.flatMap { $0.canPass ? nil : $0 }
  }

  private static func beginning(of text: String, columns: Int) -> String {
    var (kept, used) = ("", 1)
    for character in text {
      used += ProgressLine.width(String(character))
      guard used <= columns else { break }
      kept.append(character)
    }
    return columns > 0 ? kept + "…" : ""
  }
}
