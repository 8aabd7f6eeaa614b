internal import Glibc

/// An address of IPv4 or IPv6 and a port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// In network byte order: 4 bytes, or 16.
  package let addressBytes: [UInt8]
  package let port: UInt16
  /// The number of the interface that a link-local address of IPv6 is good on (RFC 4007 §6); 0 for all others.
  package let zone: UInt32

  package init(addressBytes: [UInt8], port: UInt16, zone: UInt32 = 0) {
    self.addressBytes = addressBytes
    self.port = port
    self.zone = zone
  }

  /// - Returns: nil for other families than IPv4 and IPv6. An IPv4 address inside IPv6 (RFC 4291 §2.5.5.2) is IPv4.
  init?(_ address: UnsafePointer<sockaddr>) {
    switch CInt(unsafe address.pointee.sa_family) {
    case AF_INET:
      // Safe because the family says which structure it is.
      let inet = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
      self.init(
        addressBytes: unsafe withUnsafeBytes(of: inet.sin_addr) { unsafe Array($0) },
        port: UInt16(bigEndian: inet.sin_port))
    case AF_INET6:
      let inet = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
      let bytes = unsafe withUnsafeBytes(of: inet.sin6_addr) { unsafe Array($0) }
      self.init(ipv6Bytes: bytes, port: UInt16(bigEndian: inet.sin6_port), zone: inet.sin6_scope_id)
    default: return nil
    }
  }

  /// An IPv4 address inside IPv6 (RFC 4291 §2.5.5.2) is IPv4.
  ///
  /// - Parameter ipv6Bytes: 16 of them.
  init(ipv6Bytes bytes: [UInt8], port: UInt16, zone: UInt32 = 0) {
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    self.init(addressBytes: isMapped ? Array(bytes[12...]) : bytes, port: port, zone: isMapped ? 0 : zone)
  }

  /// Of the socket behind a descriptor; nil where there is none.
  init?(boundTo descriptor: CInt) {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // Safe because sockaddr_storage holds every address, and the length goes along.
    let address = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &length) == 0 ? SocketAddress($0) : nil
      }
    }
    guard let address else { return nil }
    self = address
  }

  package var isIPv6: Bool { addressBytes.count == 16 }

  /// What one user has at least: the address itself, or, of IPv6, the network of 64 bits that it is in (RFC 4291
  /// §2.5.4).
  package struct Block: Hashable, Sendable {
    private let bits: UInt64
    private let isIPv6: Bool

    fileprivate init(_ addressBytes: [UInt8]) {
      bits = addressBytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
      isIPv6 = addressBytes.count == 16
    }
  }

  package var block: Block { Block(addressBytes) }

  /// Whether only this machine can reach it.
  package var isLoopback: Bool {
    isIPv6 ? addressBytes == [UInt8](repeating: 0, count: 15) + [1] : addressBytes.first == 127
  }

  /// Whether it stands for all addresses of the machine.
  package var isWildcard: Bool { addressBytes.allSatisfy { $0 == 0 } }

  /// The address alone, without brackets and zone.
  package var host: String {
    var text = [UInt8](repeating: 0, count: 64)
    // Safe because 64 bytes hold every address as text (INET6_ADDRSTRLEN is 46).
    unsafe addressBytes.withUnsafeBytes { bytes in
      unsafe text.withUnsafeMutableBytes { buffer in
        _ = unsafe inet_ntop(
          isIPv6 ? AF_INET6 : AF_INET, bytes.baseAddress, buffer.bindMemory(to: CChar.self).baseAddress, 64)
      }
    }
    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }

  package var description: String { isIPv6 ? "[\(host)\(zoneWords)]:\(port)" : "\(host):\(port)" }

  private var zoneWords: String { zone == 0 ? "" : "%\(Self.interfaceName(of: zone) ?? String(zone))" }

  /// Calls `body` with the structure that `bind` and `connect` take.
  func withSockAddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if isIPv6 {
      var inet = sockaddr_in6()
      inet.sin6_family = sa_family_t(AF_INET6)
      inet.sin6_port = port.bigEndian
      inet.sin6_scope_id = zone
      // Safe because an address of this family has 16 bytes.
      unsafe withUnsafeMutableBytes(of: &inet.sin6_addr) { unsafe $0.copyBytes(from: addressBytes) }
      return unsafe withUnsafePointer(to: &inet) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
    var inet = sockaddr_in()
    inet.sin_family = sa_family_t(AF_INET)
    inet.sin_port = port.bigEndian
    // Safe because an address of this family has 4 bytes.
    unsafe withUnsafeMutableBytes(of: &inet.sin_addr) { unsafe $0.copyBytes(from: addressBytes) }
    return unsafe withUnsafePointer(to: &inet) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
