internal import FootageCore

/// The keys by which a manifest may be signed.
struct ManifestSigners: Sendable {
  private let present: [PublicKeyPin]
  /// The pins of earlier keys of the same robots.
  private let earlier: [PublicKeyPin]

  /// - Parameters:
  ///   - pins: the pins on the command line; empty if there are none.
  ///   - known: all pairings. If there are pins, only the robots with one of these pins count.
  init(pins: [PublicKeyPin], of known: [PairingStore.Pairing]) {
    let meant = pins.isEmpty ? known : known.filter { !Set($0.pins + $0.earlier).isDisjoint(with: pins) }
    present = pins.isEmpty ? meant.flatMap(\.pins) : pins
    earlier = meant.flatMap { pins.isEmpty ? $0.earlier : $0.earlier + $0.pins }
  }

  /// Creates the signers for a command line that asks no robot: the pins, or else the named robot, or else all paired
  /// robots.
  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    let pins = try PinList.read(arguments)
    // A user who names a pin may have no pairings, or none that can be read.
    let known = pins == nil ? try RobotAccess.paired() : (try? RobotAccess.paired()) ?? []
    if pins == nil, let text = arguments["robot"] {
      let address = try RobotAccess.address(text, among: known)
      self.init(pins: [], of: known.filter { $0.address == address })
    } else {
      self.init(pins: pins ?? [], of: known)
    }
    guard !all.isEmpty else {
      throw .failed("no key is trusted yet: give one with --pin (server.pin), or pair with the robot")
    }
  }

  var all: [PublicKeyPin] { present + earlier }

  /// Returns a remark about a key, to be printed after its pin.
  func words(for pin: PublicKeyPin) -> String {
    present.contains(pin) ? "" : ", an earlier key of this robot"
  }
}
