internal import CFootageLinux
internal import Glibc

/// A TCP port on which this process listens. No call blocks.
package final class ListeningSocket: Sendable {
  package let descriptor: CInt
  /// The identity that distinguishes this listener's descriptor from another one with the same number.
  private let identity: FileVersion.Identity?
  /// The address, with the port that was actually assigned.
  package let address: SocketAddress
  private let unsentLimit: Int
  /// True if it has a path instead of an address.
  private let isLocal: Bool

  /// The result of an attempt to accept a connection.
  package enum Attempt {
    case accepted(Socket)
    /// No connection is waiting.
    case none
    /// Descriptors or memory have run out; a connection may be waiting nevertheless.
    case exhausted(String)
    /// No more connections will be accepted: the listener was stopped, or other code closed or shut down its
    /// descriptor.
    case over
  }

  /// Binds and listens. Port 0 selects any free port.
  ///
  /// - Parameters:
  ///   - unsentLimit: the bytes that the kernel may hold unsent for one connection.
  ///   - unsentLimitAtFirst: the same limit for a new connection, about which nothing is known yet.
  package init(_ address: SocketAddress, unsentLimit: Int, unsentLimitAtFirst: Int) throws(Errno) {
    let descriptor = try Socket.make(for: address)
    // A restarted server need not wait for old connections to time out. Never SO_REUSEPORT: with it, a second server
    // could share the port unnoticed.
    var on: CInt = 1
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
    if address.isIPv6, address.isWildcard {
      // IPv4 clients connect here, too, whatever the system's default is (man 7 ipv6).
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

  /// Creates a listener that takes over a listening socket with a path (man 7 unix). Its clients are on this machine.
  init(adoptingLocal descriptor: CInt) {
    self.descriptor = descriptor
    identity = Self.identity(of: descriptor)
    address = SocketAddress(addressBytes: [127, 0, 0, 1], port: 0)
    unsentLimit = 1 << 16
    isLocal = true
  }

  deinit {
    // If other code has closed it, the number may belong to another file now.
    if isOurs { close(descriptor) }
  }

  private var isOurs: Bool { identity != nil && Self.identity(of: descriptor) == identity }

  private static func identity(of descriptor: CInt) -> FileVersion.Identity? {
    try? FileStatus.of(descriptor: descriptor).version.identity
  }

  /// True if clients can still connect. The system ends the listeners of an app while the app is suspended, without
  /// notifying it.
  package var isListening: Bool {
    var accepts: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return unsafe isOurs && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0 && accepts != 0
  }

  /// Refuses connections from now on, including those that wait to be accepted.
  package func stop() {
    if isOurs { shutdown(descriptor, CInt(SHUT_RDWR)) }
  }

  /// The number of connections that may wait to be accepted. It equals the number of connections that a server allows
  /// by default: if all of these are in use, as many clients again can wait. The kernel's `net.core.somaxconn` may
  /// allow fewer.
  private static let backlog: CInt = 1_024

  /// Accepts one waiting connection. Never blocks.
  package func accept() -> Attempt {
    while true {
      var name = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      // Safe because sockaddr_storage holds every address, and the length is passed along.
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
      // The waiting connection is gone again (man 2 accept lists the other errors that the network may cause).
      default: continue
      }
    }
  }
}
