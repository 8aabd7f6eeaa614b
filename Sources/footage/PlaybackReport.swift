/// How a playback shows its state: a line that is drawn again and again on a terminal, a line for each trouble elsewhere.

internal import FootageClient
internal import Networking
internal import Synchronization

final class PlaybackReport: Sendable {
  private static let barWidth = 24

  private let playback: Playback
  private let drawsBar: Bool
  private let hasLine = Mutex(false)

  init(_ playback: Playback, drawsBar: Bool) {
    self.playback = playback
    self.drawsBar = drawsBar && Process.isErrorTerminal
  }

  /// Until the task is cancelled.
  func run() async {
    var told: String?
    for await state in playback.states {
      if drawsBar {
        hasLine.withLock { $0 = true }
        Terminal.error("\r\(Self.bar(state))  \(Self.words(state))\u{1B}[K")
      } else if let words = Self.news(state), words != told {
        told = words
        Terminal.error("\(RecordingTable.printable(playback.key.name)): \(words)\n")
      }
    }
  }

  /// Leaves the line of a terminal.
  func end() {
    let hasLine = hasLine.withLock { hasLine in
      defer { hasLine = false }
      return hasLine
    }
    if hasLine { Terminal.error("\n") }
  }

  /// Where the cached bytes are: `#` all of that part, `-` some of it.
  static func bar(_ state: PlaybackState) -> String {
    let cells = (0..<barWidth).map { cell -> String in
      let start = Double(cell) / Double(barWidth) * Double(state.length)
      let end = Double(cell + 1) / Double(barWidth) * Double(state.length)
      let here = state.cachedBytes.reduce(0.0) { sum, range in
        sum + max(0, min(end, Double(range.upperBound)) - max(start, Double(range.lowerBound)))
      }
      return here >= end - start - 0.5 ? "#" : here > 0 ? "-" : "."
    }
    return "[\(cells.joined())]"
  }

  /// `45 % of 27.1 MB  8.2 MB/s`
  static func words(_ state: PlaybackState) -> String {
    let here = state.cachedBytes.reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound) }
    let percent = state.length == 0 ? 100 : Int(Double(here) / Double(state.length) * 100)
    var words = "\(percent) % of \(RecordingTable.size(state.length))"
    if state.bytesPerSecond > 0 { words += "  \(RecordingTable.size(UInt64(min(state.bytesPerSecond, 1e15))))/s" }
    if let news = news(state) { words += "  \(news)" }
    return words
  }

  /// What a person should know; nil while all is well.
  private static func news(_ state: PlaybackState) -> String? {
    switch state.activity {
    case .stalled: return "waiting for the robot"
    case .retrying(let reason, _): return "trying again: \(RecordingTable.printable(reason))"
    case .failed(let reason): return RecordingTable.printable(reason)
    case .idle, .loading: break
    }
    if state.isComplete { return "complete" }
    return state.storageProblem.map { "not kept: \(RecordingTable.printable($0))" }
  }
}
