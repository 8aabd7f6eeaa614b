internal import FootageCore

/// By whose keys a manifest may be signed.
struct ManifestSigners: Sendable {
  private let present: [PublicKeyPin]
  /// Of the same robots, of keys that they had before.
  private let earlier: [PublicKeyPin]

  /// - Parameters:
  ///   - pins: that a command line gives; none where it gives none.
  ///   - known: where there are pins, the robots of one of these count; else all of them.
  init(pins: [PublicKeyPin], of known: [PairingStore.Pairing]) {
    let meant = pins.isEmpty ? known : known.filter { !Set($0.pins + $0.earlier).isDisjoint(with: pins) }
    present = pins.isEmpty ? meant.flatMap(\.pins) : pins
    earlier = meant.flatMap { pins.isEmpty ? $0.earlier : $0.earlier + $0.pins }
  }

  /// Of a command line that asks no robot: pins, else the robot that is named, else all that were paired.
  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    let pins = try PinList.read(arguments)
    // Who gives a pin may have no pairings, or none that this user may read.
    let known = pins == nil ? try RobotAccess.paired() : (try? RobotAccess.paired()) ?? []
    if pins == nil, let text = arguments["robot"] {
      let address = try RobotAccess.address(text, among: known)
      self.init(pins: [], of: known.filter { $0.address == address })
    } else {
      self.init(pins: pins ?? [], of: known)
    }
    guard !all.isEmpty else {
      throw .failed("nobody's signature counts: say whose with --pin (server.pin), or pair with the robot")
    }
  }

  var all: [PublicKeyPin] { present + earlier }

  /// What is to be said of a key besides its pin.
  func words(for pin: PublicKeyPin) -> String {
    present.contains(pin) ? "" : ", an earlier key of this robot"
  }
}
