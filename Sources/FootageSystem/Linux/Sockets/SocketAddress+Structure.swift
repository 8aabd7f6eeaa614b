internal import Glibc

/// Conversions from and to the structures of system calls.
extension SocketAddress {
  /// - Returns: nil for families other than IPv4 and IPv6. An IPv4 address inside IPv6 (RFC 4291 §2.5.5.2) becomes
  ///   IPv4.
  init?(_ address: UnsafePointer<sockaddr>) {
    switch CInt(unsafe address.pointee.sa_family) {
    case AF_INET:
      // Safe because the family determines the structure.
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

  /// Reads the address of the socket with this descriptor; nil if there is none.
  init?(boundTo descriptor: CInt) {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // Safe because sockaddr_storage holds every address, and the length is passed along.
    let address = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &length) == 0 ? SocketAddress($0) : nil
      }
    }
    guard let address else { return nil }
    self = address
  }

  /// Calls `body` with the structure that `bind` and `connect` expect.
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
