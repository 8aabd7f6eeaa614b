internal import CFootageLinux
internal import Glibc

/// A TCP connection, from the start of connecting or from its acceptance; closed when it is released. No call blocks.
package final class Socket: Sendable {
  package let descriptor: CInt
  package let peer: SocketAddress
  /// The usual limit of unsent bytes in the kernel. A new connection may begin with less (`setUnsentLimit`).
  package let unsentLimit: Int
  /// The process at the other end if it connected to a socket with a path; otherwise nil.
  package let localPeer: LocalPeer?

  /// Creates a connection that takes over the descriptor, which does not block.
  package init(owning descriptor: CInt, peer: SocketAddress, unsentLimit: Int, localPeer: LocalPeer? = nil) {
    self.descriptor = descriptor
    self.peer = peer
    self.unsentLimit = unsentLimit
    self.localPeer = localPeer
  }

  deinit { close(descriptor) }

  /// Begins to connect. The socket becomes writable once the attempt is over, and `connectionError` gives the result.
  ///
  /// - Parameter unsentLimit: the bytes that the kernel may hold unsent.
  /// - Throws: `Errno`: no route, no descriptor left, refused immediately.
  package init(connectingTo address: SocketAddress, unsentLimit: Int) throws(Errno) {
    descriptor = try Self.make(for: address)
    peer = address
    self.unsentLimit = unsentLimit
    localPeer = nil
    Self.tune(descriptor, unsentLimit: unsentLimit)
    let result = unsafe address.withSockAddr { unsafe connect(descriptor, $0, $1) }
    // EINTR: the attempt to connect continues (man 2 connect).
    guard result == 0 || errno == EINPROGRESS || errno == EINTR else { throw .current }
  }

  /// Creates a socket of the address's family that does not block.
  static func make(for address: SocketAddress) throws(Errno) -> CInt {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, CInt(kind), 0)
    guard descriptor >= 0 else { throw .current }
    return descriptor
  }

  /// The error of an attempt to connect; nil if it has succeeded.
  package var connectionError: Errno? {
    var number: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { return .current }
    return number == 0 ? nil : Errno(rawValue: number)
  }

  // MARK: Bytes

  /// Receives the bytes that have arrived.
  ///
  /// - Returns: the number of bytes in the buffer, 0 at the peer's end; nil if nothing has arrived.
  package func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int? {
    while true {
      let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count >= 0 { return count }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { throw .current }
      return nil
    }
  }

  /// Passes bytes to the kernel.
  ///
  /// - Returns: the number of bytes that it accepted; nil if it accepts none at the moment.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int? {
    while true {
      let count = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
      if count >= 0 { return count }
      if errno == EINTR { continue }
      guard errno == EAGAIN else { throw .current }
      return nil
    }
  }

  /// Tells the peer that this side sends nothing more.
  package func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// Makes closing discard the unsent bytes and reset the connection (man 7 socket, `SO_LINGER` with zero seconds).
  package func discardUnsent() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  // MARK: Options and state

  /// Tunes a socket that is about to connect or to listen. Connections that a tuned socket accepts inherit its options
  /// (man 7 tcp).
  ///
  /// - Parameter unsentLimit: the bytes that the kernel may hold unsent for one connection.
  static func tune(_ descriptor: CInt, unsentLimit: Int) {
    // Heads and bodies leave in one piece each: waiting for more would only delay them.
    set(TCP_NODELAY, 1, on: descriptor)
    // Without a limit the kernel buffers megabytes for every slow reader.
    set(TCP_NOTSENT_LOWAT, CInt(clamping: unsentLimit), on: descriptor)
  }

  /// Sets the number of bytes that the kernel may hold unsent, from the next byte on.
  package func setUnsentLimit(_ limit: Int) { Self.set(TCP_NOTSENT_LOWAT, CInt(clamping: limit), on: descriptor) }

  /// Limits the bytes that the kernel sends per second from now on; nil for no limit (man 7 socket,
  /// `SO_MAX_PACING_RATE`). A kernel that cannot do this sends as before.
  package func setSendingRate(_ bytesPerSecond: UInt64?) {
    var rate = bytesPerSecond ?? .max
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, socklen_t(MemoryLayout<UInt64>.size))
  }

  /// Asks routers to send other traffic first, if they support that: the lower-effort class (RFC 8622 §4), for
  /// transfers that are not urgent.
  package func yieldToOthers() {
    var trafficClass: CInt = 0b000001 << 2
    let size = socklen_t(MemoryLayout<CInt>.size)
    if peer.isIPv6 {
      _ = unsafe setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_TCLASS, &trafficClass, size)
    } else {
      _ = unsafe setsockopt(descriptor, CInt(IPPROTO_IP), IP_TOS, &trafficClass, size)
    }
  }

  /// The address of this machine's end.
  package var local: SocketAddress? { SocketAddress(boundTo: descriptor) }

  /// The number of bytes that were sent or are waiting to be sent, and that the peer has not acknowledged (man 7 tcp,
  /// `SIOCOUTQ`).
  package var unacknowledgedByteCount: Int {
    var count: CInt = 0
    guard unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
    return max(0, Int(count))
  }

  /// Sets an option, and ignores a failure: `TCP_NODELAY` and `TCP_NOTSENT_LOWAT` are only for tuning.
  private static func set(_ option: CInt, _ value: CInt, on descriptor: CInt) {
    var value = value
    _ = unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<CInt>.size))
  }
}
