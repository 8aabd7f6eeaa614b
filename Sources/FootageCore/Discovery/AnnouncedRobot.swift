/// A robot that announces itself on the network. Any machine can announce anything there, so nothing in an announcement
/// is trusted. The pin is only a hint as to which paired robot it may be, or a value that a person can compare with the
/// robot's console.
public struct AnnouncedRobot: Hashable, Sendable, Identifiable {
  /// The name for people. A network ensures that names are unique, but a device may be in several networks.
  public let name: String
  /// The robot's addresses, without duplicates: first its host name on the network, then its IP addresses, with
  /// link-local ones last. There is at least one. Apple's platforms do not report the host name, so there the only
  /// address is an IP address.
  public let addresses: [RobotAddress]
  /// The pin of the robot's key, as the robot announces it.
  public let pinHint: PublicKeyPin?

  /// Its name and its first address.
  public var id: String { "\(name) at \(addresses.first?.description ?? "")" }

  /// The largest number of addresses that are accepted for one robot.
  package static let mostAddresses = 16
  /// The largest number of robots that are accepted; further ones are ignored.
  package static let mostRobots = 256

  /// - Parameters:
  ///   - name: the name for people.
  ///   - addresses: its addresses, the best first; at least one.
  ///   - pinHint: the pin of the robot's key, as the robot announces it.
  public init(name: String, addresses: [RobotAddress], pinHint: PublicKeyPin?) {
    self.name = name
    self.addresses = addresses
    self.pinHint = pinHint
  }

  /// Creates a robot from the values of its records; nil if its host or port is invalid.
  ///
  /// - Parameters:
  ///   - host: a name of the local network, `robot.local`.
  ///   - numbers: its IP addresses, as text.
  package init?(name: String, host: String, port: UInt16, numbers: [String], pinHint: PublicKeyPin?) {
    guard port > 0, let first = RobotAddress("\(host):\(port)") else { return nil }
    var addresses = [first]
    for address in numbers.prefix(Self.mostAddresses).compactMap({ RobotAddress($0) })
    where !addresses.contains(address) {
      addresses.append(address)
    }
    self.init(name: name, addresses: addresses, pinHint: pinHint)
  }

  /// Returns the robots without duplicates, sorted by name. Several announcements of one robot are combined.
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
  /// True if the address names an interface (RFC 4007 §11).
  fileprivate var isLinkLocal: Bool { host.utf8.contains(UInt8(ascii: "%")) }
}
