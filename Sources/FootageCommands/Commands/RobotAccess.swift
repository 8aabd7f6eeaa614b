internal import FootageCore
internal import FootageBase
internal import FootageSystem

/// What a command is ended by before it has begun.
enum CommandFailure: Error, CustomStringConvertible {
  case usage(UsageError)
  case failed(String)

  var description: String {
    switch self {
    case .usage(let error): error.description
    case .failed(let words): words
    }
  }

  /// Says it, or hands a wrong command line on.
  func exitCode() throws(UsageError) -> ExitCode {
    switch self {
    case .usage(let error): throw error
    case .failed(let words): return Terminal.failed(words)
    }
  }

  /// As `exitCode`, where it is too late to hand a wrong command line on.
  func saidLate(by usage: Usage) -> ExitCode {
    guard case .usage(let error) = self else { return Terminal.failed(self) }
    Terminal.error("footage \(usage.name): \(error)\n(footage \(usage.name) --help explains it)\n")
    return .usage
  }
}

/// The robot that a command line is about: where it is, how it is known, and who this is.
struct RobotAccess: Sendable {
  let robot: RobotConnection
  /// By whose keys its manifests may be signed.
  let signers: ManifestSigners
  private let shell: ShellWords

  static let options: [Usage.Option] = [
    .optionalValue(
      "robot", "HOST:PORT|NAME", "The robot; alone it is the only paired one. A paired one needs no pin."),
    .value("pin", "P", "The pin of the robot's key, sha256/…, or a file of pins; several with commas between them."),
    .value("identity", "FILE", "PKCS#12 (.p12) or PEM, shown to a robot that asks who this is."),
    .value(
      "passphrase-file", "FILE", "A file or pipe whose first line opens the identity [asked for at a terminal]."),
    .value(
      "fleet", "HOST:PORT|NAME[/ROBOT]",
      "A paired server of many robots, for what the robot has no more, or while it is away; ROBOT is its name there."),
  ]

  /// - Parameter names: of recordings, as the command line has them: a URL among them says which robot is meant.
  init(
    _ arguments: ParsedArguments, cache: MediaCache? = nil, names: [String] = []
  ) async throws(CommandFailure) {
    let pins = try PinList.read(arguments)
    // Who gives a pin may have no pairings, or none that this user may read.
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
        // What is cached of a robot plays before anybody has answered: where nobody was met yet, who is there has to
        // prove one of the keys first.
        if cache != nil, !known.isEmpty, !Self.isKnown(named, address, known) {
          _ = try await RobotConnection.provenPin(at: address, among: known.flatMap(\.pins))
        }
        return try await Self.connect(
          toPaired: named, at: address, among: known, in: store, as: identity, cache: cache)
      }
      let pins = pins ?? []
      // Where one of them is a paired robot's, the cache is that robot's.
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
        Terminal.warn("the byte order mark in the passphrase's file is part of what opens the identity: keep it there")
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

  /// A robot that was paired.
  ///
  /// - Parameters:
  ///   - text: as a command line names it; nil where it is the only one. By its name it is looked for wherever it is.
  ///   - address: where it is said to be.
  static func connect(
    toPaired text: String?, at address: RobotAddress, among known: [PairingStore.Pairing], in store: PairingStore,
    as identity: IdentitySource?, cache: MediaCache? = nil
  ) async throws(RobotError) -> RobotConnection {
    guard let named = text.flatMap({ robot(named: $0, among: known) }) else {
      return try await RobotConnection(toPaired: address.description, in: store, as: identity, cache: cache)
    }
    return try await RobotConnection(toRobot: named, in: store, as: identity, cache: cache)
  }

  /// What a person should read of a failure.
  func words(for error: RobotError) -> String { shell.words(for: error) }

  /// The robot that goes by a name since somebody paired with it, or that ever had the key of a pin. What is the address
  /// of one that was paired is that robot's, whatever another one is called.
  static func robot(named text: String, among known: [PairingStore.Pairing]) -> PairingStore.Pairing? {
    if let address = RobotAddress(text), known.contains(where: { $0.address == address }) { return nil }
    if let named = known.first(where: { $0.name == text }) { return named }
    guard let pin = PublicKeyPin(text) else { return nil }
    return known.first { ($0.pins + $0.earlier).contains(pin) }
  }

  /// Whether a robot was met that a command line names like that.
  ///
  /// - Parameter text: nil where the command line names none, and the only one is meant.
  private static func isKnown(_ text: String?, _ address: RobotAddress, _ known: [PairingStore.Pairing]) -> Bool {
    known.contains { $0.address == address } || text.map { robot(named: $0, among: known) != nil } ?? true
  }

  /// Where a robot is that is named on a command line: by what it was called when somebody paired with it, or by its
  /// address.
  static func address(
    _ text: String, among known: [PairingStore.Pairing]
  ) throws(CommandFailure) -> RobotAddress {
    if let named = robot(named: text, among: known) { return named.address }
    guard let address = RobotAddress(text) else { throw .usage(UsageError(RobotError.address(text).description)) }
    return address
  }

  /// Whether there is a robot that need not be named.
  private static var isAnyPaired: Bool { ((try? pairings().all()) ?? []).isEmpty == false }

  /// Whether a command that takes a folder of recordings as well is about a robot: one was named, or there is no such
  /// folder here and none was named, but a robot was paired.
  static func isMeant(_ arguments: ParsedArguments) -> Bool {
    if arguments.isGiven("robot") || arguments.isGiven("pin") { return true }
    guard !arguments.isGiven("recordings"), let folder = arguments["recordings"] else { return false }
    return !FileTree.exists(folder) && isAnyPaired
  }

  /// The store of pairings of whoever runs this (XDG Base Directory Specification).
  static func pairings() throws(CommandFailure) -> PairingStore {
    if let folder = Process.variable("XDG_CONFIG_HOME"), folder.utf8.first == UInt8(ascii: "/") {
      return PairingStore(folder: "\(folder)/footage")
    }
    guard let home = Process.variable("HOME"), !home.isEmpty else {
      throw .failed("there is no place for pairings: set HOME or XDG_CONFIG_HOME, or give --robot and --pin")
    }
    return PairingStore(folder: "\(home)/.config/footage")
  }

  // MARK: What is paired

  /// All robots that were paired; none where there is no place for them.
  static func paired() throws(CommandFailure) -> [PairingStore.Pairing] {
    guard let store = try? pairings() else { return [] }
    do throws(PairingError) { return try store.all() } catch { throw .failed(error.description) }
  }

  /// Where the recordings are whose URLs a command line names.
  private static func shown(by names: [String]) throws(CommandFailure) -> RobotAddress? {
    do throws(UsageError) { return try RecordingNameText.robot(of: names) } catch { throw .usage(error) }
  }

  /// - Parameter shown: where a recording is by its URL.
  /// - Throws: where that is not the robot at the address, as far as is known.
  private static func expect(
    _ shown: RobotAddress, toBe address: RobotAddress, _ known: [PairingStore.Pairing]
  ) throws(CommandFailure) {
    let robots = met(at: address, known)
    // One robot may have been paired at two addresses.
    let isSame = met(at: shown, known).contains { one in
      robots.contains { !Set($0.cacheNames).isDisjoint(with: one.cacheNames) }
    }
    guard shown == address || isSame else {
      throw .usage(UsageError("the URL is of \(shown), and --robot of \(address): leave one of them out"))
    }
  }

  /// The robots that are, or once were, at an address.
  private static func met(at address: RobotAddress, _ known: [PairingStore.Pairing]) -> [PairingStore.Pairing] {
    known.filter { $0.address == address || $0.otherAddresses.contains(address) }
  }

  /// The robot that is named, or the only one that was paired.
  ///
  /// - Parameter text: how it is named; nil where it is not.
  private static func address(
    _ text: String?, _ arguments: ParsedArguments, _ known: [PairingStore.Pairing]
  ) throws(CommandFailure) -> RobotAddress {
    if let text { return try address(text, among: known) }
    guard arguments["pin"] == nil else { throw .usage(UsageError("--pin needs --robot HOST:PORT")) }
    guard let last = known.last else {
      throw .failed("there is no robot yet: give --robot HOST:PORT and --pin, or pair with one (footage pair HOST)")
    }
    // One robot may have been paired at two addresses.
    guard known.allSatisfy({ $0.pins.first == last.pins.first }) else {
      let robots = known.map { "--robot \($0.address)" }.joined(separator: ", ")
      throw .failed("there are several robots: say which one (\(robots))")
    }
    return last.address
  }

  // MARK: Without a robot

  /// Whose recording of this name is meant, as the cache knows it, without asking anybody: of the robot that the
  /// command line names, or of the only one that it is cached of.
  ///
  /// A robot that is named is that robot, or an error: nobody proves a key here.
  static func cached(
    _ text: String, _ arguments: ParsedArguments, in cache: MediaCache
  ) async throws(CommandFailure) -> RecordingKey {
    let known: [PairingStore.Pairing]
    do throws(CommandFailure) { known = try paired() } catch {
      // What is here plays without knowing any robot, unless one is named.
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
        throw .failed("the cache has no \(shown) of that robot; it has one of \(owners(of: all, known))")
      }
      throw .failed(ShellWords.notCached(shown))
    }
    // Under several keys of one robot, it is the first that new recordings go by.
    let owner = known.first { $0.cacheNames.contains(any.robot) }
    let names = owner?.cacheNames ?? [any.robot]
    guard keys.allSatisfy({ names.contains($0.robot) }) else {
      let count = Set(
        keys.map { key in known.firstIndex { $0.cacheNames.contains(key.robot) }.map(String.init) ?? key.robot })
      throw .failed("\(count.count) robots have a \(shown): say which with --robot: \(owners(of: keys, known))")
    }
    return names.lazy.map { RecordingKey(robot: $0, name: name) }.first { keys.contains($0) } ?? any
  }

  /// What the cache knows the robot by that a command line names: by what it is called, an address where it was met, a
  /// pin of a key that it has or had, or as `footage cache list` shows it. Named in several ways, it is each of them.
  ///
  /// - Parameters:
  ///   - url: where the recording is by its URL; nil where none is given.
  ///   - robots: all that the cache has something of.
  ///   - keys: of the recording that is wanted, for the words.
  /// - Returns: nil where the command line names none.
  /// - Throws: where there is no such robot.
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
    // A pin says enough of a robot that was never met where it is now.
    func put(_ names: Set<String>, _ address: RobotAddress) throws(CommandFailure) {
      if !names.isEmpty {
        readings.append(names)
      } else if pins == nil {
        let others = keys.isEmpty ? "" : "; the cache has \(shown) of \(owners(of: keys, known))"
        throw .failed("\(address) was never met, so nothing here is known to be its own\(others)")
      }
    }
    if let url { try put(Set(met(at: url, known).flatMap(\.cacheNames)), url) }
    if let text = arguments["robot"] {
      if let pairing = robot(named: text, among: known) {
        readings.append(Set(pairing.cacheNames))
      } else if let pin = PublicKeyPin(text) {
        readings.append([pin.description])
      } else if robots.contains(text) {
        // As the cache has it, of a robot that is known by a certificate or an authority.
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
      throw .failed("the command line names two robots: what --robot, --pin and the URL of \(shown) say has to be one")
    }
    return names
  }

  /// Whose recordings these are, as `--robot` takes them.
  private static func owners(of keys: Set<RecordingKey>, _ known: [PairingStore.Pairing]) -> String {
    let names = keys.map { key in
      known.first { $0.cacheNames.contains(key.robot) }.map(\.address.description) ?? key.robot
    }
    return Set(names).sorted().map { "--robot \(Terminal.printable($0))" }.joined(separator: ", ")
  }

  /// Asks a person for the passphrase of the identity.
  ///
  /// - Throws: `.failed` where no terminal is there, or nobody answers.
  private static func typedPassphrase(_ arguments: ParsedArguments) throws(CommandFailure) -> [UInt8] {
    guard Process.isInputTerminal, Process.isErrorTerminal else {
      throw .failed("the identity is locked: give a file with its passphrase (--passphrase-file FILE)")
    }
    Terminal.error("Passphrase of \(Terminal.printable(arguments["identity"] ?? "the identity")): ")
    let typed = HiddenInput.readLine(until: { Task.isCancelled })
    // The end of the line was not shown either.
    Terminal.error("\n")
    guard let typed else {
      throw .failed(Task.isCancelled ? "stopped" : "no passphrase was typed: the identity stays locked")
    }
    return typed
  }

  /// What is in the file of an identity.
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
