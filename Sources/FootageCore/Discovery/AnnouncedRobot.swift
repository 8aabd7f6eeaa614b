package import Trust

/// A robot that says on the network where it is. Anybody can say anything there: nothing of it is trusted, and the pin is a
/// hint for a person who compares it with the robot's console.
package struct AnnouncedRobot: Hashable, Sendable {
  /// As people read it.
  package let name: String
  /// A name of the local network, `robot.local`.
  package let host: String
  package let port: UInt16
  /// 4 bytes, or 16.
  package let addresses: [[UInt8]]
  package let pin: PublicKeyPin?

  package init(name: String, host: String, port: UInt16, addresses: [[UInt8]], pin: PublicKeyPin?) {
    self.name = name
    self.host = host
    self.port = port
    self.addresses = addresses
    self.pin = pin
  }

  package static let service = DNSName("_footage._tcp.local")

  /// The robots that answers tell of, each once, by their names.
  package static func robots(in answers: [DNSMessage]) -> [AnnouncedRobot] {
    let records = answers.flatMap(\.records)
    var instances: [DNSName] = []
    for record in records where record.name == service {
      guard case .pointer(let instance) = record.content, instance.labels.count == service.labels.count + 1,
        !instances.contains(instance)
      else { continue }
      instances.append(instance)
    }
    return instances.compactMap { robot($0, in: records) }.sorted { ($0.name, $0.host) < ($1.name, $1.host) }
  }

  private static func robot(_ instance: DNSName, in records: [DNSMessage.Record]) -> AnnouncedRobot? {
    var place: (host: DNSName, port: UInt16)?
    var pin: PublicKeyPin?
    for record in records where record.name == instance {
      switch record.content {
      case .service(let host, let port) where port > 0: place = (host, port)
      case .text(let strings): pin = strings.lazy.compactMap(Self.pin).first ?? pin
      default: break
      }
    }
    guard let place, let label = instance.labels.first else { return nil }
    var addresses: [[UInt8]] = []
    for record in records where record.name == place.host {
      if case .address(let address) = record.content, !addresses.contains(address) { addresses.append(address) }
    }
    return AnnouncedRobot(
      name: String(decoding: label, as: UTF8.self), host: place.host.text, port: place.port, addresses: addresses,
      pin: pin)
  }

  /// `pin=sha256/…` (RFC 6763 §6.4).
  private static func pin(_ string: [UInt8]) -> PublicKeyPin? {
    guard string.starts(with: "pin=".utf8) else { return nil }
    return PublicKeyPin(String(decoding: string.dropFirst(4), as: UTF8.self))
  }
}
