internal import FootageAPI
internal import FootageLibrary

/// The command `footage ingest`, which brings recordings into the folder from anywhere.
enum IngestCommand: Command {
  static let usage = Usage(
    "ingest", "Adds files to the recordings folder, indexes them and prints the URL path of each.", operands: "FILE…",
    options: [
      .value("recordings", "DIR", default: "recordings", "The folder that is served."),
      StateOption.folder,
    ] + NamingOptions.options,
    details: """
      A file that no program is writing is linked, any other file is copied; a file that is already in the folder is
      indexed where it is. A refused file is not added. This works while a server is running: the URL answers as soon as
      this command has ended. Exits with 1 if a file was refused.
      """, isBesideService: true)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard !arguments.operands.isEmpty else { throw UsageError("name the files to add") }
    var exitCode = ExitCode.done
    let naming = try NamingOptions.naming(arguments)
    do throws(LibraryError) {
      let library = try RecordingLibrary.besideServer(arguments, state: arguments["state-dir"], naming: naming)
      for file in arguments.operands {
        do throws(LibraryError) {
          let recording = try library.ingest(file: file)
          Terminal.output("\(Resource.recording(name: recording.name, .movie(version: nil)).target)\n")
        } catch {
          exitCode = Terminal.failed(error)
        }
      }
    } catch {
      return Terminal.failed(error)
    }
    return exitCode
  }
}

/// The messages of the library for a person at a command line.
enum LibraryWords {
  static func print(_ event: LibraryEvent) {
    // Refused files are in the list, with the reason.
    if case .refused = event { return }
    guard event.level == .warning || event.level == .error else { return }
    Terminal.say(event)
  }
}
