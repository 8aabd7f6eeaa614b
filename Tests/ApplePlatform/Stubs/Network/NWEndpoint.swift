// Network's addresses, as far as they are used.

public struct IPv4Address: Hashable, Sendable {
  public let text: String

  public init?(_ string: String) {
    guard Numeric.isAddress(string, of: .ipv4) else { return nil }
    text = string
  }

  private init(known text: String) { self.text = text }

  public static let loopback = IPv4Address(known: "127.0.0.1")
  public static let any = IPv4Address(known: "0.0.0.0")
}

public struct IPv6Address: Hashable, Sendable {
  public let text: String

  public init?(_ string: String) {
    guard Numeric.isAddress(string, of: .ipv6) else { return nil }
    text = string
  }
}

public final class NWInterface: Hashable, Sendable {
  public enum InterfaceType: Sendable {
    case other
    case wifi
    case cellular
    case wiredEthernet
    case loopback
  }

  public static func == (left: NWInterface, right: NWInterface) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

public enum NWEndpoint: Hashable, Sendable {
  case hostPort(host: Host, port: Port)
  case service(name: String, type: String, domain: String, interface: NWInterface?)

  public enum Host: Hashable, Sendable, CustomDebugStringConvertible {
    case name(String)
    case ipv4(IPv4Address)
    case ipv6(IPv6Address)

    public init(_ string: String) {
      if let address = IPv4Address(string) {
        self = .ipv4(address)
      } else if let address = IPv6Address(string) {
        self = .ipv6(address)
      } else {
        self = .name(string)
      }
    }

    public var debugDescription: String { text }

    var text: String {
      switch self {
      case .name(let name): name
      case .ipv4(let address): address.text
      case .ipv6(let address): address.text
      }
    }
  }

  public struct Port: Hashable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral {
    public let rawValue: UInt16

    public init?(rawValue: UInt16) { self.rawValue = rawValue }

    public init(integerLiteral value: UInt16) { rawValue = value }

    public static let any: Port = 0
  }

  var place: (host: Host, port: Port) {
    switch self {
    case .hostPort(let host, let port): return (host, port)
    case .service(let name, let type, _, _):
      let service = FakeNetwork.services.withLock { $0 }.first { $0.name == name && $0.type == type }
      return (.ipv4(.loopback), service.flatMap { Port(rawValue: $0.port) } ?? .any)
    }
  }
}
