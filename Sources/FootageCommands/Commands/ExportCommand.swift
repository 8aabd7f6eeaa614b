internal import FootageLibrary

/// The command `footage export`, which writes a recording to a plain file as it is served.
enum ExportCommand: Command {
  static let usage = Usage(
    "export", "Writes a recording, as it is served, to a plain MP4 file that starts at once.", operands: "NAME",
    options: [
      .value("recordings", "DIR", default: "recordings", "The folder that is served."),
      StateOption.folder,
      .value(
        "output", "FILE|-", letter: "o",
        "The file to write; an existing one is replaced only by a complete one; - is standard output."),
    ] + NamingOptions.options,
    details: """
      NAME is the recording's name as footage list shows it. The file is byte for byte what the server sends. If the
      command exits with 0, the file is on the disk; otherwise, nothing was replaced.
      """, isBesideService: true)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard let name = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("name one recording, as footage list shows it")
    }
    guard let target = arguments["output"], !target.isEmpty else { throw UsageError("name the file to write: -o FILE") }
    let toOutput = OutputPath.isStandardOutput(target)
    if toOutput { try OutputPath.expectPipe(isOne: true) }
    let naming = try NamingOptions.naming(arguments)
    let library: RecordingLibrary
    do throws(CommandFailure) {
      library = try .reading(arguments, state: StateOption(ofFolder: arguments), naming: naming)
    } catch { return try error.exitCode() }
    do throws(LibraryError) {
      if toOutput { return try library.export(name) { Terminal.output($0) } ? .done : .failed }
      let bytes = try library.export(name, to: target)
      Terminal.error("footage: wrote \(bytes) bytes to \(target)\n")
      return .done
    } catch {
      return Terminal.failed(error)
    }
  }
}
