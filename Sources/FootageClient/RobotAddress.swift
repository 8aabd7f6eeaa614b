/// Where a robot is: a host and a port, as a person writes them.

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
    var bytes = Array(text.utf8)[...]
    var port = Self.standardPort
    let isBracketed = bytes.first == UInt8(ascii: "[")
    let hostEnd: Int
    if isBracketed {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      hostEnd = bracket
      let rest = bytes[(bracket + 1)...]
      guard let read = Self.port(rest, &port), read else { return nil }
      bytes = bytes[1..<bracket]
    } else {
      hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      guard let read = Self.port(bytes[hostEnd...], &port), read else { return nil }
      bytes = bytes[..<hostEnd]
    }
    var zone = ""
    if isBracketed, let sign = bytes.firstIndex(of: UInt8(ascii: "%")) {
      guard let name = Self.zone(bytes[(sign + 1)...]) else { return nil }
      zone = "%\(name)"
      bytes = bytes[..<sign]
    }
    guard !bytes.isEmpty, bytes.count <= 253, bytes.allSatisfy({ Self.isAllowed($0, isBracketed) }) else { return nil }
    host = String(decoding: bytes, as: UTF8.self).lowercased() + zone
    self.port = port
  }

  /// `HOST:PORT`, an address of IPv6 in brackets.
  public var description: String {
    guard host.utf8.contains(UInt8(ascii: ":")) else { return "\(host):\(port)" }
    guard let sign = host.utf8.firstIndex(of: UInt8(ascii: "%")) else { return "[\(host)]:\(port)" }
    let zone = host[host.utf8.index(after: sign)...]
    // What looks like the sign's own code is written with one more, so that it is read as it is.
    return "[\(host[..<sign])%\(zone.utf8.count > 2 && zone.utf8.starts(with: "25".utf8) ? "25" : "")\(zone)]:\(port)"
  }

  /// An interface's name, as the kernel takes it: 15 bytes at most. In a URL the sign before it is `%25`.
  private static func zone(_ text: ArraySlice<UInt8>) -> String? {
    let name = text.count > 2 && text.starts(with: "25".utf8) ? text.dropFirst(2) : text
    guard (1...15).contains(name.count), name.allSatisfy({ isAllowed($0, false) }) else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// Reads `:PORT` or nothing.
  private static func port(_ text: ArraySlice<UInt8>, _ port: inout UInt16) -> Bool? {
    guard let colon = text.first else { return true }
    guard colon == UInt8(ascii: ":"), text.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt16(String(decoding: text.dropFirst(), as: UTF8.self)), number > 0
    else { return nil }
    port = number
    return true
  }

  /// Letters, digits, hyphens, dots and underscores; in brackets hexadecimal digits, colons and dots.
  private static func isAllowed(_ byte: UInt8, _ isBracketed: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): true
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
    case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "G")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      !isBracketed
    case UInt8(ascii: ":"): isBracketed
    default: false
    }
  }
}
