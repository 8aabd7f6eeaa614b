internal import CFootageLinux
internal import Glibc

/// A port of TCP that is listened on. No call blocks.
package final class ListeningSocket: Sendable {
  package let descriptor: CInt
  /// Tells this listener's descriptor from another one with the same number.
  private let identity: FileVersion.Identity?
  /// With the port that was really given.
  package let address: SocketAddress
  private let unsentLimit: Int
  /// Whether it has a path in place of an address.
  private let isLocal: Bool

  /// What came of an attempt to accept.
  package enum Attempt {
    case accepted(Socket)
    /// Nobody waits.
    case none
    /// Descriptors or memory have run out; somebody may wait all the same.
    case exhausted(String)
    /// Nobody comes any more: it was stopped, or its descriptor was closed or shut down by others.
    case over
  }

  /// Binds and listens. Port 0 takes any free one.
  ///
  /// - Parameters:
  ///   - unsentLimit: bytes that the kernel may hold unsent for one connection.
  ///   - unsentLimitAtFirst: the same of one that nothing is known of yet.
  package init(_ address: SocketAddress, unsentLimit: Int, unsentLimitAtFirst: Int) throws(Errno) {
    let descriptor = try Socket.make(for: address)
    // A restarted server need not wait for old connections to time out. Never SO_REUSEPORT: with it, a second server
    // would share the port without a word.
    var on: CInt = 1
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
    if address.isIPv6, address.isWildcard {
      // Callers of IPv4 come in here, too, whatever the system's default is (man 7 ipv6).
      var off: CInt = 0
      _ = unsafe setsockopt(
        descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<CInt>.size))
    }
    Socket.tune(descriptor, unsentLimit: min(unsentLimit, unsentLimitAtFirst))
    let bound = unsafe address.withSockAddr { unsafe bind(descriptor, $0, $1) }
    guard bound == 0, Glibc.listen(descriptor, Self.backlog) == 0 else {
      let number = Errno.current
      close(descriptor)
      throw number
    }
    self.descriptor = descriptor
    identity = Self.identity(of: descriptor)
    self.address = SocketAddress(boundTo: descriptor) ?? address
    self.unsentLimit = unsentLimit
    isLocal = false
  }

  /// Takes over a socket with a path that is listened on (man 7 unix); who comes there is on this machine.
  init(adoptingLocal descriptor: CInt) {
    self.descriptor = descriptor
    identity = Self.identity(of: descriptor)
    address = SocketAddress(addressBytes: [127, 0, 0, 1], port: 0)
    unsentLimit = 1 << 16
    isLocal = true
  }

  deinit {
    // Where somebody closed it, the number may be another file's by now.
    if isOurs { close(descriptor) }
  }

  private var isOurs: Bool { identity != nil && Self.identity(of: descriptor) == identity }

  private static func identity(of descriptor: CInt) -> FileVersion.Identity? {
    try? FileStatus.of(descriptor: descriptor).version.identity
  }

  /// Whether callers are let in still. The system ends what an app listens on while that is suspended, and nobody is
  /// told.
  package var isListening: Bool {
    var accepts: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return unsafe isOurs && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0 && accepts != 0
  }

  /// From now on connections are refused, also those that wait to be accepted.
  package func stop() {
    if isOurs { shutdown(descriptor, CInt(SHUT_RDWR)) }
  }

  /// Those who may wait to be accepted: as many as a server has connections by default, so that a crowd that has them all
  /// keeps nobody from waiting. The kernel's `net.core.somaxconn` may allow fewer.
  private static let backlog: CInt = 1_024

  /// Takes one waiting connection. Never blocks.
  package func accept() -> Attempt {
    while true {
      var name = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      // Safe because sockaddr_storage holds every address, and the length goes along.
      let (accepted, peer) = unsafe withUnsafeMutablePointer(to: &name) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe (clinux_accept(descriptor, $0, &length), SocketAddress($0))
        }
      }
      if accepted >= 0 {
        return .accepted(
          Socket(
            owning: accepted, peer: peer ?? address, unsentLimit: unsentLimit,
            localPeer: isLocal ? LocalPeer(connectedTo: accepted) : nil))
      }
      switch errno {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(Errno.current.description)
      case EAGAIN: return .none
      case EINVAL, EBADF, ENOTSOCK: return .over
      // The connection that waited is gone again (man 2 accept lists what else the network may answer).
      default: continue
      }
    }
  }
}
