/// How a download shows its progress: one line that is drawn again and again on a terminal, a line now and then elsewhere.

internal import FootageClient
internal import Networking
internal import Synchronization

final class ProgressReport: Sendable {
  private struct State {
    var lastLine: ContinuousClock.Instant?
    var hasLine = false
  }

  private static let interval = Duration.seconds(10)
  private static let barWidth = 24

  private let name: String
  private let isTerminal: Bool
  private let state = Mutex(State())

  init(_ name: String) {
    self.name = RecordingTable.printable(name)
    isTerminal = Process.isErrorTerminal
  }

  func show(_ progress: DownloadProgress) {
    guard isTerminal else { return showLine(progress) }
    state.withLock { $0.hasLine = true }
    Terminal.error("\r\(Self.bar(progress))  \(Self.words(progress))  \(name)\u{1B}[K")
  }

  /// Leaves the line of a terminal.
  func end() {
    let hasLine = state.withLock { state in
      defer { state.hasLine = false }
      return state.hasLine
    }
    if hasLine { Terminal.error("\n") }
  }

  private func showLine(_ progress: DownloadProgress) {
    let isDue = state.withLock { state in
      let now = ContinuousClock.now
      guard let last = state.lastLine else {
        state.lastLine = now
        return progress.received < progress.total
      }
      guard now - last >= Self.interval || progress.received == progress.total else { return false }
      state.lastLine = now
      return true
    }
    if isDue { Terminal.error("\(name): \(Self.words(progress))\n") }
  }

  static func bar(_ progress: DownloadProgress) -> String {
    let share = progress.total == 0 ? 1 : min(1, Double(progress.received) / Double(progress.total))
    let full = Int(share * Double(barWidth))
    return "[\(String(repeating: "#", count: full))\(String(repeating: ".", count: barWidth - full))]"
  }

  /// `45 %  12.3 MB of 27.1 MB  8.2 MB/s  0:02 left`
  static func words(_ progress: DownloadProgress) -> String {
    let percent = progress.total == 0 ? 100 : Int(Double(progress.received) / Double(progress.total) * 100)
    var words =
      "\(percent) %  \(RecordingTable.size(progress.received)) of \(RecordingTable.size(progress.total))"
      + "  \(RecordingTable.size(UInt64(max(0, min(progress.bytesPerSecond, 1e15)))))/s"
    if let remaining = progress.remaining, progress.received < progress.total {
      words += "  \(RecordingTable.length(Double(remaining.components.seconds))) left"
    }
    return words
  }
}
