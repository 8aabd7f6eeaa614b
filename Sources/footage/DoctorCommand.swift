internal import FootageAPI
internal import FootageServer
internal import Networking
internal import FootageSystem

/// `footage doctor`: what is wrong on this machine, and what to do, in few lines.
enum DoctorCommand: Command {
  static let usage = Usage(
    "doctor", "Looks for what is wrong on this machine, and says what to do.",
    options: [
      StatusOption.asking,
      .value("recordings", "DIR", "The folder that is served [as the service has it, else recordings]."),
      .value("certs", "DIR", "Key and certificate [as the service has them, else certs]."),
      .value("state", "DIR", "Where the catalog lives [as the service has it, else DIR/.footage]."),
      .value("listen", "HOST:PORT", "Where the server should listen [as the service does, else [::]:8443]."),
    ],
    details: """
      Asks the server how it is; where none runs, looks at what it would need: folder, disk, state, certificates, clock and
      port. What is not given is what /etc/default/footage says, where the package is installed.

      Exits with 1 when something keeps the recordings from being made or watched.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    let defaults = ServiceDefaults.installed()
    let address = arguments["listen"] ?? defaults["FOOTAGE_LISTEN"] ?? "[::]:8443"
    let listen: ListenAddress
    do throws(NetworkingError) { listen = try ListenAddress(address) } catch { throw UsageError("--listen: \(error)") }
    let given = try StatusOption.place(arguments)
    let inDefaults = defaults["FOOTAGE_STATUS_LISTEN"].flatMap { try? StatusPlace($0) }
    let examination = Examination(
      recordings: arguments["recordings"] ?? defaults["FOOTAGE_RECORDINGS"] ?? "recordings",
      state: arguments["state"] ?? defaults["FOOTAGE_STATE"],
      certificates: arguments["certs"] ?? defaults["FOOTAGE_CERTS"] ?? "certs", address: listen,
      clientAuthentication: defaults["FOOTAGE_CLIENT_AUTH"])
    let places = given.map { [$0] } ?? (StatusSocket.places() + [inDefaults].compactMap(\.self))
    let findings: [Finding]
    switch StatusClient.ask(places) {
    case .answered(let report, _, let place):
      findings =
        [Finding(.fine, "The server answers on \(place.words): \(StatusWords.recordings(report)).")]
        + report.reasons.map { Finding($0) } + examination.besideServer()
    case .failed(let reason): findings = examination.withoutServer(reason)
    }
    Terminal.output(
      Finding.text(findings).split(separator: "\n").map { Terminal.printable(String($0)) + "\n" }.joined())
    return findings.contains { $0.kind == .failing } ? .failed : .done
  }
}
