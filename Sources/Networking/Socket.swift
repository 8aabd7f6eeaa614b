/// A connected socket, from the moment it was accepted; closed when nobody holds it any more.

internal import CLinux
internal import Glibc

package final class Socket: Sendable {
  let descriptor: CInt
  package let peer: SocketAddress
  /// Bytes that the kernel may hold unsent for it, as it was tuned.
  let unsentLimit: Int

  /// Takes over the descriptor, which does not block.
  init(owning descriptor: CInt, peer: SocketAddress, unsentLimit: Int) {
    self.descriptor = descriptor
    self.peer = peer
    self.unsentLimit = unsentLimit
  }

  deinit { close(descriptor) }

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
  func setUnsentLimit(_ limit: Int) { Self.set(TCP_NOTSENT_LOWAT, CInt(clamping: limit), on: descriptor) }

  /// This machine's end of it.
  var local: SocketAddress? { SocketAddress(boundTo: descriptor) }

  /// Sent or still to be sent, and not acknowledged by the peer (man 7 tcp, `SIOCOUTQ`).
  var unacknowledgedByteCount: Int {
    var count: CInt = 0
    guard unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { return 0 }
    return max(0, Int(count))
  }

  /// Has closing throw away what is yet to be sent, and reset the connection (man 7 socket, `SO_LINGER` of no seconds).
  func discardUnsent() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// A failure is no reason to fail: both options only tune.
  private static func set(_ option: CInt, _ value: CInt, on descriptor: CInt) {
    var value = value
    _ = unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<CInt>.size))
  }
}
