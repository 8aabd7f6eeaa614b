internal import FootageBase
internal import FootageSystem

/// A robot's host and port. The host is a name, an IPv4 address, or an IPv6 address in brackets. The default port is
/// 8443.
public struct RobotAddress: Hashable, Sendable, CustomStringConvertible {
  /// The host, without brackets and in lower case. A link-local address ends with `%` and the interface on which it is
  /// valid.
  public let host: String
  /// The port, from 1 on.
  public let port: UInt16

  /// The port of an address that states none.
  public static let standardPort: UInt16 = 8443

  /// Reads `robot.local`, `robot.local:8443`, `10.0.0.7`, `[::1]` or `[::1]:8443`; nil if the text is anything else.
  ///
  /// An address that is valid on only one interface includes the interface's name: `[fe80::1%eth0]` (RFC 4007 §11), or
  /// as in a URL `[fe80::1%25eth0]` (RFC 6874 §2). The interface's name is not sent to the robot.
  ///
  /// Blanks around the address and a slash after it are ignored, and an IPv6 address without a port needs no brackets.
  /// The URL of a robot's page, as a browser shows it, is accepted as its address, too:
  /// `https://robot.local:8443/recordings/`. A URL without a port means 443 (RFC 9110 §4.2.2).
  public init?(_ text: String) { self.init(text, standardPort: Self.standardPort) }

  /// - Parameter standardPort: the port of an address that has none and is not a URL.
  package init?(_ text: String, standardPort: UInt16) {
    let isBlank: (Character) -> Bool = { $0.isWhitespace }
    var rest = text.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    var standardPort = standardPort
    if rest.prefix(Self.scheme.count).lowercased() == Self.scheme {
      rest = rest.dropFirst(Self.scheme.count).prefix { !"/?#".contains($0) }
      standardPort = Self.portOfURL
    } else if rest.last == "/" {
      rest.removeLast()
    }
    let isBareIPv6 = SocketAddress(literal: String(rest.prefix { $0 != "%" }), port: standardPort)?.isIPv6 == true
    guard let read = HostPort(isBareIPv6 ? "[\(rest)]" : String(rest), standardPort: standardPort) else { return nil }
    host = read.host
    port = read.port
  }

  private static let scheme = "https://"
  private static let portOfURL: UInt16 = 443

  /// - Parameter host: without brackets, in lower case.
  package init(host: String, port: UInt16 = standardPort) {
    self.host = host
    self.port = port
  }

  /// The text `HOST:PORT`, with an IPv6 address in brackets.
  public var description: String { HostPort(host: host, port: port).description }
}
