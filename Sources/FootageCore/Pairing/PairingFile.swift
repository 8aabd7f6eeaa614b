internal import FootageBase

/// The file of pairings as a value: what it says, and what may be changed in it.
///
/// A line a robot: `HOST:PORT`, its present pin, those that were announced, and `earlier:` before each that it had
/// before, the oldest first. A program that does not know such a word says that the line makes no sense, and trusts
/// nobody for it. What older programs need not know stands in a comment behind it, which they leave as it is: `#`, the
/// key that the robot is known by for good, `also:` before each other address, and behind `name:` its name,
/// percent-encoded. One of another robot's key, left behind by such a program, is a comment like any other.
///
/// What a person wrote between them, empty lines and those that begin with `#`, stays.
package struct PairingFile: Equatable {
  typealias Pairing = PairingStore.Pairing

  private enum Line: Equatable {
    /// As it stands there.
    case note([UInt8])
    case pairing(Pairing)
  }

  private var lines: [Line] = []

  /// What stands before a word that is no pin which counts.
  private enum Mark: String, CaseIterable {
    case earlier = "earlier:"
    case also = "also:"
    case name = "name:"

    /// Whether it may stand in a comment.
    var isDetail: Bool { self != .earlier }
  }

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
        if !takeDetails(words) { lines.append(.note(Array(text))) }
        continue
      }
      guard let pairing = Self.pairing(String(decoding: first, as: UTF8.self), words.dropFirst()) else {
        throw .unreadable(path, line: index + 1)
      }
      lines.append(.pairing(pairing))
    }
  }

  /// Reads what a comment says of the robot before it.
  ///
  /// - Returns: false where it is a comment like any other.
  private mutating func takeDetails(_ words: [ArraySlice<UInt8>]) -> Bool {
    let last = lines.lastIndex { if case .pairing = $0 { true } else { false } }
    guard words.count > 2, words[0].elementsEqual([UInt8(ascii: "#")]),
      let pin = PublicKeyPin(String(decoding: words[1], as: UTF8.self)),
      let last, case .pairing(var robot) = lines[last],
      robot.name == nil, robot.otherAddresses.isEmpty, (robot.pins + robot.earlier).contains(pin)
    else { return false }
    for word in words.dropFirst(2) {
      guard Self.mark(of: word)?.isDetail == true, Self.take(word, for: &robot) else { return false }
    }
    lines[last] = .pairing(robot)
    return true
  }

  private static func mark(of word: ArraySlice<UInt8>) -> Mark? {
    Mark.allCases.first { word.starts(with: $0.rawValue.utf8) }
  }

  private static func pairing(_ address: String, _ words: ArraySlice<ArraySlice<UInt8>>) -> Pairing? {
    guard let address = RobotAddress(address) else { return nil }
    var pairing = Pairing(address: address, pins: [])
    // Some programs wrote the details there, too.
    for word in words {
      guard take(word, for: &pairing) else { return nil }
    }
    return pairing.pins.isEmpty ? nil : pairing
  }

  /// - Returns: whether it makes sense.
  private static func take(_ word: ArraySlice<UInt8>, for pairing: inout Pairing) -> Bool {
    let mark = mark(of: word)
    let text = String(decoding: word.dropFirst(mark?.rawValue.utf8.count ?? 0), as: UTF8.self)
    switch mark {
    case .also:
      guard let address = RobotAddress(text) else { return false }
      pairing.otherAddresses.append(address)
    case .name:
      guard pairing.name == nil, let bytes = PercentEncoding.decode(text.utf8),
        let name = String(validating: bytes, as: UTF8.self), Pairing.isName(name)
      else { return false }
      pairing.name = name
    case .earlier:
      guard let pin = PublicKeyPin(text) else { return false }
      pairing.earlier.append(pin)
    case nil:
      guard let pin = PublicKeyPin(text) else { return false }
      pairing.pins.append(pin)
    }
    return true
  }

  /// As the file holds it.
  package var bytes: [UInt8] {
    lines.flatMap { line -> [UInt8] in
      switch line {
      case .note(let text): return text + [UInt8(ascii: "\n")]
      case .pairing(let pairing):
        let pins = pairing.pins.map(\.description) + pairing.earlier.map { "\(Mark.earlier.rawValue)\($0)" }
        var details = pairing.otherAddresses.map { "\(Mark.also.rawValue)\($0)" }
        if let name = pairing.name { details.append("\(Mark.name.rawValue)\(PercentEncoding.encodePath(name))") }
        var lines = ["\(pairing.address) \(pins.joined(separator: " "))"]
        if !details.isEmpty { lines.append("# \(pairing.id) \(details.joined(separator: " "))") }
        return Array(lines.map { "\($0)\n" }.joined().utf8)
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

  // MARK: Links

  /// Whether a person may pair by a link.
  ///
  /// - Throws: `PairingError`: `.pinChanged` where a robot of this name, or at one of these addresses, is known by
  ///   another key, or one had a key of the link before; `.otherRobot` where the next key is another robot's.
  func check(_ link: PairingLink) throws(PairingError) {
    let known = pairings.filter { $0.pins.contains(link.pin) }
    let others = pairings.filter { other in !known.contains { $0.isSame(as: other) } }
    if let next = link.next, let other = others.first(where: { ($0.pins + $0.earlier).contains(next) }) {
      throw .otherRobot(next, robot: other.address.description)
    }
    // A code that was printed before the robot got another key: who has the former one may be whoever stole it. That it
    // is to have it again is no different.
    for pin in link.pins {
      guard let former = pairings.first(where: { $0.earlier.contains(pin) }) else { continue }
      throw Self.pinChanged(former, by: link, seen: pin)
    }
    // Where the key is known, another robot that was met at its address has only made room.
    let namesake = known.isEmpty ? others.first { $0.name == link.name || link.addresses.contains($0.address) } : nil
    if let namesake { throw Self.pinChanged(namesake, by: link, seen: link.pin) }
  }

  private static func pinChanged(_ known: Pairing, by link: PairingLink, seen: PublicKeyPin) -> PairingError {
    .pinChanged(
      robot: known.name == link.name ? link.name : known.address.description, remembered: known.pins, seen: seen)
  }

  /// Adds the robot of a link that has proved to have one of its keys, or what is new of it.
  ///
  /// - Parameters:
  ///   - proven: one of the link's pins.
  ///   - address: where it has proved that.
  /// - Returns: what that changes in robots that were known.
  /// - Throws: as `check`.
  mutating func pair(
    _ link: PairingLink, proven: PublicKeyPin, at address: RobotAddress
  ) throws(PairingError) -> [PairingStore.Change] {
    try check(link)
    var changes: [PairingStore.Change] = []
    if pairings.contains(where: { $0.pins.contains(link.pin) }) {
      if let next = link.next {
        var isNew = false
        change { pairing in
          guard pairing.pins.contains(link.pin), !pairing.pins.contains(next) else { return }
          pairing.announce(next)
          isNew = true
        }
        if isNew { changes.append(.announced(next, of: address)) }
      }
    } else {
      lines.append(.pairing(Pairing(address: address, pins: link.pins)))
    }
    changes += met(proven, at: address)
    let isNameFree = !pairings.contains { $0.name == link.name && !$0.pins.contains(proven) }
    change { pairing in
      guard pairing.pins.contains(proven) else { return }
      if isNameFree { pairing.name = link.name }
      pairing.note(link.addresses)
    }
    return changes
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
          pairing.move(to: address)
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

  /// The same robot as it is known now: by the key that it is known by for good, or by one that was its present key, or
  /// announced, and may have been replaced since.
  ///
  /// - Returns: nil where it was forgotten.
  package func found(in all: [PairingStore.Pairing]) -> PairingStore.Pairing? {
    all.first { $0.id == id } ?? all.first { !Set(pins).isDisjoint(with: $0.pins + $0.earlier) }
  }

  fileprivate mutating func announce(_ pin: PublicKeyPin) {
    earlier.removeAll { $0 == pin }
    pins.append(pin)
  }

  fileprivate mutating func move(to place: RobotAddress) {
    otherAddresses = Array(([address] + otherAddresses.filter { $0 != place }).prefix(Self.mostOtherAddresses))
    address = place
  }

  /// Adds where else it may be, before what was known: that is older.
  fileprivate mutating func note(_ places: [RobotAddress]) {
    let known = places + otherAddresses.filter { !places.contains($0) }
    otherAddresses = Array(known.filter { $0 != address }.prefix(Self.mostOtherAddresses))
  }
}
