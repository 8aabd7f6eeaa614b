internal import FootageBase
internal import FootageSystem

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
  ///
  /// Blanks around it do no harm, nor does a slash behind it, and an address of IPv6 alone needs no brackets. The URL of
  /// a robot's page, as a browser shows it, is its address, too: `https://robot.local:8443/recordings/`. A URL without a
  /// port means 443 (RFC 9110 §4.2.2).
  public init?(_ text: String) { self.init(text, standardPort: Self.standardPort) }

  /// - Parameter standardPort: of an address that says none, and is no URL.
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

  /// `HOST:PORT`, an address of IPv6 in brackets.
  public var description: String { HostPort(host: host, port: port).description }
}
