internal import FootageCore
internal import FootageServing
internal import FootageSystem

/// How a playback shows its state: a line that is drawn again and again on a terminal, a line for each trouble
/// elsewhere.
final class PlaybackReport: Sendable {
  private static let standardColumns = 80

  private let playback: Playback
  private let drawsBar: Bool
  private let words: PlayCommand.Words

  /// - Parameter words: what a person should read of a failure.
  init(_ playback: Playback, drawsBar: Bool, _ words: @escaping PlayCommand.Words) {
    self.playback = playback
    self.drawsBar = drawsBar && Terminal.drawsStatus
    self.words = words
  }

  /// Until the task is cancelled.
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

  /// What has to be read whole, above the line that is drawn.
  private func say(_ trouble: RobotError) {
    if case .trust = trouble {
      Terminal.say("ALARM: \(words(trouble)). What plays is what was here before; nothing more is asked for")
    } else {
      Terminal.say("\(words(trouble)); what is here of it plays")
    }
  }

  /// Leaves the line of a terminal.
  func end() { Terminal.endStatus(keeping: true) }
}
