/// The file of pairings as a value: what it says, and what may be changed in it.
///
/// A line a robot: `HOST:PORT`, its present pin, those that were announced, and `earlier:` before each that it had
/// before, the oldest first. What a person wrote between them, empty lines and those that begin with `#`, stays. A
/// program that knows no earlier pins says that the line makes no sense, and trusts nobody for one.
package struct PairingFile: Equatable {
  typealias Pairing = PairingStore.Pairing

  private enum Line: Equatable {
    /// As it stands there.
    case note([UInt8])
    case pairing(Pairing)
  }

  private var lines: [Line] = []

  private static let earlierMark = Array("earlier:".utf8)

  /// Of no robots.
  init() {}

  /// Reads it. A line that makes no sense is not passed over, since it may be the one that matters.
  ///
  /// - Throws: `PairingError.unreadable`.
  package init(_ bytes: [UInt8], path: String) throws(PairingError) {
    var texts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // Behind the last line feed nothing begins.
    if texts.last?.isEmpty == true { texts.removeLast() }
    for (index, text) in texts.enumerated() {
      let words = text.split(separator: UInt8(ascii: " "))
      guard let first = words.first, first.first != UInt8(ascii: "#") else {
        lines.append(.note(Array(text)))
        continue
      }
      guard let pairing = Self.pairing(String(decoding: first, as: UTF8.self), words.dropFirst()) else {
        throw .unreadable(path, line: index + 1)
      }
      lines.append(.pairing(pairing))
    }
  }

  private static func pairing(_ address: String, _ words: ArraySlice<ArraySlice<UInt8>>) -> Pairing? {
    guard let address = RobotAddress(address) else { return nil }
    var pairing = Pairing(address: address, pins: [])
    for word in words {
      let isEarlier = word.starts(with: earlierMark)
      let digits = isEarlier ? word.dropFirst(earlierMark.count) : word
      guard let pin = PublicKeyPin(String(decoding: digits, as: UTF8.self)) else { return nil }
      if isEarlier { pairing.earlier.append(pin) } else { pairing.pins.append(pin) }
    }
    return pairing.pins.isEmpty ? nil : pairing
  }

  /// As the file holds it.
  package var bytes: [UInt8] {
    lines.flatMap { line -> [UInt8] in
      switch line {
      case .note(let text): return text + [UInt8(ascii: "\n")]
      case .pairing(let pairing):
        let words =
          [pairing.address.description] + pairing.pins.map(\.description) + pairing.earlier.map { "earlier:\($0)" }
        return Array((words.joined(separator: " ") + "\n").utf8)
      }
    }
  }

  /// In the order of the file.
  var pairings: [Pairing] {
    lines.compactMap { if case .pairing(let pairing) = $0 { pairing } else { nil } }
  }

  // MARK: Changes

  /// Adds a robot that a person has compared.
  ///
  /// - Returns: what that changes in robots that were known: one of them may be this one, elsewhere.
  /// - Throws: `PairingError.pinChanged`.
  mutating func remember(_ pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> [PairingStore.Change] {
    if let known = pairings.first(where: { $0.address == address }), !known.pins.contains(pin) {
      throw .pinChanged(robot: address.description, remembered: known.pins, seen: pin)
    }
    // A robot that went back to a key is the one that had it.
    change { pairing in
      if !pairing.pins.contains(pin), pairing.earlier.contains(pin) { pairing.announce(pin) }
    }
    if pairings.contains(where: { $0.pins.contains(pin) }) { return met(pin, at: address) }
    lines.append(.pairing(Pairing(address: address, pins: [pin])))
    return []
  }

  /// Adds the pin of a key that a robot is to have.
  ///
  /// - Returns: whether it was not known.
  /// - Throws: `PairingError`: `.notPaired`, `.otherRobot`.
  mutating func add(next pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> Bool {
    guard let known = pairings.first(where: { $0.address == address }) else {
      throw .notPaired(robot: address.description)
    }
    if let other = pairings.first(where: { !$0.isSame(as: known) && ($0.pins + $0.earlier).contains(pin) }) {
      throw .otherRobot(pin, robot: other.address.description)
    }
    // The robot may stand there at a second address too.
    let before = self
    change { pairing in
      if pairing.isSame(as: known), !pairing.pins.contains(pin) { pairing.announce(pin) }
    }
    return self != before
  }

  /// Takes back that a robot is to have a key.
  ///
  /// - Returns: whether it was announced; the present one is not.
  /// - Throws: `PairingError.notPaired`.
  mutating func forget(next pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> Bool {
    guard let known = pairings.first(where: { $0.address == address }) else {
      throw .notPaired(robot: address.description)
    }
    let before = self
    change { pairing in
      if pairing.isSame(as: known), pairing.pins.first != pin { pairing.pins.removeAll { $0 == pin } }
    }
    return self != before
  }

  /// - Returns: whether it was known.
  mutating func forget(_ address: RobotAddress) -> Bool {
    let before = lines.count
    // The robot that is there may be known at other addresses too, and would be found again by its key.
    let there = pairings.filter { $0.address == address }
    lines.removeAll { line in
      if case .pairing(let pairing) = line { there.contains { $0.isSame(as: pairing) } } else { false }
    }
    return lines.count != before
  }

  /// Notes that somebody at an address has proved to have a key. That of a stranger changes nothing.
  mutating func met(_ pin: PublicKeyPin, at address: RobotAddress) -> [PairingStore.Change] {
    guard let robot = pairings.last(where: { $0.pins.contains(pin) }) else { return [] }
    var changes: [PairingStore.Change] = []
    if !pairings.contains(where: { $0.address == address && $0.pins.contains(pin) }) {
      let former = robot.address
      changes.append(.moved(from: former, to: address))
      change { pairing in
        if pairing == robot {
          pairing.address = address
        } else if pairing.address == address {
          // It cannot be there any more, and the place that was left is as good a guess as any.
          pairing.address = former
        }
      }
    }
    var former: PublicKeyPin?
    change { pairing in
      guard pairing.pins.contains(pin), let present = pairing.pins.first, present != pin else { return }
      pairing.pins = [pin] + pairing.pins.dropFirst().filter { $0 != pin }
      pairing.earlier = pairing.earlier.filter { $0 != present } + [present]
      former = present
    }
    if let former { changes.append(.promoted(address, from: former, to: pin)) }
    return changes
  }

  private mutating func change(_ body: (inout Pairing) -> Void) {
    for index in lines.indices {
      guard case .pairing(var pairing) = lines[index] else { continue }
      body(&pairing)
      lines[index] = .pairing(pairing)
    }
  }
}

extension PairingStore.Pairing {
  /// Whether this is the same robot: nobody else has one of its keys.
  package func isSame(as other: PairingStore.Pairing) -> Bool { !Set(pins).isDisjoint(with: other.pins) }

  fileprivate mutating func announce(_ pin: PublicKeyPin) {
    earlier.removeAll { $0 == pin }
    pins.append(pin)
  }
}
