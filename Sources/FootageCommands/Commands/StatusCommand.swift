internal import FootageAPI
internal import FootageServer
internal import FootageSystem

/// The command `footage status`, which shows the status of the server on this machine.
enum StatusCommand: Command {
  static let usage = Usage(
    "status", "Shows the status of the server on this machine, and what to do.",
    options: [
      StatusOption.asking,
      .flag("json", "Prints the answer to GET /health, for programs."),
    ],
    details: """
      Asks over the socket that footage serve creates in $RUNTIME_DIRECTORY, /run/footage-status, /run/footage or
      $XDG_RUNTIME_DIR/footage. Members of the socket's group (footage-status in the package) and root may ask. footage
      doctor examines more, even if no server is running.

      Exits with 1 if the server is failing, or does not answer.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    switch StatusClient.ask(try StatusOption.places(arguments)) {
    case .failed(let reason):
      return Terminal.failed("no server reports its status: \(reason)")
    case .answered(let report, let text, _):
      Terminal.output(arguments.flag("json") ? text : words(for: report))
      return report.status == .failing ? .failed : .done
    }
  }

  private static func words(for report: HealthReport) -> String {
    var lines = ["\(report.status.rawValue): \(StatusText.recordings(report))"]
    lines += report.reasons.map { "  \($0.text)" }
    return lines.map { Terminal.printable($0) + "\n" }.joined()
  }
}

/// The option `--status-listen`, for the server and for the commands that ask it.
enum StatusOption {
  static let serving = Usage.Option.value(
    "status-listen", "PATH|HOST:PORT",
    "Where local programs may get /health and /metrics without a certificate: a socket, or a loopback address."
  )

  static let asking = Usage.Option.value(
    "status-listen", "PATH|HOST:PORT", "Where to ask: the --status-listen of footage serve [its own socket].")

  /// - Returns: nil if the option is not given.
  static func place(_ arguments: ParsedArguments) throws(UsageError) -> StatusPlace? {
    guard let text = arguments["status-listen"] else { return nil }
    do throws(StatusPlace.Unfit) { return try StatusPlace(text) } catch {
      throw UsageError("--status-listen: \(error.description)")
    }
  }

  /// Returns the places to ask.
  static func places(_ arguments: ParsedArguments) throws(UsageError) -> [StatusPlace] {
    if let place = try place(arguments) { return [place] }
    return StatusSocket.places()
  }
}

/// The text about a report, in addition to its reasons.
enum StatusText {
  /// The time at or above which a forecast is not shown, in seconds.
  private static let longestForecast: Int64 = 365 * 86_400

  /// The time below which a forecast counts as no room, in seconds.
  private static let shortestForecast: Int64 = 120

  /// Returns text like `812 recordings; at this rate the disk has room for 2.1 days`.
  static func recordings(_ report: HealthReport) -> String {
    let count = report.recordings == 1 ? "1 recording" : "\(report.recordings) recordings"
    guard let forecast = report.forecastSeconds, forecast < longestForecast else { return count }
    guard forecast >= shortestForecast else {
      // A disk that is filling up has a reason of its own in the report. There is none if old recordings are deleted to
      // make room.
      let isFilling = report.reasons.contains { [HealthCode.diskFull, .diskLow].map(\.rawValue).contains($0.code) }
      return isFilling ? count : "\(count); the oldest are deleted as new ones arrive"
    }
    return "\(count); at this rate the disk has room for \(HealthText.span(forecast))"
  }
}
