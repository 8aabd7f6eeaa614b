internal import FootageCore

/// The command `footage pair 'footage:pair?…'`, which pairs with the robot whose link was scanned.
enum LinkPairing {
  private static let beginning = Array("footage:pair?".utf8)

  /// Returns true if the operand is meant as a link; `footage:8443` is a robot. Schemes are case-insensitive (RFC 3986
  /// §3.1).
  static func isLink(_ operand: String) -> Bool {
    operand.utf8.prefix(beginning.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } == beginning
  }

  static func run(
    _ text: String, named name: String?, _ store: PairingStore
  ) throws(UsageError) -> ExitCode {
    let link: PairingLink
    do throws(PairingLinkError) {
      let read = try PairingLink(text)
      link = try name.map { (name) throws(PairingLinkError) in try read.named(name) } ?? read
    } catch { throw UsageError(Terminal.printable(error.description)) }
    return AsyncMain.run {
      do throws(RobotError) {
        let (robot, changes) = try await RobotConnection.pair(with: link, in: store)
        for change in changes { Terminal.say(change) }
        Terminal.output("\(robot.pins.first?.description ?? "")\n")
        Terminal.error("\(Terminal.printable(robot.shownName)) is paired: \(store.path)\n")
        return .done
      } catch { return Terminal.failed(words(for: error, link, store)) }
    }
  }

  private static func words(for error: RobotError, _ link: PairingLink, _ store: PairingStore) -> String {
    let robot = link.addresses[0]
    switch error {
    case .pairing(.pinChanged(let named, let remembered, let seen)):
      let address = (try? store.all())?.first { $0.pins == remembered }?.address ?? robot
      var words = """
        THE PIN OF \(Terminal.printable(named)) HAS CHANGED: it was paired with \(list(remembered)), but the link says \
        \(seen). Nothing was sent, and nothing was changed. If the link was made before the robot got its present key, \
        make a new one (footage pair --qr on its console). If the robot has a new key, and its console confirms it: \
        footage pair \(address) --next-pin \(seen); or forget the robot: footage pair \(address) --forget
        """
      if named == link.name {
        words += ". If it is a different robot of the same name, choose another name: --name NAME"
      }
      return words
    case .unreachable:
      return "\(error) (is it on, and in this network? The link lists \(list(link.addresses)))"
    case .trust:
      return """
        \(error). None of \(list(link.addresses)) has the key in the link: nothing was remembered. Make a new link on \
        the robot's console (footage pair --qr), and compare
        """
    default: return ShellWords(robot: robot).words(for: error)
    }
  }

  private static func list(_ values: [some CustomStringConvertible]) -> String {
    values.map(\.description).joined(separator: ", ")
  }
}

extension PairingStore.Pairing {
  /// The text for people: the robot's name, if it has one, and its last known address.
  var shownName: String { name.map { "\($0) (\(address))" } ?? address.description }
}
