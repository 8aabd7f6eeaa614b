/// An outgoing connection while it is being made.

internal import CLinux
internal import Glibc
package import System

/// Belongs to its loop's thread. One task waits for it; `abort` may come from others on the loop.
package final class TCPConnector {
  private let socket: Socket
  private let registration: PollRegistration
  private let loop: EventLoop

  /// Begins to connect. Never blocks.
  ///
  /// - Throws: `StreamError.unreachable`: no route, no descriptor left, refused at once.
  package init(to address: SocketAddress, on loop: EventLoop) throws(StreamError) {
    loop.assertOnLoop()
    let descriptor = Glibc.socket(
      address.isIPv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
      0)
    guard descriptor >= 0 else { throw .unreachable(.current) }
    // Closes the descriptor from here on.
    socket = Socket(owning: descriptor, peer: address, unsentLimit: Self.unsentLimit)
    Socket.tune(descriptor, unsentLimit: Self.unsentLimit)
    self.loop = loop
    let result = unsafe address.withSockAddr { unsafe connect(descriptor, $0, $1) }
    // EINTR: the connection goes on being made (man 2 connect).
    guard result == 0 || errno == EINPROGRESS || errno == EINTR else { throw .unreachable(.current) }
    do throws(NetworkingError) { registration = try loop.register(descriptor) } catch {
      throw .unreachable(.tooManyOpenFiles)
    }
    // What the system knows already it tells at the next look.
    registration.isWritable = false
  }

  /// Requests are small.
  private static let unsentLimit = 64 * 1024

  /// Waits for the connection.
  ///
  /// - Throws: `StreamError`: `.unreachable`, `.deadlinePassed`, `.aborted`.
  package func finish(until deadline: Deadline) async throws(StreamError) -> Socket {
    defer { loop.deregister(registration) }
    switch await registration.wait(toReady: .write, until: deadline) {
    case .ready: break
    case .deadlinePassed: throw .deadlinePassed
    case .aborted: throw .aborted
    }
    var number: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    guard unsafe getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else {
      throw .unreachable(.current)
    }
    guard number == 0 else { throw .unreachable(Errno(rawValue: number)) }
    return socket
  }

  /// Gives up.
  package func abort() { registration.abort() }
}
