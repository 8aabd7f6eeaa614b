#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif
package import FootageBase

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address in network byte order: 4 bytes, or 16.
  package let addressBytes: [UInt8]
  package let port: UInt16
  /// The number of the interface on which a link-local IPv6 address is valid (RFC 4007 §6); 0 for all other addresses.
  package let zone: UInt32

  package init(addressBytes: [UInt8], port: UInt16, zone: UInt32 = 0) {
    self.addressBytes = addressBytes
    self.port = port
    self.zone = zone
  }

  /// Creates an address, which is IPv4 if it is an IPv4 address inside IPv6 (RFC 4291 §2.5.5.2).
  ///
  /// - Parameter ipv6Bytes: exactly 16 bytes.
  init(ipv6Bytes bytes: [UInt8], port: UInt16, zone: UInt32 = 0) {
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    self.init(addressBytes: isMapped ? Array(bytes[12...]) : bytes, port: port, zone: isMapped ? 0 : zone)
  }

  package var isIPv6: Bool { addressBytes.count == 16 }

  package var block: AddressBlock { AddressBlock(addressBytes) }

  /// True if only this machine can reach it.
  package var isLoopback: Bool {
    isIPv6 ? addressBytes == [UInt8](repeating: 0, count: 15) + [1] : addressBytes.first == 127
  }

  /// True if it stands for all addresses of the machine.
  package var isWildcard: Bool { addressBytes.allSatisfy { $0 == 0 } }

  /// The address alone, without brackets and interface.
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
}
