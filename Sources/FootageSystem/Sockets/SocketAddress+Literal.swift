#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension SocketAddress {
  /// Reads an address as text, without brackets (RFC 5952, dotted decimal). An IPv6 address may end with `%` and an
  /// interface's name or number (RFC 4007 §11). The result is nil for a name, or for an interface that does not exist.
  /// Never blocks.
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

  /// Returns the number of an interface, given its name, or its number as text.
  static func interfaceNumber(_ text: String) -> UInt32? {
    let number = unsafe if_nametoindex(text)
    return number > 0 ? number : UInt32(text).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Returns the name of an interface; nil if there is no such interface.
  static func interfaceName(of number: UInt32) -> String? {
    // IF_NAMESIZE is 16, including the terminating zero.
    var name = [UInt8](repeating: 0, count: 16)
    // Safe because the buffer holds every name.
    let isThere = unsafe name.withUnsafeMutableBytes { buffer in
      unsafe if_indextoname(number, buffer.bindMemory(to: CChar.self).baseAddress) != nil
    }
    return isThere ? String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) : nil
  }
}
