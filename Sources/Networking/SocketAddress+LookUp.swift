/// From a host to its addresses.

internal import CLinux
internal import Glibc

extension SocketAddress {
  /// An address as text, without brackets (RFC 5952, dotted decimal); nil where it is a name. Never blocks.
  package init?(literal host: String, port: UInt16) {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if unsafe inet_pton(family, host, &bytes) == 1 {
        self.init(addressBytes: bytes, port: port)
        return
      }
    }
    return nil
  }

  /// All addresses of a host, the best first (RFC 6724). Calls `getaddrinfo`, which blocks.
  ///
  /// - Throws: `NetworkingError.address`.
  package static func lookUp(_ host: String, port: UInt16) throws(NetworkingError) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // Safe because the list is the library's until it is freed, and is copied out of before.
    let status = unsafe getaddrinfo(host, nil, &hints, &list)
    defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
    guard status == 0 else { throw .address(host, reason: unsafe String(cString: gai_strerror(status))) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ai_addr, let found = unsafe SocketAddress(address) {
        let address = SocketAddress(addressBytes: found.addressBytes, port: port)
        if !addresses.contains(address) { addresses.append(address) }
      }
      unsafe next = entry.pointee.ai_next
    }
    guard !addresses.isEmpty else { throw .address(host, reason: "it has no address of IPv4 or IPv6") }
    return addresses
  }
}
