internal import FootageAPI
internal import FootageCore
internal import FootageServer
internal import FootageBase
internal import FootageServing
internal import FootageSystem
internal import FootageTLS

/// The command `footage pair --qr`, which shows the code that an app scans from the robot's console.
enum PairingCode {
  static let options: [Usage.Option] = [
    .flag("qr", "On the robot: shows the QR code that an app scans, and its link as text."),
    .value("certs", "DIR", "With --qr: the folder with key and certificate [the service's; without one, certs]."),
    .value(
      "listen", "HOST:PORT", "With --qr: where the robot listens [the service's address; without one, [::]:8443]."),
    .value(
      "robot-name", "NAME", "With --qr: the robot's name in apps [the service's; without one, the machine's name]."),
    .values(
      "at", "HOST[:PORT]", "With --qr: an address for apps, instead of those that this machine knows; repeatable."),
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
    guard listen.port > 0 else {
      throw UsageError("--listen: port 0 means any port: give the port on which the robot listens")
    }
    let announcement: CertificateFolder.Announcement
    do throws(CertificateFolder.Failure) { announcement = try folder.announcement() } catch {
      return Terminal.failed(error)
    }
    let addresses =
      try said(arguments, port: listen.port)
      ?? addresses(
        listen, announcement.names, machine: NetworkInterface.all(port: listen.port), hostName: Process.hostName)
    guard !addresses.isEmpty else {
      return Terminal.failed(
        "this machine has no address that an app could reach: connect it to a network, or give one with --at HOST"
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
      Terminal.say("with --listen \(addresses[0]), only programs on this machine can reach the robot")
    }
    show(link)
    return .done
  }

  /// Prints the code, if the terminal can show it, and the link as a line, to standard output.
  private static func show(_ link: PairingLink) {
    guard Process.isOutputTerminal else { return Terminal.output("\(link)\n") }
    let code = drawing(of: link)
    let size = code.map(size)
    if let code, let size, size.columns <= Process.outputTerminalColumns ?? 80 {
      Terminal.output(code)
      if let lines = Process.outputTerminalLines, lines < size.lines {
        Terminal.say("the code has \(size.lines) lines, but this terminal has \(lines): use a smaller font")
      }
    } else if let size {
      Terminal.say("the code needs \(size.columns) columns, but this terminal has fewer: use a smaller font")
    } else {
      Terminal.say("qrencode, which draws the code, is not installed (apt-get install qrencode)")
    }
    Terminal.output("\(link)\n")
    Terminal.error("Scan the code with the app, or use the text: footage pair 'footage:pair?…'\n")
  }

  /// The limit for the output of `qrencode`, in bytes.
  private static let largestDrawing = 1 << 18

  /// Returns the code as text; nil if `qrencode` is not installed.
  private static func drawing(of link: PairingLink) -> String? {
    // The lowest level of error correction makes the smallest code. It suffices because a screen is not dirty.
    let script = "qrencode --type=ANSIUTF8 --level=L -- \"$1\" 2>/dev/null"
    guard
      let drawn = try? ChildProcess.output(of: script, argument: link.description, limit: largestDrawing),
      !drawn.isEmpty
    else { return nil }
    return String(decoding: drawn, as: UTF8.self)
  }

  /// Returns the size of a drawing on a terminal.
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

  /// Returns the addresses of `--at`; nil if the option is not given.
  static func said(_ arguments: ParsedArguments, port: UInt16) throws(UsageError) -> [RobotAddress]? {
    guard let text = arguments["at"] else { return nil }
    var addresses: [RobotAddress] = []
    for word in text.split(separator: ",") {
      guard let address = RobotAddress(String(word), standardPort: port) else {
        throw UsageError("--at must be HOST or HOST:PORT, not '\(word)'")
      }
      address.sayReading(of: String(word))
      if !addresses.contains(address) { addresses.append(address) }
    }
    guard (1...PairingLink.mostAddresses).contains(addresses.count) else {
      throw UsageError("--at can be given up to \(PairingLink.mostAddresses) times, each with a HOST")
    }
    return addresses
  }

  /// The maximum number of host names in a code. More make it larger.
  private static let mostHosts = 3
  /// The maximum number of numeric addresses.
  private static let mostNumbers = 6

  /// The prefixes of interfaces of containers and virtual machines. No client from outside is in their networks.
  private static let virtualNames = [
    "docker", "veth", "virbr", "lxc", "lxd", "cni", "flannel", "cali", "vnet", "podman",
  ]
  /// The prefixes of tunnels. Only clients in the same tunnel reach the robot there.
  private static let tunnelNames = ["wg", "tailscale", "tun", "tap", "zt", "ppp", "utun"]

  /// Returns the addresses at which apps find the robot. The names in its certificate come first: the machine's present
  /// name, then names of the local network, because they do not change, then other names. An address in each of its
  /// networks follows. The last ones are the addresses in its certificate, which may lead through another party's
  /// router.
  ///
  /// - Parameters:
  ///   - listen: the address where the robot serves.
  ///   - names: the names and addresses for which its certificate was issued.
  ///   - machine: the interfaces of the machine.
  ///   - hostName: the machine's present name.
  static func addresses(
    _ listen: ListenAddress, _ names: [Certificate.SubjectName], machine: [NetworkInterface], hostName: String? = nil
  ) -> [RobotAddress] {
    let hosts = names.compactMap { if case .host(let host) = $0 { host } else { nil } }
      .filter { $0 != "localhost" && !$0.hasPrefix("*") }
    let numbers = names.compactMap { if case .address(let bytes) = $0 { bytes } else { nil } }
      .map { SocketAddress(addressBytes: $0, port: listen.port) }.filter { !$0.isLoopback && !$0.isWildcard }
    let isNamed = !listen.isLoopback
    let isLocal: (String) -> Bool = { $0.hasSuffix(".local") }
    let isDotted: (String) -> Bool = { $0.contains(".") }
    let byKind = hosts.filter(isLocal) + hosts.filter { isDotted($0) && !isLocal($0) } + hosts.filter { !isDotted($0) }
    let present = hostName.map { [$0.lowercased(), "\($0.lowercased()).local"] } ?? []
    let isPresent: (String) -> Bool = { present.contains($0.lowercased()) }
    let ordered = byKind.filter(isPresent) + byKind.filter { !isPresent($0) }
    var texts = isNamed ? ordered.prefix(mostHosts).map { HostPort(host: $0, port: listen.port).description } : []
    if let host = listen.host {
      texts.append("\(host):\(listen.port)")
    } else {
      texts += Self.numbers(of: machine, port: listen.port).map(\.description)
    }
    if isNamed { texts += numbers.prefix(mostNumbers).map(\.description) }
    var addresses: [RobotAddress] = []
    for address in texts.compactMap({ RobotAddress($0) }) where !addresses.contains(address) {
      addresses.append(address)
    }
    return Array(addresses.prefix(PairingLink.mostAddresses))
  }

  /// Returns one address for each network, starting with those that people are most likely to use. IPv4 is preferred,
  /// because every client supports it. If there is room, one IPv6 address is added.
  private static func numbers(of machine: [NetworkInterface], port: UInt16) -> [SocketAddress] {
    let ranked = machine.enumerated().filter { !isVirtual($0.element) }.sorted { one, other in
      let (first, second) = (rank(of: one.element), rank(of: other.element))
      return first == second ? one.offset < other.offset : first < second
    }.map { $0.element.addresses.map { SocketAddress(addressBytes: $0.addressBytes, port: port) } }
    let firsts = ranked.compactMap { addresses in addresses.first { !$0.isIPv6 } ?? addresses.first }
    let further = ranked.compactMap { addresses in addresses.first(where: \.isIPv6) }.filter { !firsts.contains($0) }
    return Array((firsts.prefix(mostNumbers) + further.prefix(1)).prefix(mostNumbers))
  }

  /// Returns a rank that is lower the more likely a phone is in the interface's network.
  private static func rank(of interface: NetworkInterface) -> Int {
    if isOf(tunnelNames, interface) { return 3 }
    if interface.isWireless { return 0 }
    return interface.hasDefaultRoute ? 1 : 2
  }

  private static func isVirtual(_ interface: NetworkInterface) -> Bool {
    isOf(virtualNames, interface) || belongsToContainers(interface.name)
  }

  /// Returns true for a bridge of Docker, which is named after the first 12 digits of its network's ID. A router's
  /// bridge to its network is named `br-lan`.
  private static func belongsToContainers(_ name: String) -> Bool {
    let number = name.utf8.dropFirst(3)
    return name.hasPrefix("br-") && number.count == 12 && number.allSatisfy { Hexadecimal.value($0) != nil }
  }

  private static func isOf(_ names: [String], _ interface: NetworkInterface) -> Bool {
    names.contains { interface.name.hasPrefix($0) }
  }
}
