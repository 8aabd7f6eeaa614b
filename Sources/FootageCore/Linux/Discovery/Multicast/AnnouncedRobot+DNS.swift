internal import FootageSystem

extension AnnouncedRobot {
  package static let service = DNSName("_footage._tcp.local")

  /// Returns the robots in DNS answers, without duplicates, sorted by name. The records of one robot may be spread over
  /// several answers.
  ///
  /// - Parameter zone: the number of the interface on which the answers arrived.
  package static func robots(in answers: [DNSMessage], zone: UInt32 = 0) -> [AnnouncedRobot] {
    // The sender decides how much there is to search, so each record is examined only once.
    let records = Dictionary(grouping: answers.lazy.flatMap(\.records), by: \.name)
    var instances: Set<DNSName> = []
    for record in records[service] ?? [] where instances.count < mostRobots {
      guard case .pointer(let instance) = record.content, instance.labels.count == service.labels.count + 1 else {
        continue
      }
      instances.insert(instance)
    }
    return merged(instances.compactMap { robot($0, in: records, zone) })
  }

  private static func robot(
    _ instance: DNSName, in records: [DNSName: [DNSMessage.Record]], _ zone: UInt32
  ) -> AnnouncedRobot? {
    var place: (host: DNSName, port: UInt16)?
    var pin: PublicKeyPin?
    for record in records[instance] ?? [] {
      switch record.content {
      case .service(let host, let port) where port > 0: place = (host, port)
      case .text(let strings): pin = pinHint(in: strings) ?? pin
      default: break
      }
    }
    guard let place, let label = instance.labels.first else { return nil }
    // Many instances may have one host with many addresses.
    let numbers = (records[place.host] ?? []).lazy.compactMap { record -> String? in
      guard case .address(let bytes) = record.content else { return nil }
      return number(SocketAddress(addressBytes: bytes, port: place.port), zone)
    }
    return AnnouncedRobot(
      name: String(decoding: label, as: UTF8.self), host: place.host.text, port: place.port,
      numbers: Array(numbers.prefix(mostAddresses)), pinHint: pin)
  }

  /// Returns an address in the form that `RobotAddress` reads. A link-local one gets the interface that leads to it.
  static func number(_ address: SocketAddress, _ zone: UInt32) -> String {
    let isLinkLocal = address.isIPv6 && address.addressBytes.starts(with: [0xFE, 0x80])
    return SocketAddress(addressBytes: address.addressBytes, port: address.port, zone: isLinkLocal ? zone : 0)
      .description
  }

  /// Returns the pin in the string `pin=sha256/…` (RFC 6763 §6.4).
  static func pinHint(in strings: [[UInt8]]) -> PublicKeyPin? {
    strings.lazy.compactMap { string in
      guard string.starts(with: "pin=".utf8) else { return nil }
      return PublicKeyPin(String(decoding: string.dropFirst(4), as: UTF8.self))
    }.first
  }
}
