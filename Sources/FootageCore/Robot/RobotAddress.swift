internal import Formats

/// A robot's host and port: a name, an address of IPv4, or one of IPv6 in brackets; the port is 8443 unless it is said.
public struct RobotAddress: Hashable, Sendable, CustomStringConvertible {
  /// Without brackets, in lower case; of a link-local address with `%` and the interface that it is good on.
  public let host: String
  /// From 1 on.
  public let port: UInt16

  /// The port of an address that says none.
  public static let standardPort: UInt16 = 8443

  /// Reads `robot.local`, `robot.local:8443`, `10.0.0.7`, `[::1]` or `[::1]:8443`; nil where it is something else.
  ///
  /// An address that is good on one interface alone names it: `[fe80::1%eth0]` (RFC 4007 §11), or as in a URL
  /// `[fe80::1%25eth0]` (RFC 6874 §2). The robot is not told the interface's name.
  public init?(_ text: String) {
    guard let read = HostPort(text, standardPort: Self.standardPort) else { return nil }
    host = read.host
    port = read.port
  }

  /// - Parameter host: without brackets, in lower case.
  package init(host: String, port: UInt16 = standardPort) {
    self.host = host
    self.port = port
  }

  /// `HOST:PORT`, an address of IPv6 in brackets.
  public var description: String { HostPort(host: host, port: port).description }
}
