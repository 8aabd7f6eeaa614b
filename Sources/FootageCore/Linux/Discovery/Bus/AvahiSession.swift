internal import FootageSystem

/// A session of browsing by Avahi (`org.freedesktop.Avahi.Server`), over a connection to the bus. It decides what to
/// send, and sends nothing itself. Avahi's own socket, `/run/avahi-daemon/socket`, can only resolve names.
package struct AvahiSession {
  /// A robot on one interface, by one protocol.
  private struct Key: Hashable {
    let interface: Int32
    let protocolNumber: Int32
    let name: String
    let type: String
    let domain: String
  }

  /// The state of one robot.
  private struct Item {
    /// The path of the Avahi object that resolves the robot; nil until Avahi reports it.
    var resolver: String?
    /// The resolved robot; nil until Avahi has resolved it.
    var robot: AnnouncedRobot?
  }

  /// The purpose of a call.
  private enum Call {
    case hello
    case watch
    case browse
    case resolve(Key)
  }

  private var lastSerial: UInt32 = 0
  private var calls: [UInt32: Call] = [:]
  private var items: [Key: Item] = [:]

  private static let service = "org.freedesktop.Avahi"
  private static let server = "org.freedesktop.Avahi.Server"
  private static let browser = "org.freedesktop.Avahi.ServiceBrowser"
  private static let resolver = "org.freedesktop.Avahi.ServiceResolver"
  private static let bus = "org.freedesktop.DBus"
  private static let type = "_footage._tcp"
  /// The value for all interfaces, and for both protocols.
  private static let unspecified = BusValue.int32(-1)
  /// The largest number of robots that are resolved at once. A robot counts once for each interface and protocol.
  private static let mostItems = 4 * AnnouncedRobot.mostRobots

  package init() {}

  /// All robots that are resolved, in the order of their names.
  package var robots: [AnnouncedRobot] {
    // The interfaces are sorted, so that the same robots always give the same result.
    let ordered = items.sorted {
      ($0.key.interface, $0.key.protocolNumber) < ($1.key.interface, $1.key.protocolNumber)
    }
    return AnnouncedRobot.merged(ordered.compactMap(\.value.robot))
  }

  /// Returns the first messages to send.
  package mutating func start() -> [BusMessage] {
    let rule = "type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.service)'"
    return [
      call(.hello, of: Self.bus, at: "/org/freedesktop/DBus", Self.bus, "Hello", []),
      call(.watch, of: Self.bus, at: "/org/freedesktop/DBus", Self.bus, "AddMatch", [.string(rule)]),
      call(
        .browse, of: Self.service, at: "/", Self.server, "ServiceBrowserNew",
        [Self.unspecified, Self.unspecified, .string(Self.type), .string(""), .uint32(0)]),
    ]
  }

  /// Processes a message.
  ///
  /// - Returns: the messages to send in response, and whether the robots have changed.
  /// - Throws: `DiscoveryError.unavailable` if Avahi does not answer, or has ended.
  package mutating func receive(
    _ message: BusMessage
  ) throws(DiscoveryError) -> (said: [BusMessage], hasChanged: Bool) {
    switch message.kind {
    case .call: return ([], false)
    case .signal: return try receive(signal: message)
    case .answer, .error:
      guard let serial = message.answered, let call = calls.removeValue(forKey: serial) else { return ([], false) }
      guard message.kind == .answer else {
        // A robot that cannot be resolved is ignored.
        guard case .resolve = call else { throw .unavailable("Avahi does not answer") }
        return ([], false)
      }
      guard case .resolve(let key) = call, case .objectPath(let path)? = message.body.first else {
        return ([], false)
      }
      // The robot may have disappeared in the meantime.
      guard items[key] != nil else { return ([free(path)], false) }
      items[key]?.resolver = path
      return ([], false)
    }
  }

  private mutating func receive(
    signal message: BusMessage
  ) throws(DiscoveryError) -> (said: [BusMessage], hasChanged: Bool) {
    switch (message.interface, message.member) {
    case (Self.bus, "NameOwnerChanged"):
      guard message.sender == Self.bus, message.body.count == 3, message.body[0] == .string(Self.service),
        message.body[2] == .string("")
      else { return ([], false) }
      throw .unavailable("Avahi has stopped")
    case (Self.browser, "Failure"): throw .unavailable("Avahi cannot search for robots")
    case (Self.browser, "ItemNew"):
      guard let key = Self.key(message.body), items[key] == nil, items.count < Self.mostItems else {
        return ([], false)
      }
      items[key] = Item()
      let call = call(
        .resolve(key), of: Self.service, at: "/", Self.server, "ServiceResolverNew",
        [
          .int32(key.interface), .int32(key.protocolNumber), .string(key.name), .string(key.type),
          .string(key.domain),
          Self.unspecified, .uint32(0),
        ])
      return ([call], false)
    case (Self.browser, "ItemRemove"):
      guard let key = Self.key(message.body), let item = items.removeValue(forKey: key) else { return ([], false) }
      return (item.resolver.map { [free($0)] } ?? [], item.robot != nil)
    case (Self.resolver, "Found"):
      guard let key = Self.key(message.body), items[key] != nil, let robot = Self.robot(message.body) else {
        return ([], false)
      }
      // The same name may lead elsewhere now, which replaces what was known.
      let hasChanged = items[key]?.robot != robot
      items[key]?.robot = robot
      return ([], hasChanged)
    default: return ([], false)
    }
  }

  /// Returns the key in the first five values of a signal from a browser or a resolver.
  private static func key(_ body: [BusValue]) -> Key? {
    guard body.count >= 5, case .int32(let interface) = body[0], case .int32(let number) = body[1],
      case .string(let name) = body[2], case .string(let type) = body[3], type == Self.type,
      case .string(let domain) = body[4]
    else { return nil }
    return Key(interface: interface, protocolNumber: number, name: name, type: type, domain: domain)
  }

  /// Returns the robot of a `Found` signal. Its values are interface, protocol, name, type, domain, host, the address's
  /// protocol, address, port, text and flags.
  private static func robot(_ body: [BusValue]) -> AnnouncedRobot? {
    guard body.count >= 10, case .int32(let interface) = body[0], case .string(let name) = body[2],
      case .string(let host) = body[5], case .string(let address) = body[7], case .uint16(let port) = body[8],
      case .byteStrings(let text) = body[9]
    else { return nil }
    let number = SocketAddress(literal: address, port: port).map {
      AnnouncedRobot.number($0, UInt32(truncatingIfNeeded: max(0, interface)))
    }
    return AnnouncedRobot(
      name: name, host: host, port: port, numbers: number.map { [$0] } ?? [],
      pinHint: AnnouncedRobot.pinHint(in: text))
  }

  // MARK: Calls

  private mutating func call(
    _ call: Call, of destination: String, at path: String, _ interface: String, _ member: String, _ body: [BusValue]
  ) -> BusMessage {
    let message = message(of: destination, at: path, interface, member, body)
    calls[message.serial] = call
    return message
  }

  /// Returns the message that frees an object of Avahi. The answer to the message does not matter.
  private mutating func free(_ path: String) -> BusMessage {
    message(of: Self.service, at: path, Self.resolver, "Free", [])
  }

  private mutating func message(
    of destination: String, at path: String, _ interface: String, _ member: String, _ body: [BusValue]
  ) -> BusMessage {
    // Zero is not a valid serial number.
    lastSerial = lastSerial &+ 1 == 0 ? 1 : lastSerial &+ 1
    return BusMessage(
      .call, serial: lastSerial, path: path, interface: interface, member: member, destination: destination,
      body: body)
  }
}
