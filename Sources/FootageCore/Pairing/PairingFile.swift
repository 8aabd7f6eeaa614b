internal import FootageBase

/// The file of pairings as a value, with the changes that may be made to it.
///
/// Each robot has a line: `HOST:PORT`, its present pin, the announced pins, and `earlier:` before each former pin, the
/// oldest first. An older program that does not know `earlier:` reports the line as invalid, and trusts no peer because
/// of that line. Details that older programs need not know are in a comment after the line, which they leave unchanged:
/// `#`, the robot's permanent key, `also:` before each other address, and `name:` before its percent-encoded name. If a
/// comment has the permanent key of a different robot than the line before it, it is an ordinary comment.
///
/// Other lines that a person wrote between them, which are empty or begin with `#`, stay.
package struct PairingFile: Equatable {
  typealias Pairing = PairingStore.Pairing

  private enum Line: Equatable {
    /// A line that is not a pairing, as it is in the file.
    case note([UInt8])
    case pairing(Pairing)
  }

  private var lines: [Line] = []

  /// The prefix of a word that is not a currently valid pin.
  private enum Mark: String, CaseIterable {
    case earlier = "earlier:"
    case also = "also:"
    case name = "name:"

    /// True if the word may be in a comment.
    var isDetail: Bool { self != .earlier }
  }

  /// Creates a file without robots.
  init() {}

  /// Reads the file. An invalid line is an error, because it may be the line of the robot in question.
  ///
  /// - Throws: `PairingError.unreadable`.
  package init(_ bytes: [UInt8], path: String) throws(PairingError) {
    var texts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // No line begins after the last line feed.
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

  /// Reads the details that a comment gives about the robot before it.
  ///
  /// - Returns: false if it is an ordinary comment.
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
    // Some programs wrote the details into the line itself.
    for word in words {
      guard take(word, for: &pairing) else { return nil }
    }
    return pairing.pins.isEmpty ? nil : pairing
  }

  /// - Returns: whether the word is valid.
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

  /// The contents of the file.
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

  /// The pairings, in the order of the file.
  var pairings: [Pairing] {
    lines.compactMap { if case .pairing(let pairing) = $0 { pairing } else { nil } }
  }

  // MARK: Changes

  /// Adds a robot whose pin a person has compared.
  ///
  /// - Returns: the changes of robots that were already known: one of them may be this robot at a different address.
  /// - Throws: `PairingError.pinChanged`.
  mutating func remember(_ pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> [PairingStore.Change] {
    if let known = pairings.first(where: { $0.address == address }), !known.pins.contains(pin) {
      throw .pinChanged(robot: address.description, remembered: known.pins, seen: pin)
    }
    // If the key is a former one of a known robot, that robot went back to it.
    change { pairing in
      if !pairing.pins.contains(pin), pairing.earlier.contains(pin) { pairing.announce(pin) }
    }
    if pairings.contains(where: { $0.pins.contains(pin) }) { return met(pin, at: address) }
    lines.append(.pairing(Pairing(address: address, pins: [pin])))
    return []
  }

  /// Adds the pin of a key that a robot is going to have.
  ///
  /// - Returns: whether the pin is new.
  /// - Throws: `PairingError`: `.notPaired`, `.otherRobot`.
  mutating func add(next pin: PublicKeyPin, of address: RobotAddress) throws(PairingError) -> Bool {
    guard let known = pairings.first(where: { $0.address == address }) else {
      throw .notPaired(robot: address.description)
    }
    if let other = pairings.first(where: { !$0.isSame(as: known) && ($0.pins + $0.earlier).contains(pin) }) {
      throw .otherRobot(pin, robot: other.address.description)
    }
    // The file may list the robot at a second address, too.
    let before = self
    change { pairing in
      if pairing.isSame(as: known), !pairing.pins.contains(pin) { pairing.announce(pin) }
    }
    return self != before
  }

  /// Withdraws an announced key of a robot.
  ///
  /// - Returns: whether the key was announced; the present key does not count.
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

  /// Checks that a person may pair by a link.
  ///
  /// - Throws: `PairingError`: `.pinChanged` if a robot of this name, or at one of these addresses, is known by a
  ///   different key, or if a key of the link is a robot's former key; `.otherRobot` if the next key belongs to another
  ///   robot.
  func check(_ link: PairingLink) throws(PairingError) {
    let known = pairings.filter { $0.pins.contains(link.pin) }
    let others = pairings.filter { other in !known.contains { $0.isSame(as: other) } }
    if let next = link.next, let other = others.first(where: { ($0.pins + $0.earlier).contains(next) }) {
      throw .otherRobot(next, robot: other.address.description)
    }
    // The code was printed before the robot got a different key, and a peer with the former key may have stolen it.
    // This also applies to a former key that the link announces as the next one.
    for pin in link.pins {
      guard let former = pairings.first(where: { $0.earlier.contains(pin) }) else { continue }
      throw Self.pinChanged(former, by: link, seen: pin)
    }
    // If the key is known, another robot that was met at one of the addresses has merely left it.
    let namesake = known.isEmpty ? others.first { $0.name == link.name || link.addresses.contains($0.address) } : nil
    if let namesake { throw Self.pinChanged(namesake, by: link, seen: link.pin) }
  }

  private static func pinChanged(_ known: Pairing, by link: PairingLink, seen: PublicKeyPin) -> PairingError {
    .pinChanged(
      robot: known.name == link.name ? link.name : known.address.description, remembered: known.pins, seen: seen)
  }

  /// Adds the robot of a link, which has proved one of the link's keys. A robot that is already known is updated.
  ///
  /// - Parameters:
  ///   - proven: one of the link's pins.
  ///   - address: the address at which the robot has proved that key.
  /// - Returns: the changes of robots that were already known.
  /// - Throws: the same errors as `check`.
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

  /// - Returns: whether the robot was known.
  mutating func forget(_ address: RobotAddress) -> Bool {
    let before = lines.count
    // The robot at this address may be listed at other addresses, too, and would be found again by its key.
    let there = pairings.filter { $0.address == address }
    lines.removeAll { line in
      if case .pairing(let pairing) = line { there.contains { $0.isSame(as: pairing) } } else { false }
    }
    return lines.count != before
  }

  /// Records that a peer at an address has proved a key. A stranger's key changes nothing.
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
          // The other robot cannot be here any more. The address that this robot left is as good a guess as any.
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
  /// Returns whether this is the same robot: no two robots share a key.
  package func isSame(as other: PairingStore.Pairing) -> Bool { !Set(pins).isDisjoint(with: other.pins) }

  /// Returns the current pairing of the same robot. The pairing is found by its permanent key, or by a key that was its
  /// present or announced one and may have been replaced since.
  ///
  /// - Returns: nil if it was forgotten.
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

  /// Adds other addresses where it may be, before the known ones, which are older.
  fileprivate mutating func note(_ places: [RobotAddress]) {
    let known = places + otherAddresses.filter { !places.contains($0) }
    otherAddresses = Array(known.filter { $0 != address }.prefix(Self.mostOtherAddresses))
  }
}
