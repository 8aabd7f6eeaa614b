internal import Glibc

/// The reason why a host has no address.
package struct HostLookUpError: Error, Hashable, Sendable {
  package let reason: String
}

extension SocketAddress {
  /// Returns all addresses of a host, the best first (RFC 6724). Calls `getaddrinfo`, which blocks.
  ///
  /// - Throws: `HostLookUpError`.
  package static func lookUp(_ host: String, port: UInt16) throws(HostLookUpError) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // Safe because the library owns the list until it is freed, and its contents are copied before that.
    let status = unsafe getaddrinfo(host, nil, &hints, &list)
    defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
    guard status == 0 else {
      if let sign = host.utf8.lastIndex(of: UInt8(ascii: "%")) {
        let zone = String(host[host.utf8.index(after: sign)...])
        if interfaceNumber(zone) == nil { throw HostLookUpError(reason: "this machine has no interface '\(zone)'") }
      }
      throw HostLookUpError(reason: unsafe String(cString: gai_strerror(status)))
    }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ai_addr, let found = unsafe SocketAddress(address) {
        let address = SocketAddress(addressBytes: found.addressBytes, port: port, zone: found.zone)
        if !addresses.contains(address) { addresses.append(address) }
      }
      unsafe next = entry.pointee.ai_next
    }
    guard !addresses.isEmpty else { throw HostLookUpError(reason: "it has no IPv4 or IPv6 address") }
    return addresses
  }
}
