internal import Glibc

/// A question to all members of a multicast group on the links of this machine, and the answers: UDP over IPv4 and
/// IPv6.
package struct MulticastQuestion: ~Copyable {
  private let sockets: [(group: SocketAddress, descriptor: CInt)]
  private let wakeUp: WakeUp?

  /// The bytes of an answer, and its sender.
  package struct Answer: Sendable {
    package let bytes: [UInt8]
    package let peer: SocketAddress
  }

  /// The result of a wait.
  package enum Outcome: Sendable {
    case answer(Answer)
    case timedOut
    /// The wake-up ended the wait.
    case woken
  }

  /// - Parameters:
  ///   - groups: the groups to ask, of IPv4 and IPv6.
  ///   - wakeUp: ends every wait from its first signal on; nil for none.
  /// - Throws: `SystemError`: no socket could be created for any of them.
  package init(to groups: [SocketAddress], wakeUp: WakeUp? = nil) throws(SystemError) {
    var sockets: [(group: SocketAddress, descriptor: CInt)] = []
    for group in groups {
      let kind = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
      let descriptor = socket(group.isIPv6 ? AF_INET6 : AF_INET, CInt(kind), 0)
      if descriptor >= 0 { sockets.append((group, descriptor)) }
    }
    self.sockets = sockets
    self.wakeUp = wakeUp
    guard !sockets.isEmpty else { throw .current("socket") }
  }

  /// Asks on every interface that is up.
  ///
  /// - Throws: `SystemError`: the question was sent on no interface.
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

  /// Waits for the next answer. Blocks.
  ///
  /// - Parameters:
  ///   - deadline: on the system's clock.
  ///   - capacity: the most bytes of the answer to accept.
  package func next(until deadline: Deadline, capacity: Int) -> Outcome {
    while true {
      let polled: [pollfd]
      switch poll(sockets.map(\.descriptor), until: deadline) {
      case .readable(let entries): polled = entries
      case .timedOut: return .timedOut
      case .woken: return .woken
      }
      for socket in polled where socket.revents != 0 {
        if let answer = Self.receive(from: socket.fd, capacity: capacity) { return .answer(answer) }
      }
    }
  }

  /// Waits until the deadline without reading the answers that arrive. Blocks.
  ///
  /// - Returns: true if the wake-up ended the wait.
  package func isWoken(before deadline: Deadline) -> Bool {
    while true {
      switch poll([], until: deadline) {
      case .readable: continue
      case .timedOut: return false
      case .woken: return true
      }
    }
  }

  private enum Readiness {
    case readable([pollfd])
    case timedOut
    case woken
  }

  private func poll(_ descriptors: [CInt], until deadline: Deadline) -> Readiness {
    while true {
      let milliseconds = Clock.system.patience(until: deadline)
      guard milliseconds != 0 else { return .timedOut }
      // A negative descriptor is ignored (man 2 poll).
      var entries = ([wakeUp?.descriptor ?? -1] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard unsafe Glibc.poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { continue }
      return entries[0].revents != 0 ? .woken : .readable(Array(entries.dropFirst()))
    }
  }

  private static func receive(from descriptor: CInt, capacity: Int) -> Answer? {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var bytes = [UInt8](repeating: 0, count: capacity)
    // Safe because sockaddr_storage holds every address, and the length is passed along.
    let (count, peer) = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe (recvfrom(descriptor, &bytes, capacity, 0, $0, &length), SocketAddress($0))
      }
    }
    guard count >= 0, let peer else { return nil }
    return Answer(bytes: Array(bytes.prefix(count)), peer: peer)
  }

  /// Returns the numbers of the interfaces that are up.
  private static func interfaces() -> [UInt32] {
    var list: UnsafeMutablePointer<ifaddrs>?
    // Safe because the library owns the list until it is freed, and the list is read before that.
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

  /// Makes messages to a group leave through an interface, with the hop limit for messages within the local network
  /// (RFC 6762 §11).
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
