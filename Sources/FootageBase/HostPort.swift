/// A host and a port as `HOST:PORT`, as in a URL's authority (RFC 3986 §3.2.2).
package struct HostPort: Hashable, Sendable {
  /// A name, or an address without brackets. A link-local IPv6 address may end with `%` and its interface.
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}

extension HostPort {
  /// Reads `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`; nil if the text is anything else.
  ///
  /// An address that is valid on only one interface can include the interface's name: `[fe80::1%eth0]` (RFC 4007 §11),
  /// or as in a URL `[fe80::1%25eth0]` (RFC 6874 §2).
  ///
  /// - Parameter standardPort: the port if the text names none.
  package init?(_ text: String, standardPort: UInt16) {
    var bytes = Array(text.utf8)[...]
    var port = standardPort
    let isBracketed = bytes.first == UInt8(ascii: "[")
    let hostEnd: Int
    if isBracketed {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      hostEnd = bracket
      let rest = bytes[(bracket + 1)...]
      guard Self.read(rest, into: &port) else { return nil }
      bytes = bytes[1..<bracket]
    } else {
      hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      guard Self.read(bytes[hostEnd...], into: &port) else { return nil }
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

  /// Reads the name of an interface, at most 15 bytes as in the kernel. In a URL the `%` before it is written `%25`.
  private static func zone(_ text: ArraySlice<UInt8>) -> String? {
    let name = text.count > 2 && text.starts(with: "25".utf8) ? text.dropFirst(2) : text
    guard (1...15).contains(name.count), name.allSatisfy({ isAllowed($0, false) }) else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// Reads `:PORT`, or nothing.
  private static func read(_ text: ArraySlice<UInt8>, into port: inout UInt16) -> Bool {
    guard let colon = text.first else { return true }
    guard colon == UInt8(ascii: ":"), text.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt16(String(decoding: text.dropFirst(), as: UTF8.self)), number > 0
    else { return false }
    port = number
    return true
  }

  /// Returns true for letters, digits, hyphens, dots and underscores; within brackets, for hexadecimal digits, colons
  /// and dots.
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

extension HostPort: CustomStringConvertible {
  /// `HOST:PORT`, with the host in brackets if it contains a colon or names an interface.
  package var description: String {
    guard let sign = host.utf8.firstIndex(of: UInt8(ascii: "%")) else {
      return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
    let zone = host[host.utf8.index(after: sign)...]
    // A name that begins like the code of the percent sign gets one more `25`, so that it is read back as it is.
    return "[\(host[..<sign])%\(zone.utf8.count > 2 && zone.utf8.starts(with: "25".utf8) ? "25" : "")\(zone)]:\(port)"
  }

  /// The text for the `Host` field (RFC 9110 §7.2). It omits the interface's name, which has a meaning on this machine
  /// only (RFC 6874 §1).
  package var authority: String { HostPort(host: String(host.prefix { $0 != "%" }), port: port).description }
}
