import FootageClient
import Foundation

/// A viewer of robots' recordings for the terminal.
@main
struct ViewerApp {
  static let commands = Command.ofRobots + Command.ofRecordings + Command.ofDevice + Command.ofMoments

  static func main() async {
    do {
      var arguments = try Arguments(CommandLine.arguments.dropFirst())
      guard let name = arguments.nextIfAny() else { return commands.forEach { tell($0.line) } }
      guard let command = commands.first(where: { $0.name == name }) else {
        throw Misuse("there is no command \(name)")
      }
      try await run(command, with: &arguments)
    } catch let misuse as Misuse {
      note("viewer: \(misuse.what)")
      exit(2)
    } catch {
      note(words(for: error))
      exit(1)
    }
  }

  /// Runs a command and closes the cache even if it fails, so that the next command finds what arrived.
  private static func run(_ command: Command, with arguments: inout Arguments) async throws {
    let viewer = try await Viewer(Home())
    do {
      try await command.run(viewer, &arguments)
    } catch {
      await viewer.cache.close()
      throw error
    }
    await viewer.cache.close()
  }
}

/// A command of the app.
struct Command: Sendable {
  let name: String
  let parameters: String
  let purpose: String
  let run: @Sendable (Viewer, inout Arguments) async throws -> Void

  var line: String {
    "viewer " + "\(name) \(parameters)".padding(toLength: 28, withPad: " ", startingAt: 0) + purpose
  }
}
