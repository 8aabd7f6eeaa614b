internal import FootageAPI
internal import FootageCore
internal import FootageServer
internal import Formats
internal import Networking
internal import FootageSystem
internal import TLS

/// `footage pair --qr`: what an app scans off the robot's console.
enum PairingCode {
  static let options: [Usage.Option] = [
    .flag("qr", "On the robot: shows the code that an app scans, and the same as text."),
    .value("certs", "DIR", "With --qr: key and certificate [as the service has them, else certs]."),
    .value("listen", "HOST:PORT", "With --qr: where the robot serves [as the service does, else [::]:8443]."),
    .value("robot-name", "NAME", "With --qr: what apps are to call it [as the service does, else the machine's name]."),
  ]

  static func show(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    let service = ServiceDefaults.installed()
    let folder = CertificateFolder(
      path: arguments["certs"] ?? service["FOOTAGE_CERTS"] ?? "certs", clientAuthentication: .none)
    let listen: ListenAddress
    do throws(NetworkingError) {
      listen = try ListenAddress(arguments["listen"] ?? service["FOOTAGE_LISTEN"] ?? "[::]:8443")
    } catch { throw UsageError("--listen: \(error)") }
    guard listen.port > 0 else { throw UsageError("--listen: port 0 is any: name the one where the robot serves") }
    let announcement: CertificateFolder.Announcement
    do throws(CertificateFolder.Failure) { announcement = try folder.announcement() } catch {
      return Terminal.failed(error)
    }
    let addresses = addresses(listen, announcement.names, machine: SocketAddress.ofThisMachine(port: listen.port))
    guard !addresses.isEmpty else {
      return Terminal.failed(
        "this machine has no address that an app could reach: connect it, or say with --listen HOST:PORT where it serves"
      )
    }
    let link: PairingLink
    do throws(PairingLinkError) {
      link = try PairingLink(
        name: arguments["robot-name"] ?? service["FOOTAGE_ROBOT_NAME"] ?? RobotDescription.machineName,
        addresses: addresses, pin: announcement.pin, next: announcement.next)
    } catch .name(let name) {
      throw UsageError("--robot-name: \(Terminal.printable(PairingLinkError.name(name).description))")
    } catch {
      return Terminal.failed(error)
    }
    if listen.isLoopback {
      Terminal.say("with --listen \(addresses[0]) nobody but this machine's own programs reaches the robot")
    }
    show(link)
    return .done
  }

  /// Standard output gets the code, where a terminal shows it, and the link as a line.
  private static func show(_ link: PairingLink) {
    guard Process.isOutputTerminal else { return Terminal.output("\(link)\n") }
    let code = drawing(of: link)
    let size = code.map(size)
    if let code, let size, size.columns <= Process.outputTerminalColumns ?? 80 {
      Terminal.output(code)
      if let lines = Process.outputTerminalLines, lines < size.lines {
        Terminal.say("the code has \(size.lines) lines, and this terminal \(lines): make its letters smaller")
      }
    } else if let size {
      Terminal.say("the code would have \(size.columns) columns, and this terminal has fewer: make its letters smaller")
    } else {
      Terminal.say("there is no qrencode to draw this as a code (apt-get install qrencode)")
    }
    Terminal.output("\(link)\n")
    Terminal.error("Scan the code with the app, or give it the text: footage pair 'footage:pair?…'\n")
  }

  /// In bytes, of what `qrencode` draws.
  private static let largestDrawing = 1 << 18

  /// Nil where there is no `qrencode`.
  private static func drawing(of link: PairingLink) -> String? {
    // The least correction of errors makes the smallest code: a screen is not dirty.
    let script = "qrencode --type=ANSIUTF8 --level=L -- \"$1\" 2>/dev/null"
    guard
      let drawn = try? ChildProcess.output(of: script, argument: link.description, limit: largestDrawing),
      !drawn.isEmpty
    else { return nil }
    return String(decoding: drawn, as: UTF8.self)
  }

  /// What a drawing takes of a terminal.
  private static func size(of drawing: String) -> (columns: Int, lines: Int) {
    let lines = drawing.split(separator: "\n")
    var columns = 0
    var isInSequence = false
    for character in lines.first ?? "" {
      // A control sequence ends with a letter (ECMA-48 §5.4).
      if character == "\u{1B}" {
        isInSequence = true
      } else if isInSequence {
        isInSequence = !character.isLetter
      } else {
        columns += 1
      }
    }
    return (columns, lines.count)
  }

  /// How many of each kind are said: a code that says more is larger.
  private static let mostHosts = 3
  private static let mostNumbersOfAKind = 2

  /// Where apps find the robot: by the names of its certificate, those of the local network first, since they stay; then
  /// by the numbers of the machine; then by those of its certificate, which may lead through somebody else's router.
  ///
  /// - Parameters:
  ///   - listen: where the robot serves.
  ///   - names: what its certificate was issued for.
  ///   - machine: its own addresses.
  static func addresses(
    _ listen: ListenAddress, _ names: [Certificate.SubjectName], machine: [SocketAddress]
  ) -> [RobotAddress] {
    let hosts = names.compactMap { if case .host(let host) = $0 { host } else { nil } }
      .filter { $0 != "localhost" && !$0.hasPrefix("*") }
    let numbers = names.compactMap { if case .address(let bytes) = $0 { bytes } else { nil } }
      .map { SocketAddress(addressBytes: $0, port: listen.port) }.filter { !$0.isLoopback && !$0.isWildcard }
    let isNamed = !listen.isLoopback
    let isLocal: (String) -> Bool = { $0.hasSuffix(".local") }
    let isDotted: (String) -> Bool = { $0.contains(".") }
    let ordered = hosts.filter(isLocal) + hosts.filter { isDotted($0) && !isLocal($0) } + hosts.filter { !isDotted($0) }
    var texts = isNamed ? ordered.prefix(mostHosts).map { HostPort(host: $0, port: listen.port).description } : []
    if let host = listen.host {
      texts.append("\(host):\(listen.port)")
    } else {
      let there = machine.map { SocketAddress(addressBytes: $0.addressBytes, port: listen.port) }
      texts += there.filter { !$0.isIPv6 }.prefix(mostNumbersOfAKind).map(\.description)
      texts += there.filter(\.isIPv6).prefix(1).map(\.description)
    }
    if isNamed { texts += numbers.prefix(mostNumbersOfAKind).map(\.description) }
    var addresses: [RobotAddress] = []
    for address in texts.compactMap({ RobotAddress($0) }) where !addresses.contains(address) {
      addresses.append(address)
    }
    return Array(addresses.prefix(PairingLink.mostAddresses))
  }
}
