internal import FootageStore
internal import FootageAPI
internal import FootageServer
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The command `footage serve`, the main command of the program.
enum ServeCommand: Command {
  static let usage = Usage(
    "serve", "Serves every recording in a folder over HTTPS, from any position, as soon as it appears.",
    options: [
      .value("recordings", "DIR", default: "recordings", "The folder that the recorder writes to."),
      .value(
        "certs", "DIR", default: "certs", "The folder with key and certificate, as scripts/gen-certs.sh makes it."),
      .value(
        "listen", "HOST:PORT", default: "[::]:8443",
        "Where to listen; HOST or PORT alone is enough, and port 0 means any free port."),
      .value(
        "client-auth", "none|optional|require", default: "none",
        "Whether clients are asked for a certificate from the authority in client-ca.pem (optional), or must have one "
          + "(require)."),
      .flag("no-crl", "Starts without certs/client-ca.crl: revoked certificates are not recognized."),
      .value("robot-name", "NAME", "The name of this robot in apps [the machine's name, without its domain]."),
      .value("threads", "N", "The number of event loops [2, or 1 on a single core]."),
      .value(
        "max-connections", "N", default: "1024",
        "The maximum number of connections; beyond it, a new one replaces an idle one."),
      .value(
        "max-connections-per-address", "N|none",
        "The maximum from one address, or one /64 of IPv6 [a quarter of all, and any number from this machine]."),
      .value(
        "max-rate", "RATE",
        "The maximum rate of sending: 8M is bits per second, 1MB bytes; K, M, G, or binary Ki, Mi, Gi [unlimited]."),
      .value(
        "max-rate-per-viewer", "RATE",
        "The maximum rate for each viewer, known by its certificate, or else by its address."),
      .values(
        "allow-origin", "ORIGIN",
        "Lets web pages of this origin, https://dash.example, list and play; repeatable, or separated by commas."),
      .value("log-level", "LEVEL", default: "info", "error, warning, info or debug."),
      .flag("access-log", "Logs every request, at level info."),
      .flag("manifests", "Signs a manifest of every recording, even before it is requested."),
      StateOption.folder,
      StatusOption.serving,
    ] + RetentionOptions.options + OffloadOptions.options + FleetOptions.options
      + NamingOptions.options,
    details: """
      [::], or no host, means every IPv4 and IPv6 address of the machine; localhost means both loopback addresses.

      Standard output gets the server's address and the pin of its key, one per line; the log goes to standard error. On
      SIGHUP, and when --certs has new files, the server reads the certificates again; viewers whose certificate was
      revoked or has expired are then disconnected within two seconds. SIGTERM lets running responses finish for up to
      10 seconds; a second one does not.

      \(RetentionOptions.details)

      \(OffloadOptions.details)

      \(FleetOptions.details)
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    let settings = try settings(arguments)
    let fleet = try FleetOptions.settings(arguments)
    guard let level = LogLevel(arguments["log-level"] ?? "") else {
      throw UsageError("--log-level must be error, warning, info or debug")
    }
    do throws(SystemError) {
      // This precedes the first thread, so that all threads leave signals to the one that reads them.
      let signals = try Signals()
      let lines = try LineWriter()
      defer { lines.close() }
      ResourceLimits.raiseOpenFiles()
      let log = Log(level: level, isUnderJournal: Process.isReadBySystemLog, to: lines)
      do throws(ServerError) {
        if let fleet {
          let server = try FleetServer(
            settings, fleet, zone: settings.naming.zone, log: log, manager: ServiceManager())
          try server.start()
          announce(server.address, server.pin, settings)
          server.run(until: signals)
          return .done
        }
        let server = try FolderServer(settings, log: log, manager: ServiceManager())
        try server.start()
        announce(server.address, server.pin, settings)
        return serve(server, signals, settings)
      } catch {
        return Terminal.failed(words(for: error))
      }
    } catch {
      return Terminal.failed(error)
    }
  }

  /// Prints the address of the server, and the pin that apps need.
  private static func announce(_ address: SocketAddress, _ pin: PublicKeyPin?, _ settings: ServerSettings) {
    // If the server listens on all addresses, the machine's name is what a person would type.
    let host = settings.address.host ?? Process.hostName ?? "localhost"
    Terminal.output("https://\(host):\(address.port)/\n")
    if let pin { Terminal.output("\(pin)\n") }
  }

  private static func serve(
    _ server: FolderServer, _ signals: borrowing Signals, _ settings: ServerSettings
  ) -> ExitCode {
    var hasShownExample = false
    server.run(until: signals) {
      guard !hasShownExample,
        let recording = server.recordings.page(of: ListQuery(state: .ready, limit: 1)).recordings.first
      else { return }
      hasShownExample = true
      // The example is for a person who has just started the server, and wants to see that it works.
      guard Process.isErrorTerminal else { return }
      let target = Resource.recording(name: recording.name, .movie(version: nil)).target
      let url = "https://localhost:\(server.address.port)\(target)"
      Terminal.error("\nTry: curl --cacert \(settings.certificates)/server.pem -r 0-65535 -o part.mp4 \(url)\n\n")
    }
    return .done
  }

  /// Returns a message about the failure, with the option that helps.
  private static func words(for error: ServerError) -> String {
    guard case .networking(let failure) = error else { return error.description }
    return switch failure.listenFailure {
    case .taken: "\(error) (stop it, or choose another port with --listen)"
    case .notAllowed: "\(error) (choose another with --listen)"
    case .noSuchAddress: "\(error) (choose one of its own with --listen)"
    case nil: error.description
    }
  }

  private static func addressLimit(_ arguments: ParsedArguments) throws(UsageError) -> AddressLimit {
    let name = "max-connections-per-address"
    switch arguments[name] {
    case nil: return .quarter
    case "none", "0": return .none
    default: return try arguments.number(name, 1...1_000_000).map { .count($0) } ?? .quarter
    }
  }

  private static func rate(_ name: StaticString, _ arguments: ParsedArguments) throws(UsageError) -> BitRate? {
    guard let text = arguments["\(name)"] else { return nil }
    return try RateText.read(text, option: name)
  }

  private static func settings(_ arguments: ParsedArguments) throws(UsageError) -> ServerSettings {
    var limits = TransportLimits()
    limits.connections = try arguments.number("max-connections", 1...1_000_000) ?? limits.connections
    limits.connectionsPerAddress = try addressLimit(arguments)
    limits.pacing = PacingLimits(
      total: try rate("max-rate", arguments), perViewer: try rate("max-rate-per-viewer", arguments))
    let cores = Process.coreCount
    let threads = try arguments.number("threads", 1...max(1, cores)) ?? min(2, cores)
    let authentication = arguments["client-auth"] ?? ""
    guard let clientAuthentication = ClientAuthentication(rawValue: authentication) else {
      throw UsageError("--client-auth must be none, optional or require, not '\(authentication)'")
    }
    let address: ListenAddress
    do throws(NetworkingError) { address = try ListenAddress(arguments["listen"] ?? "") } catch {
      throw UsageError("--listen: \(error)")
    }
    let robotName = arguments["robot-name"]
    if let robotName, robotName.allSatisfy(\.isWhitespace) { throw UsageError("--robot-name must not be blank") }
    var settings = ServerSettings(
      recordings: arguments["recordings"] ?? "", state: arguments["state-dir"], certificates: arguments["certs"] ?? "",
      address: address, clientAuthentication: clientAuthentication,
      worksWithoutRevocationList: arguments.flag("no-crl"), threads: threads, limits: limits,
      naming: try NamingOptions.naming(arguments), robotName: robotName, statusPlace: try StatusOption.place(arguments),
      accessLog: arguments.flag("access-log"))
    settings.allowedOrigins = try origins(arguments)
    settings.isAuthenticationChosen = arguments.isGiven("client-auth")
    settings.makesManifests = arguments.flag("manifests")
    settings.shown = ServerSetting.all(arguments)
    settings.retention = try RetentionOptions.rules(arguments)
    settings.keepShare = try RetentionOptions.keepShare(arguments)
    settings.offload = try OffloadOptions.settings(arguments, robotName: robotName)
    settings.retention.onlyStored = arguments.flag("offload-strict")
    return settings
  }

  private static func origins(_ arguments: ParsedArguments) throws(UsageError) -> [WebOrigin] {
    var origins: [WebOrigin] = []
    for word in (arguments["allow-origin"] ?? "").split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      guard let origin = WebOrigin(String(word)) else {
        throw UsageError(
          "--allow-origin must be an origin such as https://dash.example:8080, without a path, not '\(word)'")
      }
      guard origin.isTrustworthy else {
        throw UsageError(
          "--allow-origin accepts http: only for localhost, since anyone on the network path could alter another page "
            + "to read what this robot serves: use https://, not '\(word)'")
      }
      origins.append(origin)
    }
    return origins
  }
}
