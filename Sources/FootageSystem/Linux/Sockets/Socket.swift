internal import CFootageLinux
internal import Glibc

/// A connection of TCP, from the moment it is begun or accepted; closed when nobody holds it any more. No call blocks.
package final class Socket: Sendable {
  package let descriptor: CInt
  package let peer: SocketAddress
  /// Bytes that the kernel may hold unsent for it, as it was tuned.
  package let unsentLimit: Int
  /// Who is at the other end, where it came to a socket with a path; nil of any other.
  package let localPeer: LocalPeer?

  /// Takes over the descriptor, which does not block.
  package init(owning descriptor: CInt, peer: SocketAddress, unsentLimit: Int, localPeer: LocalPeer? = nil) {
    self.descriptor = descriptor
    self.peer = peer
    self.unsentLimit = unsentLimit
    self.localPeer = localPeer
  }

  deinit { close(descriptor) }

  /// Begins to connect: the socket can be written to once that has come to an end, and `connectionError` says to which.
  ///
  /// - Parameter unsentLimit: bytes that the kernel may hold unsent.
  /// - Throws: `Errno`: no route, no descriptor left, refused at once.
  package init(connectingTo address: SocketAddress, unsentLimit: Int) throws(Errno) {
    descriptor = try Self.make(for: address)
    peer = address
    self.unsentLimit = unsentLimit
    localPeer = nil
    Self.tune(descriptor, unsentLimit: unsentLimit)
    let result = unsafe address.withSockAddr { unsafe connect(descriptor, $0, $1) }
    // EINTR: the connection goes on being made (man 2 connect).
    guard result == 0 || errno == EINPROGRESS || errno == EINTR else { throw .current }
  }

  /// A socket of the address's family that does not block.
  static func make(for address: SocketAddress) throws(Errno) -> CInt {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, CInt(kind), 0)
    guard descriptor >= 0 else { throw .current }
    return descriptor
  }

  /// What an attempt to connect has come to; nil where it has succeeded.
  package var connectionError: Errno? {
    var number: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { return .current }
    return number == 0 ? nil : Errno(rawValue: number)
  }

  // MARK: Bytes

  /// Takes what has come.
  ///
  /// - Returns: how many bytes are in the buffer, 0 at the peer's end; nil where nothing has come.
  package func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int? {
    while true {
      let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count >= 0 { return count }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { throw .current }
      return nil
    }
  }

  /// Hands bytes to the kernel.
  ///
  /// - Returns: how many it took; nil where it takes none just now.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int? {
    while true {
      let count = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
      if count >= 0 { return count }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { throw .current }
      return nil
    }
  }

  /// Tells the peer that nothing more will come.
  package func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// Has closing throw away what is yet to be sent, and reset the connection (man 7 socket, `SO_LINGER` of no seconds).
  package func discardUnsent() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  // MARK: What it is like

  /// Tunes a socket that is about to connect, or to listen: what it accepts inherits both options (man 7 tcp).
  ///
  /// - Parameter unsentLimit: bytes that the kernel may hold unsent for one connection.
  static func tune(_ descriptor: CInt, unsentLimit: Int) {
    // Heads and bodies leave in one piece each: waiting for more would only delay them.
    set(TCP_NODELAY, 1, on: descriptor)
    // Without a limit the kernel buffers megabytes for every slow reader.
    set(TCP_NOTSENT_LOWAT, CInt(clamping: unsentLimit), on: descriptor)
  }

  /// Lets the kernel hold more, or as much as before, from the next byte on.
  package func setUnsentLimit(_ limit: Int) { Self.set(TCP_NOTSENT_LOWAT, CInt(clamping: limit), on: descriptor) }

  /// Has the kernel send so much in a second at most from now on, in bytes; nil for as much as it goes (man 7 socket,
  /// `SO_MAX_PACING_RATE`). A kernel that cannot sends as before.
  package func setSendingRate(_ bytesPerSecond: UInt64?) {
    var rate = bytesPerSecond ?? .max
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, socklen_t(MemoryLayout<UInt64>.size))
  }

  /// Has routers send others first, where they heed it: the lower-effort class (RFC 8622 §4), for what may take its
  /// time.
  package func yieldToOthers() {
    var trafficClass: CInt = 0b000001 << 2
    let size = socklen_t(MemoryLayout<CInt>.size)
    if peer.isIPv6 {
      _ = unsafe setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_TCLASS, &trafficClass, size)
    } else {
      _ = unsafe setsockopt(descriptor, CInt(IPPROTO_IP), IP_TOS, &trafficClass, size)
    }
  }

  /// This machine's end of it.
  package var local: SocketAddress? { SocketAddress(boundTo: descriptor) }

  /// Sent or still to be sent, and not acknowledged by the peer (man 7 tcp, `SIOCOUTQ`).
  package var unacknowledgedByteCount: Int {
    var count: CInt = 0
    guard unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
    return max(0, Int(count))
  }

  /// A failure is no reason to fail: both options only tune.
  private static func set(_ option: CInt, _ value: CInt, on descriptor: CInt) {
    var value = value
    _ = unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<CInt>.size))
  }
}
