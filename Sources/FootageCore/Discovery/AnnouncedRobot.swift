/// A robot that says on the network where it is. Anybody can say anything there: nothing of it is trusted, and the pin
/// is a hint, as to which of the paired robots it may be or for a person who compares it with the robot's console.
public struct AnnouncedRobot: Hashable, Sendable, Identifiable {
  /// As people read it. A network sees to it that no two have the same, but a device may be in several networks.
  public let name: String
  /// Where it is, each place once: by its name on the network first, then by its numbers, of which those that are good
  /// on one link alone come last. At least one; on Apple's platforms, which do not tell the name, the number alone.
  public let addresses: [RobotAddress]
  /// Of its key, as it says itself.
  public let pinHint: PublicKeyPin?

  /// Its name, and its place by name.
  public var id: String { "\(name) at \(addresses.first?.description ?? "")" }

  /// How many addresses of one are taken.
  package static let mostAddresses = 16
  /// How many robots are taken: a network that says more is not listened to any longer.
  package static let mostRobots = 256

  /// - Parameters:
  ///   - name: as people read it.
  ///   - addresses: where it is, the best first; at least one.
  ///   - pinHint: of its key, as it says itself.
  public init(name: String, addresses: [RobotAddress], pinHint: PublicKeyPin?) {
    self.name = name
    self.addresses = addresses
    self.pinHint = pinHint
  }

  /// As records say it; nil where its host is no host.
  ///
  /// - Parameters:
  ///   - host: a name of the local network, `robot.local`.
  ///   - numbers: its addresses, as text.
  package init?(name: String, host: String, port: UInt16, numbers: [String], pinHint: PublicKeyPin?) {
    guard port > 0, let first = RobotAddress("\(host):\(port)") else { return nil }
    var addresses = [first]
    for address in numbers.prefix(Self.mostAddresses).compactMap({ RobotAddress($0) })
    where !addresses.contains(address) {
      addresses.append(address)
    }
    self.init(name: name, addresses: addresses, pinHint: pinHint)
  }

  /// The same robots, each once, in the order of their names: what several have heard of one is put together.
  package static func merged(_ robots: [AnnouncedRobot]) -> [AnnouncedRobot] {
    var merged: [String: AnnouncedRobot] = [:]
    for robot in robots {
      guard let known = merged[robot.id] else {
        if merged.count < mostRobots { merged[robot.id] = robot }
        continue
      }
      let all = known.addresses + robot.addresses.filter { !known.addresses.contains($0) }
      let ordered = all.filter { !$0.isLinkLocal } + all.filter(\.isLinkLocal)
      merged[robot.id] = AnnouncedRobot(
        name: known.name, addresses: Array(ordered.prefix(mostAddresses)), pinHint: known.pinHint ?? robot.pinHint)
    }
    return merged.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }
}

extension RobotAddress {
  /// Whether it names an interface (RFC 4007 §11).
  fileprivate var isLinkLocal: Bool { host.utf8.contains(UInt8(ascii: "%")) }
}
