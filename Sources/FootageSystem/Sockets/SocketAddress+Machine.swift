#if !canImport(Darwin)
internal import Glibc

extension SocketAddress {
  /// The addresses by which others reach this machine just now, IPv4 first, in the order of its interfaces: not those
  /// that are its own alone, nor what is good on one link only. Calls `getifaddrs`.
  package static func ofThisMachine(port: UInt16) -> [SocketAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    // Safe because the list is the library's until it is freed, and is copied out of before.
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      let flags = unsafe CInt(bitPattern: entry.pointee.ifa_flags)
      // Of a bridge for containers, say, that has none, nobody is on the other side.
      if flags & CInt(IFF_UP) != 0, flags & CInt(IFF_RUNNING) != 0, let name = unsafe entry.pointee.ifa_addr,
        let found = unsafe SocketAddress(name), !found.isLoopback, !found.isLinkLocal
      {
        let address = SocketAddress(addressBytes: found.addressBytes, port: port)
        if !addresses.contains(address) { addresses.append(address) }
      }
      unsafe next = entry.pointee.ifa_next
    }
    return addresses.filter { !$0.isIPv6 } + addresses.filter(\.isIPv6)
  }

  /// Of IPv6 (RFC 4291 §2.5.6), which means nothing without an interface.
  private var isLinkLocal: Bool {
    isIPv6 && addressBytes.first == 0xFE && addressBytes.dropFirst().first.map { $0 & 0xC0 == 0x80 } == true
  }
}
#endif
