internal import FootageCore
internal import FootageServing
internal import Synchronization
internal import FootageSystem

/// The display of a download's progress: on a terminal a line that is redrawn, elsewhere a line from time to time.
final class ProgressReport: Sendable {
  private struct State {
    var lastLine: ContinuousClock.Instant?
    var received: UInt64 = 0
  }

  private static let interval = Duration.seconds(10)
  private static let standardColumns = 80

  private let name: String
  private let counter: String
  private let drawsStatus = Terminal.drawsStatus
  private let state = Mutex(State())

  /// - Parameter place: the number of the download, starting at 1, and the number of all downloads.
  init(_ name: String, place: (number: Int, count: Int)) {
    self.name = Terminal.printable(name)
    counter = place.count > 1 ? "\(place.number)/\(place.count) " : ""
  }

  /// True if this run has received anything.
  var hasReceived: Bool { state.withLock { $0.received > 0 } }

  func show(_ progress: DownloadProgress) {
    state.withLock { $0.received = progress.received }
    guard drawsStatus else { return showLine(progress) }
    let columns = Process.errorTerminalColumns ?? Self.standardColumns
    Terminal.show(status: ProgressLine.text(progress, counter: counter, name: name, columns: columns))
  }

  /// - Parameter isKept: true if the line stays on the terminal.
  func end(keeping isKept: Bool = true) { Terminal.endStatus(keeping: isKept) }

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
    if isDue { Terminal.error("\(counter)\(name): \(ProgressLine.words(progress))\n") }
  }
}
