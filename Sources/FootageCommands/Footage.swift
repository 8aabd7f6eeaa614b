internal import FootageServer
internal import FootageLibrary
internal import FootageSystem

/// The program, with one command line for the robot's side and the app's.
package enum Footage {
  /// Finds the command, runs it, and ends the process.
  package static func main() -> Never {
    StandardStreams.reserve()
    Process.exit(Terminal.exitCode(after: run(Array(CommandLine.arguments.dropFirst()))).rawValue)
  }

  static let commands: [any Command.Type] = [
    ServeCommand.self, IngestCommand.self, ListCommand.self, InspectCommand.self, ExportCommand.self, PairCommand.self,
    KeepCommand.self, ReleaseCommand.self, KeptCommand.self, FetchCommand.self, ClipCommand.self, PlayCommand.self,
    VerifyCommand.self, CacheCommand.self, RobotsCommand.self, StatusCommand.self, OffloadCommand.self,
    DoctorCommand.self,
  ]

  /// - Parameter arguments: the arguments without the program's name.
  static func run(_ arguments: [String]) -> ExitCode {
    guard let first = arguments.first else {
      Terminal.error(overview)
      return .usage
    }
    switch first {
    // The command with which `serve` and other commands start their child process. It is internal.
    case FileReaderProcess.command:
      FileReaderProcess.run()
      return .done
    case "--help", "-h", "help":
      return help(on: arguments.dropFirst())
    case "--version", "version":
      Terminal.output(VersionText.text)
      return .done
    default: break
    }
    guard let command = command(called: first) else { return .usage }
    do throws(UsageError) {
      let service = command.usage.isBesideService ? ServiceDefaults.installed() : nil
      let parsed = try ParsedArguments(
        Array(arguments.dropFirst()), for: command.usage, service: { service?[$0] })
      guard !parsed.wantsHelp else {
        Terminal.output(command.usage.help)
        return .done
      }
      if !command.tellsUnknownVariables {
        for name in EnvironmentNames.unknownHere() { Terminal.warn(EnvironmentNames.words(name)) }
      }
      return try command.run(parsed)
    } catch {
      Terminal.error("\(Terminal.errorMark)footage \(first): \(error)\n(footage \(first) --help explains it)\n")
      return .usage
    }
  }

  /// Runs `footage help` and `footage help COMMAND`, and the forms with which packages are built:
  /// `help --man [COMMAND]` and `help --bash-completion`.
  private static func help(on words: ArraySlice<String>) -> ExitCode {
    guard let word = words.first else {
      Terminal.output(overview)
      return .done
    }
    let usages = commands.map { $0.usage }
    switch word {
    case "--man":
      guard let name = words.dropFirst().first else {
        Terminal.output(ManualPage.ofProgram(usages))
        return .done
      }
      guard let command = command(called: name) else { return .usage }
      Terminal.output(ManualPage.of(command.usage))
      return .done
    case "--bash-completion":
      Terminal.output(BashCompletion.script(usages))
      return .done
    default: break
    }
    guard let command = command(called: word) else { return .usage }
    Terminal.output(command.usage.help)
    return .done
  }

  /// Returns the command of this name. If there is none, prints an error and returns nil.
  private static func command(called name: String) -> (any Command.Type)? {
    if let command = commands.first(where: { $0.usage.name == name }) { return command }
    Terminal.error("footage: there is no command '\(Terminal.printable(name))'\n\n\(overview)")
    return nil
  }

  static var overview: String {
    let width = commands.map { $0.usage.name.utf8.count }.max() ?? 0
    let lines = commands.map { command in
      let padding = String(repeating: " ", count: width - command.usage.name.utf8.count)
      return "  \(command.usage.name)\(padding)  \(command.usage.summary)\n"
    }
    return """
      footage: shows what a robot saw

      usage: footage COMMAND [OPTION]…

      \(lines.joined())
      footage COMMAND --help explains a command; footage --version shows the version.

      """
  }
}

/// The exit status of a process.
enum ExitCode: Int32 {
  case done = 0
  case failed = 1
  case usage = 64
}

/// A command of the program: its name and arguments, and its implementation.
protocol Command: SendableMetatype {
  static var usage: Usage { get }
  /// True if the command itself reports environment variables that belong to no option.
  static var tellsUnknownVariables: Bool { get }
  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode
}

extension Command {
  static var tellsUnknownVariables: Bool { false }
}
