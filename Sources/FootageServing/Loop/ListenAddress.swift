package import FootageSystem

/// An address to listen on, as people write it.
///
/// The forms are `8443`, `:8443`, `HOST`, `HOST:8443` and `[::1]:8443`. Without a host, it stands for every IPv4 and
/// IPv6 address of the machine. `localhost` stands for this machine's own addresses of both families.
package struct ListenAddress: Hashable, Sendable {
  enum Place: Hashable, Sendable {
    case everywhere
    case localhost
    case address(SocketAddress)
  }

  let place: Place
  package let port: UInt16

  /// The port if the text has none.
  package static let defaultPort: UInt16 = 8443

  /// Parses the text and looks up a host name in it, which may block.
  ///
  /// - Throws: `NetworkingError.address`.
  package init(_ text: String) throws(NetworkingError) {
    let bytes = text.utf8
    if !text.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) {
      port = try Self.port(text, of: text)
      place = .everywhere
      return
    }
    var host = text
    var port = Self.defaultPort
    let isBracketed = bytes.first == UInt8(ascii: "[")
    let afterHost = isBracketed ? bytes.lastIndex(of: UInt8(ascii: "]")).map { bytes.index(after: $0) } : nil
    if isBracketed, afterHost == nil { throw Self.unreadable(text) }
    if let colon = bytes[(afterHost ?? bytes.startIndex)...].firstIndex(of: UInt8(ascii: ":")) {
      if !isBracketed, bytes[bytes.index(after: colon)...].contains(UInt8(ascii: ":")) {
        throw .address(text, reason: "an IPv6 address must be in brackets, as in [::1]:8443")
      }
      port = try Self.port(String(text[bytes.index(after: colon)...]), of: text)
      host = String(text[..<colon])
    }
    if isBracketed {
      guard host.utf8.last == UInt8(ascii: "]") else { throw Self.unreadable(text) }
      host = String(host.dropFirst().dropLast())
      guard !host.isEmpty else { throw Self.unreadable(text) }
    }
    self.port = port
    place =
      switch host {
      case "" where !text.isEmpty: .everywhere
      case "": throw Self.unreadable(text)
      case "localhost": .localhost
      default: .address(try Self.lookUp(host, port: port))
      }
  }

  /// True if only this machine can reach the address.
  package var isLoopback: Bool {
    switch place {
    case .everywhere: false
    case .localhost: true
    case .address(let address): address.isLoopback
    }
  }

  /// The addresses at which programs on this machine can connect; empty if the address is not a loopback address.
  package var loopbackAddresses: [SocketAddress] {
    switch place {
    case .everywhere: []
    case .localhost:
      [[127, 0, 0, 1], Array(repeating: 0, count: 15) + [1]].map { SocketAddress(addressBytes: $0, port: port) }
    case .address(let address): address.isLoopback ? [address] : []
    }
  }

  /// The host that a person on this machine would type; nil if it stands for every address of the machine.
  package var host: String? {
    switch place {
    case .everywhere: nil
    case .localhost: "localhost"
    case .address(let address): address.isWildcard ? nil : address.isIPv6 ? "[\(address.host)]" : address.host
    }
  }

  private static func lookUp(_ host: String, port: UInt16) throws(NetworkingError) -> SocketAddress {
    if let address = SocketAddress(literal: host, port: port) { return address }
    let found: [SocketAddress]
    do throws(HostLookUpError) { found = try SocketAddress.lookUp(host, port: port) } catch {
      throw .address(host, reason: error.reason)
    }
    guard let first = found.first else { throw .address(host, reason: "it has no IPv4 or IPv6 address") }
    return first
  }

  private static func port(_ digits: String, of text: String) throws(NetworkingError) -> UInt16 {
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      throw unreadable(text)
    }
    return port
  }

  private static func unreadable(_ text: String) -> NetworkingError {
    .address(text, reason: "it must be HOST:PORT, HOST or PORT, with a port from 0 to 65535")
  }
}
