internal import Glibc

extension SocketAddress {
  /// True for a link-local IPv6 address (RFC 4291 §2.5.6), which has no meaning without an interface.
  fileprivate var isLinkLocal: Bool {
    isIPv6 && addressBytes.first == 0xFE && addressBytes.dropFirst().first.map { $0 & 0xC0 == 0x80 } == true
  }
}

/// An interface of this machine that is up, with the addresses by which others reach the machine over it.
package struct NetworkInterface: Hashable, Sendable {
  /// The name that the kernel gives it, for example `eth0`.
  package let name: String
  /// Its addresses, without loopback addresses and link-local IPv6 addresses.
  package var addresses: [SocketAddress]
  package let isWireless: Bool
  /// True if it has a default route, for packets with no more specific route.
  package let hasDefaultRoute: Bool

  package init(_ name: String, _ addresses: [SocketAddress], isWireless: Bool = false, hasDefaultRoute: Bool = false) {
    self.name = name
    self.addresses = addresses
    self.isWireless = isWireless
    self.hasDefaultRoute = hasDefaultRoute
  }

  /// Returns all interfaces that have an address, in the kernel's order. Calls `getifaddrs`, and reads `/proc/net` and
  /// `/sys/class/net`.
  package static func all(port: UInt16) -> [NetworkInterface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    // Safe because the library owns the list until it is freed, and its contents are copied before that.
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    let routed = defaultRoutes()
    var interfaces: [NetworkInterface] = []
    var next = unsafe list
    while let entry = unsafe next {
      let flags = unsafe CInt(bitPattern: entry.pointee.ifa_flags)
      // An interface that is not running has no one at the other end, for example a container bridge without
      // containers.
      if flags & CInt(IFF_UP) != 0, flags & CInt(IFF_RUNNING) != 0, let name = unsafe entry.pointee.ifa_addr,
        let found = unsafe SocketAddress(name), !found.isLoopback, !found.isLinkLocal
      {
        let address = SocketAddress(addressBytes: found.addressBytes, port: port)
        let interface = unsafe String(cString: entry.pointee.ifa_name)
        if let known = interfaces.firstIndex(where: { $0.name == interface }) {
          if !interfaces[known].addresses.contains(address) { interfaces[known].addresses.append(address) }
        } else {
          interfaces.append(
            NetworkInterface(
              interface, [address], isWireless: isWireless(interface), hasDefaultRoute: routed.contains(interface)))
        }
      }
      unsafe next = entry.pointee.ifa_next
    }
    return interfaces
  }

  private static func isWireless(_ name: String) -> Bool {
    ["wireless", "phy80211"].contains { unsafe access("/sys/class/net/\(name)/\($0)", F_OK) == 0 }
  }

  /// Returns the names of the interfaces of default routes (man 5 proc, `/proc/net/route` and `/proc/net/ipv6_route`).
  private static func defaultRoutes() -> Set<String> {
    var names: Set<String> = []
    for line in text(of: "/proc/net/route").split(separator: "\n").dropFirst() {
      let fields = line.split(whereSeparator: \.isWhitespace)
      if fields.count > 7, fields[1] == "00000000", fields[7] == "00000000" { names.insert(String(fields[0])) }
    }
    for line in text(of: "/proc/net/ipv6_route").split(separator: "\n") {
      let fields = line.split(whereSeparator: \.isWhitespace)
      // The kernel's own routes to nowhere are those of `lo`.
      if fields.count > 9, fields[0].allSatisfy({ $0 == "0" }), fields[1] == "00", fields[9] != "lo" {
        names.insert(String(fields[9]))
      }
    }
    return names
  }

  /// Returns the text of a kernel file, at most `longestText` bytes of it; such a file does not report its length.
  private static func text(of path: String) -> String {
    guard let file = try? FileDescriptor.open(path, .reading) else { return "" }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while text.count < longestText {
      // Safe because the buffer belongs to the array.
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in unsafe (try? file.read(into: bytes)) ?? 0 }
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The most bytes that are read, enough for a few thousand routes.
  private static let longestText = 1 << 20
}
