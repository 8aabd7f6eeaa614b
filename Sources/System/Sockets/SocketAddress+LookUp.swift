internal import Glibc

/// Why a host has no address.
package struct HostLookUpError: Error, Hashable, Sendable {
  package let reason: String
}

extension SocketAddress {
  /// An address as text, without brackets (RFC 5952, dotted decimal), of IPv6 perhaps with `%` and an interface's name
  /// or number (RFC 4007 §11); nil where it is a name, or an interface that is not there. Never blocks.
  package init?(literal host: String, port: UInt16) {
    let parts = host.utf8.split(separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
    let zoneName = parts.count == 2 ? String(Substring(parts[1])) : nil
    let zone = zoneName.map(Self.interfaceNumber)
    guard let first = parts.first, zone != .some(nil) else { return nil }
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] where family == AF_INET6 || zoneName == nil {
      var bytes = [UInt8](repeating: 0, count: count)
      if unsafe inet_pton(family, String(Substring(first)), &bytes) == 1 {
        self.init(addressBytes: bytes, port: port, zone: (zone ?? nil) ?? 0)
        return
      }
    }
    return nil
  }

  /// Of an interface's name, or of its number as text.
  private static func interfaceNumber(_ text: String) -> UInt32? {
    let number = unsafe if_nametoindex(text)
    return number > 0 ? number : UInt32(text).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Nil where there is no such interface.
  static func interfaceName(of number: UInt32) -> String? {
    // IF_NAMESIZE is 16, the end included.
    var name = [UInt8](repeating: 0, count: 16)
    // Safe because the buffer holds every name.
    let isThere = unsafe name.withUnsafeMutableBytes { buffer in
      unsafe if_indextoname(number, buffer.bindMemory(to: CChar.self).baseAddress) != nil
    }
    return isThere ? String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) : nil
  }

  /// All addresses of a host, the best first (RFC 6724). Calls `getaddrinfo`, which blocks.
  ///
  /// - Throws: `HostLookUpError`.
  package static func lookUp(_ host: String, port: UInt16) throws(HostLookUpError) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // Safe because the list is the library's until it is freed, and is copied out of before.
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
    guard !addresses.isEmpty else { throw HostLookUpError(reason: "it has no address of IPv4 or IPv6") }
    return addresses
  }
}
