/// The robot that a command line is about: where it is, how it is known, and who this is.

internal import FootageClient
internal import Storage

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

struct RobotAccess: Sendable {
  let robot: RobotConnection
  /// Those that were remembered; none where a pin was given.
  private let pairedPins: [PublicKeyPin]

  static let options: [Usage.Option] = [
    .value("robot", "HOST:PORT", "The robot. The only paired one need not be named; a paired one needs no pin."),
    .value("pin", "P", "The pin of the robot's key, sha256/…; several with commas between them."),
    .value("identity", "FILE", "PKCS#12 (.p12) or PEM, shown to a robot that asks who this is."),
    .value("passphrase-file", "FILE", "A file or pipe whose first line opens the identity."),
  ]

  init(_ arguments: ParsedArguments, cache: MediaCache? = nil) throws(CommandFailure) {
    let address: RobotAddress
    var pins: [PublicKeyPin] = []
    if let text = arguments["pin"] {
      for part in text.utf8.split(separator: UInt8(ascii: ",")) {
        guard let pin = PublicKeyPin(String(part) ?? "") else {
          throw .usage(UsageError("--pin has to be sha256/ and 44 characters of base64, and is '\(text)'"))
        }
        pins.append(pin)
      }
      guard let robot = arguments["robot"] else { throw .usage(UsageError("--pin needs --robot HOST:PORT")) }
      address = try Self.address(robot)
      pairedPins = []
    } else {
      (address, pins) = try Self.paired(try arguments["robot"].map(Self.address))
      pairedPins = pins
    }
    let identity = try Self.identity(arguments)
    do throws(RobotError) {
      robot = try RobotConnection(
        to: address.description, trusting: .pinned(keys: pins), as: identity, cache: cache
      ) { event in
        Terminal.say(event)
      }
    } catch {
      guard error == .identity(.wrongPassphrase), arguments["passphrase-file"] == nil else {
        throw .failed(ShellWords(robot: address, pairedPins: pairedPins).words(for: error))
      }
      throw .failed("the identity is locked: give a file with its passphrase (--passphrase-file FILE)")
    }
  }

  /// What a person should read of a failure.
  func words(for error: RobotError) -> String {
    ShellWords(robot: robot.address, pairedPins: pairedPins).words(for: error)
  }

  static func address(_ text: String) throws(CommandFailure) -> RobotAddress {
    guard let address = RobotAddress(text) else { throw .usage(UsageError(RobotError.address(text).description)) }
    return address
  }

  /// Whether there is a robot that need not be named.
  static var isAnyPaired: Bool { ((try? pairings().all()) ?? []).isEmpty == false }

  /// The store of pairings of whoever runs this (XDG Base Directory Specification).
  static func pairings() throws(CommandFailure) -> PairingStore {
    if let folder = ParsedArguments.variable("XDG_CONFIG_HOME"), folder.utf8.first == UInt8(ascii: "/") {
      return PairingStore(folder: "\(folder)/footage")
    }
    guard let home = ParsedArguments.variable("HOME"), !home.isEmpty else {
      throw .failed("there is no place for pairings: set HOME or XDG_CONFIG_HOME, or give --robot and --pin")
    }
    return PairingStore(folder: "\(home)/.config/footage")
  }

  private static func paired(_ robot: RobotAddress?) throws(CommandFailure) -> (RobotAddress, [PublicKeyPin]) {
    do throws(PairingError) {
      let store = try pairingsOrNone()
      guard let address = robot else {
        let all = try store?.all() ?? []
        guard let only = all.first, all.count == 1 else {
          throw .file(
            all.isEmpty
              ? "there is no robot yet: give --robot HOST:PORT and --pin, or pair with one (footage pair HOST)"
              : "there are several robots: say which one (--robot HOST:PORT)")
        }
        return (only.address, only.pins)
      }
      let pins = try store?.pins(of: address) ?? []
      guard !pins.isEmpty else {
        throw .file("\(address) is not paired: give its --pin, or pair with it (footage pair \(address))")
      }
      return (address, pins)
    } catch { throw .failed(error.description) }
  }

  private static func pairingsOrNone() throws(PairingError) -> PairingStore? { try? pairings() }

  private static func identity(_ arguments: ParsedArguments) throws(CommandFailure) -> IdentitySource? {
    guard let path = arguments["identity"] else { return nil }
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      guard file.length <= 1 << 20 else { throw StorageError("read", path, .wrongKind("too large for an identity")) }
      let bytes = try file.bytes(at: 0, count: Int(file.length))
      var passphrase: String?
      if let source = arguments["passphrase-file"] {
        passphrase = String(decoding: try FirstLine.read(from: source), as: UTF8.self)
      }
      // DER begins with a SEQUENCE (RFC 7292 §4), PEM with words.
      return bytes.first == 0x30
        ? .pkcs12(bytes, passphrase: passphrase ?? "") : .pem(bytes, passphrase: passphrase)
    } catch { throw .failed(error.description) }
  }
}
