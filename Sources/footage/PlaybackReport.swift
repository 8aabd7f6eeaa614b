/// How a playback shows its state: a line that is drawn again and again on a terminal, a line for each trouble elsewhere.

internal import FootageClient
internal import Networking

final class PlaybackReport: Sendable {
  private static let standardColumns = 80

  private let playback: Playback
  private let drawsBar: Bool

  init(_ playback: Playback, drawsBar: Bool) {
    self.playback = playback
    self.drawsBar = drawsBar && Terminal.drawsStatus
  }

  /// Until the task is cancelled.
  func run() async {
    var told: String?
    for await state in playback.states {
      if drawsBar {
        let columns = Process.errorTerminalColumns ?? Self.standardColumns
        Terminal.show(status: PlaybackLine.text(state, columns: columns))
      } else if let words = PlaybackLine.news(state), words != told {
        told = words
        Terminal.error("\(Terminal.printable(playback.key.name)): \(words)\n")
      }
    }
  }

  /// Leaves the line of a terminal.
  func end() { Terminal.endStatus(keeping: true) }
}
