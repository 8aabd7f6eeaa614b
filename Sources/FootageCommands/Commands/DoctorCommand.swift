internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import FootageServer
internal import FootageServing
internal import FootageSystem

/// The command `footage doctor`, which reports in a few lines what is wrong on this machine and what to do.
enum DoctorCommand: Command {
  static let usage = Usage(
    "doctor", "Reports what is wrong on this machine, and what to do.",
    options: [
      StatusOption.asking,
      .value("recordings", "DIR", "The folder that is served [the service's; without one, recordings]."),
      .value("certs", "DIR", "The folder with key and certificate [the service's; without one, certs]."),
      .value(
        "state-dir", "DIR", formerly: "state", "The folder of the catalog [the service's; without one, DIR/.footage]."),
      .value("listen", "HOST:PORT", "Where the server should listen [the service's address; without one, [::]:8443]."),
      .flag("settings", "Shows every setting of the server, not only those that differ from their defaults."),
    ],
    details: """
      Asks the server for its status. If none runs, checks what it would need: folder, disk, state, certificates, clock
      and port. Options that are not given are those of the running server, or else, where the package is installed,
      those in /etc/default/footage.

      Settings that differ from their defaults are shown with the place where each is set. They are those of the server
      that answers. If none does, they are those in the package's unit, a drop-in beside it (systemctl edit footage) and
      /etc/default/footage; without the package, those in the environment of this command. A variable that begins with
      FOOTAGE_ but belongs to no option is reported.

      Exits with 1 if something prevents recordings from being made or watched.
      """)

  static let tellsUnknownVariables = true

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    let defaults = ServiceDefaults.installed()
    let given = try StatusOption.place(arguments)
    let inDefaults = defaults["FOOTAGE_STATUS_LISTEN"].flatMap { try? StatusPlace($0) }
    let places = given.map { [$0] } ?? (StatusSocket.places() + [inDefaults].compactMap(\.self))
    let answered = StatusClient.settings(places)
    // The order of precedence: the command line, the settings of the running server, the settings of the service.
    func setting(_ option: String, _ variables: String...) -> String? {
      arguments[option] ?? answered?.first { $0.option == option }?.value
        ?? variables.lazy.compactMap { defaults[$0] }.first
    }
    let address = setting("listen", "FOOTAGE_LISTEN") ?? "[::]:8443"
    let listen: ListenAddress
    do throws(NetworkingError) { listen = try ListenAddress(address) } catch { throw UsageError("--listen: \(error)") }
    let examination = Examination(
      recordings: setting("recordings", "FOOTAGE_RECORDINGS") ?? "recordings",
      state: setting("state-dir", "FOOTAGE_STATE_DIR", "FOOTAGE_STATE"),
      certificates: setting("certs", "FOOTAGE_CERTS") ?? "certs", address: listen,
      clientAuthentication: answered?.first { $0.option == "client-auth" }?.value ?? defaults["FOOTAGE_CLIENT_AUTH"])
    let findings: [Finding]
    switch StatusClient.ask(places) {
    case .answered(let report, _, let place):
      findings =
        [Finding(.fine, "The server answers on \(place.words): \(StatusText.recordings(report)).")]
        + report.reasons.map { Finding($0) } + recordingFindings(StatusClient.findings([place]))
        + examination.besideServer()
    case .failed(let reason):
      let naming = naming(defaults)
      findings =
        examination.withoutServer(reason)
        + recordingFindings(
          LibraryFindings.ofCatalog(
            recordings: setting("recordings", "FOOTAGE_RECORDINGS") ?? "recordings",
            state: setting("state-dir", "FOOTAGE_STATE_DIR", "FOOTAGE_STATE"), naming: naming))
    }
    let showsAll = arguments.flag("settings")
    // A running server knows its own settings. Otherwise these are the settings that a server would start with.
    let settings =
      answered.map { $0.map { $0.placed(by: defaults) } } ?? ServerSetting.all(defaults, Process.variable)
    let all = findings + settingFindings(defaults, showsAll ? [] : settings)
    if showsAll { show(settings.map(\.words)) }
    show(Finding.text(all).split(separator: "\n").map(String.init))
    return all.contains { $0.kind == .failing } ? .failed : .done
  }

  private static func recordingFindings(_ findings: LibraryFindings?) -> [Finding] {
    findings.map { Finding.all($0) } ?? []
  }

  /// Returns the rules by which a server with these settings would read names. A setting that is not understood has a
  /// finding of its own.
  private static func naming(_ defaults: ServiceDefaults) -> RecordingNaming {
    let layout = Process.variable("FOOTAGE_LAYOUT") ?? defaults["FOOTAGE_LAYOUT"]
    let zone = Process.variable("FOOTAGE_NAME_ZONE") ?? defaults["FOOTAGE_NAME_ZONE"]
    return RecordingNaming(
      layout: layout.flatMap { try? RecordingLayout($0) },
      zone: (try? SystemTimeZones.ofThisProcess.zone(zone ?? "local") { _ in }) ?? .utc)
  }

  private static func show(_ lines: [String]) {
    Terminal.output(lines.map { Terminal.printable($0) + "\n" }.joined())
  }

  /// Returns findings about the settings: invalid switches, unknown variables, and settings that differ from their
  /// defaults.
  private static func settingFindings(_ defaults: ServiceDefaults, _ settings: [ServerSetting]) -> [Finding] {
    var places = EnvironmentNames.unknown(defaults.all.map(\.name)).map { name in
      (name: name, place: defaults.all.first { $0.name == name }?.place ?? "")
    }
    let told = Set(places.map(\.name))
    places += EnvironmentNames.unknownHere().filter { !told.contains($0) }.map { ($0, "the environment") }
    let unknown = places.map { "\(EnvironmentNames.words($0.name)) (\($0.place))." }
    let unfit = ServerSetting.unfitSwitches(defaults, Process.variable).map { "\($0)." }
    return unfit.map { Finding(.failing, $0) } + unknown.map { Finding(.degraded, $0) }
      + settings.filter { !$0.isStandard }.map { Finding(.fine, "\($0.words).") }
  }
}
