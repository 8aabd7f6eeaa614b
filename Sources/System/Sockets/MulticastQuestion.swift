#if !canImport(Darwin)
internal import Glibc

/// A question to whoever listens to a group on the links of this machine, and what is answered: UDP over IPv4 and IPv6.
package struct MulticastQuestion: ~Copyable {
  private let sockets: [(group: SocketAddress, descriptor: CInt)]

  /// What came, and from whom.
  package struct Answer: Sendable {
    package let bytes: [UInt8]
    package let peer: SocketAddress
  }

  /// - Parameter groups: whom to ask, of IPv4 and IPv6.
  /// - Throws: `SystemError`: there is no socket for any of them.
  package init(to groups: [SocketAddress]) throws(SystemError) {
    var sockets: [(group: SocketAddress, descriptor: CInt)] = []
    for group in groups {
      let kind = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
      let descriptor = socket(group.isIPv6 ? AF_INET6 : AF_INET, CInt(kind), 0)
      if descriptor >= 0 { sockets.append((group, descriptor)) }
    }
    self.sockets = sockets
    guard !sockets.isEmpty else { throw .current("socket") }
  }

  /// Asks on every interface that is up.
  ///
  /// - Throws: `SystemError`: it went out on none.
  package func ask(_ message: [UInt8]) throws(SystemError) {
    var (hasGoneOut, failure) = (false, SystemError("sendto", .current))
    for interface in Self.interfaces() {
      for (group, descriptor) in sockets {
        Self.choose(interface, descriptor, isIPv6: group.isIPv6)
        let target = SocketAddress(
          addressBytes: group.addressBytes, port: group.port, zone: group.isIPv6 ? interface : 0)
        // Safe because the array lends its storage for the call.
        let count = unsafe target.withSockAddr { address, length in
          unsafe sendto(descriptor, message, message.count, 0, address, length)
        }
        if count == message.count { hasGoneOut = true } else { failure = .current("sendto") }
      }
    }
    guard hasGoneOut else { throw failure }
  }

  deinit { for (_, descriptor) in sockets { close(descriptor) } }

  /// The next answer. Blocks.
  ///
  /// - Parameters:
  ///   - deadline: on the system's clock.
  ///   - capacity: how much of it is taken, in bytes.
  /// - Returns: nil where none came before the deadline.
  package func next(until deadline: Deadline, capacity: Int) -> Answer? {
    while true {
      let milliseconds = Clock.system.patience(until: deadline)
      guard milliseconds != 0 else { return nil }
      var polled = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      guard unsafe poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { continue }
      for socket in polled where socket.revents != 0 {
        if let answer = Self.receive(from: socket.fd, capacity: capacity) { return answer }
      }
    }
  }

  private static func receive(from descriptor: CInt, capacity: Int) -> Answer? {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var bytes = [UInt8](repeating: 0, count: capacity)
    // Safe because sockaddr_storage holds every address, and the length goes along.
    let (count, peer) = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe (recvfrom(descriptor, &bytes, capacity, 0, $0, &length), SocketAddress($0))
      }
    }
    guard count >= 0, let peer else { return nil }
    return Answer(bytes: Array(bytes.prefix(count)), peer: peer)
  }

  /// The numbers of those that are up and reach others.
  private static func interfaces() -> [UInt32] {
    var list: UnsafeMutablePointer<ifaddrs>?
    // Safe because the list is the library's until it is freed, and is read before.
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var numbers: Set<UInt32> = []
    var next = unsafe list
    while let entry = unsafe next {
      let flags = unsafe CInt(bitPattern: entry.pointee.ifa_flags)
      if flags & CInt(IFF_UP) != 0 { numbers.insert(unsafe if_nametoindex(entry.pointee.ifa_name)) }
      unsafe next = entry.pointee.ifa_next
    }
    return numbers.filter { $0 > 0 }.sorted()
  }

  /// Has what is sent to a group go out on an interface, and no further than this network (RFC 6762 §11).
  private static func choose(_ interface: UInt32, _ descriptor: CInt, isIPv6: Bool) {
    var hops: CInt = 255
    if isIPv6 {
      var number = CInt(interface)
      _ = unsafe setsockopt(
        descriptor, CInt(IPPROTO_IPV6), IPV6_MULTICAST_IF, &number, socklen_t(MemoryLayout<CInt>.size))
      _ = unsafe setsockopt(
        descriptor, CInt(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, &hops, socklen_t(MemoryLayout<CInt>.size))
    } else {
      var request = ip_mreqn()
      request.imr_ifindex = CInt(interface)
      _ = unsafe setsockopt(
        descriptor, CInt(IPPROTO_IP), IP_MULTICAST_IF, &request, socklen_t(MemoryLayout<ip_mreqn>.size))
      _ = unsafe setsockopt(descriptor, CInt(IPPROTO_IP), IP_MULTICAST_TTL, &hops, socklen_t(MemoryLayout<CInt>.size))
    }
  }
}
#endif
