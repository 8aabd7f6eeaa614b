/// A connected socket, from the moment it was accepted; closed when nobody holds it any more.

internal import CLinux
internal import Glibc

package final class Socket: Sendable {
  let descriptor: CInt
  package let peer: SocketAddress

  /// Takes over the descriptor, which does not block.
  init(owning descriptor: CInt, peer: SocketAddress, unsentLimit: Int) {
    self.descriptor = descriptor
    self.peer = peer
    // Heads and bodies leave in one piece each: waiting for more would only delay them.
    set(IPPROTO_TCP_LEVEL, TCP_NODELAY, 1)
    // Without a limit the kernel buffers megabytes for every slow reader.
    set(IPPROTO_TCP_LEVEL, TCP_NOTSENT_LOWAT, CInt(clamping: unsentLimit))
  }

  deinit { close(descriptor) }

  /// A failure is no reason to fail: both options only tune.
  private func set(_ level: CInt, _ option: CInt, _ value: CInt) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
  }
}

private let IPPROTO_TCP_LEVEL = CInt(IPPROTO_TCP)
