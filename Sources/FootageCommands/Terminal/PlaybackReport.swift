internal import FootageCore
internal import FootageServing
internal import FootageSystem

/// The display of a playback's state: on a terminal a line that is redrawn, elsewhere one line for each trouble.
final class PlaybackReport: Sendable {
  private static let standardColumns = 80

  private let playback: Playback
  private let drawsBar: Bool
  private let words: PlayCommand.Words

  /// - Parameter words: returns the message about a failure for a person.
  init(_ playback: Playback, drawsBar: Bool, _ words: @escaping PlayCommand.Words) {
    self.playback = playback
    self.drawsBar = drawsBar && Terminal.drawsStatus
    self.words = words
  }

  /// Shows the state until the task is canceled.
  func run() async {
    var (told, toldOfRobot): (String?, RobotError?) = (nil, nil)
    for await state in playback.states() {
      if let trouble = PlaybackLine.robotTrouble(state), trouble != toldOfRobot {
        toldOfRobot = trouble
        say(trouble)
      }
      if drawsBar {
        let columns = Process.errorTerminalColumns ?? Self.standardColumns
        Terminal.show(status: PlaybackLine.text(state, columns: columns))
      } else if let words = PlaybackLine.news(state), words != told {
        told = words
        Terminal.error("\(Terminal.printable(playback.key.name)): \(words)\n")
      }
    }
  }

  /// Prints a message that must be read in full, above the status line.
  private func say(_ trouble: RobotError) {
    if case .trust = trouble {
      Terminal.say("ALARM: \(words(trouble)). Only what was cached before is played; nothing more is requested")
    } else {
      Terminal.say("\(words(trouble)); the cached part still plays")
    }
  }

  /// Ends the status line of the terminal.
  func end() { Terminal.endStatus(keeping: true) }
}
