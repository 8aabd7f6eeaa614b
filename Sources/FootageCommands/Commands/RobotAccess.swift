internal import FootageCore
internal import FootageBase
internal import FootageSystem

/// A failure that ends a command before it has begun.
enum CommandFailure: Error, CustomStringConvertible {
  case usage(UsageError)
  case failed(String)

  var description: String {
    switch self {
    case .usage(let error): error.description
    case .failed(let words): words
    }
  }

  /// Prints the failure, or rethrows it if the command line is wrong.
  func exitCode() throws(UsageError) -> ExitCode {
    switch self {
    case .usage(let error): throw error
    case .failed(let words): return Terminal.failed(words)
    }
  }

  /// Prints the failure like `exitCode`, when it is too late to rethrow an error about the command line.
  func saidLate(by usage: Usage) -> ExitCode {
    guard case .usage(let error) = self else { return Terminal.failed(self) }
    Terminal.error("footage \(usage.name): \(error)\n(footage \(usage.name) --help explains it)\n")
    return .usage
  }
}

/// The robot that a command line is about: its address, the keys by which it is known, and the user's identity.
struct RobotAccess: Sendable {
  let robot: RobotConnection
  /// The keys by which its manifests may be signed.
  let signers: ManifestSigners
  private let shell: ShellWords

  static let options: [Usage.Option] = [
    .optionalValue(
      "robot", "HOST:PORT|NAME", "The robot; without a value, the only paired one. A paired robot needs no pin."),
    .value("pin", "P", "The pin of the robot's key, sha256/…, or a file of pins; several separated by commas."),
    .value("identity", "FILE", "The certificate and key, PKCS#12 (.p12) or PEM, for a robot that asks for them."),
    .value(
      "passphrase-file", "FILE",
      "A file or pipe whose first line is the identity's passphrase [asked for at a terminal]."),
    .value(
      "fleet", "HOST:PORT|NAME[/ROBOT]",
      "A paired server of many robots, used if the robot is away or lacks a recording; ROBOT is the robot's name there."
    ),
  ]

  /// - Parameter names: the names of recordings on the command line. A URL among them says which robot is meant.
  init(
    _ arguments: ParsedArguments, cache: MediaCache? = nil, names: [String] = []
  ) async throws(CommandFailure) {
    let pins = try PinList.read(arguments)
    // A user who names a pin may have no pairings, or none that can be read.
    let known = pins == nil ? try Self.paired() : (try? Self.paired()) ?? []
    let shown = try Self.shown(by: names)
    let named = arguments.isGiven("robot") ? arguments["robot"] : shown?.description
    let address = try Self.address(named, arguments, known)
    if let shown { try Self.expect(shown, toBe: address, known) }
    let file = try Self.identityFile(arguments)
    let readings = try file == nil ? nil : Self.passphrase(arguments)
    var identity = file?.source(readings?.passphrase)
    let store = try pins == nil ? Self.pairings() : nil
    let shell = ShellWords(
      robot: address, pairing: pins == nil ? known.first { $0.address == address } : nil, hasPin: pins != nil)
    self.shell = shell
    signers = ManifestSigners(pins: pins ?? [], of: pins == nil ? known.filter { $0.address == address } : known)
    let open = { (identity: IdentitySource?) async throws(RobotError) -> RobotConnection in
      if let store {
        // Cached recordings of a robot play before it has answered. If the named robot has never been met, the robot at
        // the address must first prove one of the known keys.
        if cache != nil, !known.isEmpty, !Self.isKnown(named, address, known) {
          _ = try await RobotConnection.provenPin(at: address, among: known.flatMap(\.pins))
        }
        return try await Self.connect(
          toPaired: named, at: address, among: known, in: store, as: identity, cache: cache)
      }
      let pins = pins ?? []
      // If one of the pins belongs to a paired robot, the cache is that robot's.
      let known = known.first { !Set($0.pins).isDisjoint(with: pins) }
      return try await RobotConnection(
        to: address.description, trusting: .pinned(keys: pins), earlierPins: known?.everyPin ?? [], as: identity,
        cache: cache)
    }
    let robot: RobotConnection
    do throws(RobotError) { robot = try await open(identity) } catch {
      guard error == .identity(.wrongPassphrase), let file, readings == nil || readings?.withMark != nil else {
        throw .failed(shell.words(for: error))
      }
      if let marked = readings?.withMark {
        identity = file.source(marked)
      } else {
        identity = file.source(try Self.typedPassphrase(arguments))
      }
      do throws(RobotError) { robot = try await open(identity) } catch { throw .failed(shell.words(for: error)) }
      if readings != nil {
        Terminal.warn("the byte order mark in the passphrase file is part of the passphrase: keep it there")
      }
    }
    let name = known.first { $0.address == address }?.name
    if let fleet = try FleetAccess(arguments, robot: name, among: known) {
      self.robot = try await fleet.behind(robot, as: identity)
    } else {
      self.robot = robot
    }
    self.robot.onEvent { Terminal.say($0) }
  }

  /// Connects to a paired robot.
  ///
  /// - Parameters:
  ///   - text: the robot's name on the command line; nil for the only one. A robot named by its name or pin is searched
  ///     for at any address.
  ///   - address: the expected address of the robot.
  static func connect(
    toPaired text: String?, at address: RobotAddress, among known: [PairingStore.Pairing], in store: PairingStore,
    as identity: IdentitySource?, cache: MediaCache? = nil
  ) async throws(RobotError) -> RobotConnection {
    guard let named = text.flatMap({ robot(named: $0, among: known) }) else {
      return try await RobotConnection(toPaired: address.description, in: store, as: identity, cache: cache)
    }
    return try await RobotConnection(toRobot: named, in: store, as: identity, cache: cache)
  }

  /// Returns the message about a failure for a person.
  func words(for error: RobotError) -> String { shell.words(for: error) }

  /// Returns the robot with the name that it got when it was paired, or with a pin that it has or had. If the text is
  /// the address of a paired robot, the result is nil: the address takes precedence over the name of another robot.
  static func robot(named text: String, among known: [PairingStore.Pairing]) -> PairingStore.Pairing? {
    if let address = RobotAddress(text), known.contains(where: { $0.address == address }) { return nil }
    if let named = known.first(where: { $0.name == text }) { return named }
    guard let pin = PublicKeyPin(text) else { return nil }
    return known.first { ($0.pins + $0.earlier).contains(pin) }
  }

  /// Returns true if the robot that the command line names has been met.
  ///
  /// - Parameter text: nil if the command line names no robot, and the only one is meant.
  private static func isKnown(_ text: String?, _ address: RobotAddress, _ known: [PairingStore.Pairing]) -> Bool {
    known.contains { $0.address == address } || text.map { robot(named: $0, among: known) != nil } ?? true
  }

  /// Returns the address of a robot that is named on a command line, by its name from pairing or by its address.
  static func address(
    _ text: String, among known: [PairingStore.Pairing]
  ) throws(CommandFailure) -> RobotAddress {
    if let named = robot(named: text, among: known) { return named.address }
    guard let address = RobotAddress(text) else { throw .usage(UsageError(RobotError.address(text).description)) }
    return address
  }

  /// True if at least one robot is paired, so that a command line need not name one.
  private static var isAnyPaired: Bool { ((try? pairings().all()) ?? []).isEmpty == false }

  /// Returns true if a command that also works with a folder of recordings is about a robot. That is so if a robot was
  /// named; or if no folder was named, the default one does not exist, and a robot was paired.
  static func isMeant(_ arguments: ParsedArguments) -> Bool {
    if arguments.isGiven("robot") || arguments.isGiven("pin") { return true }
    guard !arguments.isGiven("recordings"), let folder = arguments["recordings"] else { return false }
    return !FileTree.exists(folder) && isAnyPaired
  }

  /// Returns the user's store of pairings (XDG Base Directory Specification).
  static func pairings() throws(CommandFailure) -> PairingStore {
    if let folder = Process.variable("XDG_CONFIG_HOME"), folder.utf8.first == UInt8(ascii: "/") {
      return PairingStore(folder: "\(folder)/footage")
    }
    guard let home = Process.variable("HOME"), !home.isEmpty else {
      throw .failed("there is no folder for pairings: set HOME or XDG_CONFIG_HOME, or give --robot and --pin")
    }
    return PairingStore(folder: "\(home)/.config/footage")
  }

  // MARK: Pairings

  /// Returns all paired robots; none if there is no place for pairings.
  static func paired() throws(CommandFailure) -> [PairingStore.Pairing] {
    guard let store = try? pairings() else { return [] }
    do throws(PairingError) { return try store.all() } catch { throw .failed(error.description) }
  }

  /// Returns the robot's address in the URLs of recordings on a command line.
  private static func shown(by names: [String]) throws(CommandFailure) -> RobotAddress? {
    do throws(UsageError) { return try RecordingNameText.robot(of: names) } catch { throw .usage(error) }
  }

  /// - Parameter shown: the robot's address in the URL of a recording.
  /// - Throws: a usage error if the two addresses are known to belong to different robots.
  private static func expect(
    _ shown: RobotAddress, toBe address: RobotAddress, _ known: [PairingStore.Pairing]
  ) throws(CommandFailure) {
    let robots = met(at: address, known)
    // One robot may have been paired at two addresses.
    let isSame = met(at: shown, known).contains { one in
      robots.contains { !Set($0.cacheNames).isDisjoint(with: one.cacheNames) }
    }
    guard shown == address || isSame else {
      throw .usage(UsageError("the URL names the robot \(shown), but --robot names \(address): leave one of them out"))
    }
  }

  /// Returns the robots that are or were at an address.
  private static func met(at address: RobotAddress, _ known: [PairingStore.Pairing]) -> [PairingStore.Pairing] {
    known.filter { $0.address == address || $0.otherAddresses.contains(address) }
  }

  /// Returns the address of the named robot, or of the only paired one.
  ///
  /// - Parameter text: the robot's name; nil if it is not named.
  private static func address(
    _ text: String?, _ arguments: ParsedArguments, _ known: [PairingStore.Pairing]
  ) throws(CommandFailure) -> RobotAddress {
    if let text { return try address(text, among: known) }
    guard arguments["pin"] == nil else { throw .usage(UsageError("--pin needs --robot HOST:PORT")) }
    guard let last = known.last else {
      throw .failed("no robot is paired yet: give --robot HOST:PORT and --pin, or pair with one (footage pair HOST)")
    }
    // One robot may have been paired at two addresses.
    guard known.allSatisfy({ $0.pins.first == last.pins.first }) else {
      let robots = known.map { "--robot \($0.address)" }.joined(separator: ", ")
      throw .failed("several robots are paired: choose one (\(robots))")
    }
    return last.address
  }

  // MARK: Without a robot

  /// Returns the cached recording that a name means, without asking any robot. It belongs to the robot that the command
  /// line names, or to the only robot from which a recording of this name is cached.
  ///
  /// If a robot is named and has no such recording, that is an error. No robot has to prove its key for this.
  static func cached(
    _ text: String, _ arguments: ParsedArguments, in cache: MediaCache
  ) async throws(CommandFailure) -> RecordingKey {
    let known: [PairingStore.Pairing]
    do throws(CommandFailure) { known = try paired() } catch {
      // A cached recording plays without any known robot, unless one is named.
      guard !arguments.isGiven("robot") else { throw error }
      Terminal.say(error)
      known = []
    }
    let entries = await cache.entries().map(\.key)
    let name = RecordingNameText.readings(of: text).first { name in entries.contains { $0.hasName(name) } } ?? text
    let shown = Terminal.printable(name)
    let all = Set(entries.filter { $0.hasName(name) })
    var keys = all
    let url = try Self.shown(by: [text])
    if let names = try cacheNames(arguments, at: url, known, Set(entries.map(\.robot)), of: all, shown) {
      keys = keys.filter { names.contains($0.robot) }
    }
    guard let any = keys.first else {
      guard all.isEmpty else {
        throw .failed("the cache has no recording \(shown) of that robot, only of \(owners(of: all, known))")
      }
      throw .failed(ShellWords.notCached(shown))
    }
    // If it is cached under several keys of one robot, the first key is the one for new recordings.
    let owner = known.first { $0.cacheNames.contains(any.robot) }
    let names = owner?.cacheNames ?? [any.robot]
    guard keys.allSatisfy({ names.contains($0.robot) }) else {
      let count = Set(
        keys.map { key in known.firstIndex { $0.cacheNames.contains(key.robot) }.map(String.init) ?? key.robot })
      throw .failed("\(count.count) robots have a cached recording \(shown): choose one (\(owners(of: keys, known)))")
    }
    return names.lazy.map { RecordingKey(robot: $0, name: name) }.first { keys.contains($0) } ?? any
  }

  /// Returns the names under which the cache has the robot that a command line names. The robot may be named by its
  /// name, by an address where it was met, by a pin of a key that it has or had, or as `footage cache list` shows it.
  /// If it is named in several ways, all must agree.
  ///
  /// - Parameters:
  ///   - url: the robot's address in the recording's URL; nil if there is no URL.
  ///   - robots: all robots with cached recordings.
  ///   - keys: the keys of the requested recording, for messages.
  /// - Returns: nil if the command line names no robot.
  /// - Throws: a failure if there is no such robot.
  private static func cacheNames(
    _ arguments: ParsedArguments, at url: RobotAddress?, _ known: [PairingStore.Pairing], _ robots: Set<String>,
    of keys: Set<RecordingKey>, _ shown: String
  ) throws(CommandFailure) -> Set<String>? {
    var readings: [Set<String>] = []
    let pins = try PinList.read(arguments)
    if let pins {
      let meant = known.filter { !Set($0.pins).isDisjoint(with: pins) }
      readings.append(Set(meant.flatMap(\.cacheNames) + pins.map(\.description)))
    }
    // With a pin, the robot need not have been met at this address.
    func put(_ names: Set<String>, _ address: RobotAddress) throws(CommandFailure) {
      if !names.isEmpty {
        readings.append(names)
      } else if pins == nil {
        let others = keys.isEmpty ? "" : "; the cache has \(shown) of \(owners(of: keys, known))"
        throw .failed("no paired robot is known at \(address), so its cached recordings cannot be identified\(others)")
      }
    }
    if let url { try put(Set(met(at: url, known).flatMap(\.cacheNames)), url) }
    if let text = arguments["robot"] {
      if let pairing = robot(named: text, among: known) {
        readings.append(Set(pairing.cacheNames))
      } else if let pin = PublicKeyPin(text) {
        readings.append([pin.description])
      } else if robots.contains(text) {
        // This is the cache's name for a robot that is known by a certificate or an authority.
        readings.append([text])
      } else {
        guard let address = RobotAddress(text) else { throw .usage(UsageError(RobotError.address(text).description)) }
        let there = known.filter { $0.address == address }
        try put(Set((there.isEmpty ? met(at: address, known) : there).flatMap(\.cacheNames)), address)
      }
    } else if arguments.isGiven("robot") {
      let address = try Self.address(nil, arguments, known)
      readings.append(Set(known.filter { $0.address == address }.flatMap(\.cacheNames)))
    }
    guard var names = readings.first else { return nil }
    for other in readings.dropFirst() { names.formIntersection(other) }
    guard !names.isEmpty else {
      throw .failed("the command line names two robots: --robot, --pin and the URL of \(shown) must name the same one")
    }
    return names
  }

  /// Returns the owners of these recordings, as options `--robot`.
  private static func owners(of keys: Set<RecordingKey>, _ known: [PairingStore.Pairing]) -> String {
    let names = keys.map { key in
      known.first { $0.cacheNames.contains(key.robot) }.map(\.address.description) ?? key.robot
    }
    return Set(names).sorted().map { "--robot \(Terminal.printable($0))" }.joined(separator: ", ")
  }

  /// Asks a person for the passphrase of the identity.
  ///
  /// - Throws: `.failed` if there is no terminal, or no passphrase is typed.
  private static func typedPassphrase(_ arguments: ParsedArguments) throws(CommandFailure) -> [UInt8] {
    guard Process.isInputTerminal, Process.isErrorTerminal else {
      throw .failed("the identity is locked: give a file with its passphrase (--passphrase-file FILE)")
    }
    Terminal.error("Passphrase for \(Terminal.printable(arguments["identity"] ?? "the identity")): ")
    let typed = HiddenInput.readLine(until: { Task.isCancelled })
    // The end of the typed line was not shown either.
    Terminal.error("\n")
    guard let typed else {
      throw .failed(Task.isCancelled ? "stopped" : "no passphrase was typed: the identity stays locked")
    }
    return typed
  }

  /// The contents of an identity file.
  private struct IdentityFile {
    let bytes: [UInt8]

    func source(_ passphrase: [UInt8]?) -> IdentitySource {
      let text = passphrase.map { String(decoding: $0, as: UTF8.self) }
      // DER begins with a SEQUENCE (RFC 7292 §4), PEM with words.
      return bytes.first == 0x30 ? .pkcs12(bytes, passphrase: text ?? "") : .pem(bytes, passphrase: text)
    }
  }

  private static func identityFile(_ arguments: ParsedArguments) throws(CommandFailure) -> IdentityFile? {
    guard let path = arguments["identity"] else { return nil }
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      guard file.length <= 1 << 20 else { throw StorageError("read", path, .wrongKind("too large for an identity")) }
      return IdentityFile(bytes: try file.bytes(at: 0, count: Int(file.length)))
    } catch { throw .failed(error.description) }
  }

  private static func passphrase(_ arguments: ParsedArguments) throws(CommandFailure) -> PassphraseFile.Readings? {
    guard let source = arguments["passphrase-file"] else { return nil }
    do throws(StorageError) { return try PassphraseFile.readings(from: source) } catch {
      throw .failed(error.description)
    }
  }
}
