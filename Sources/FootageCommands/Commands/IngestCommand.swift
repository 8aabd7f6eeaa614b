internal import FootageAPI
internal import FootageLibrary

/// The command `footage ingest`, which brings recordings into the folder from anywhere.
enum IngestCommand: Command {
  static let usage = Usage(
    "ingest", "Adds files to the recordings folder, indexes them and prints the URL path of each.",
    operands: "FILE…|--again NAME…|--again --all",
    options: [
      .value("recordings", "DIR", default: "recordings", "The folder that is served."),
      StateOption.folder,
      .flag("again", "Rebuilds recordings that an earlier version of Footage indexed, instead of adding files."),
      .flag("all", "With --again: all recordings that an earlier version's rules made."),
      .flag("json", "With --again: prints JSON, one object for each recording."),
      StatusOption.asking,
    ] + NamingOptions.options,
    details: """
      A file that no program is writing is linked, any other file is copied; a file that is already in the folder is
      indexed where it is. A refused file is not added. This works while a server is running: the URL answers as soon as
      this command has ended. Exits with 1 if a file was refused.

      A newer version of Footage may make a better header or sample index of a file. Recordings that are listed already
      stay as they are, so that what apps and browsers have kept of them stays valid. --again rebuilds those that are
      named, with or without the extension of the file, or --all that earlier rules made; footage doctor counts them.
      The recorder's file is only read. A recording that comes out differently is a new version with a new entity tag:
      apps load it again, and with --manifests a new manifest is signed. If a server serves the folder, it rebuilds them
      itself, one after the other; root and the server's own user may ask it to. Exits with 1 if one could not be
      rebuilt; it then stays as it was.
      """, isBesideService: true)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    if arguments.flag("again") { return try IngestAgain(arguments).run() }
    for option in ["all", "json"] where arguments.isTyped(option) {
      throw UsageError("--\(option) is only for --again")
    }
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
