package import System

/// A port that is listened on, for loops to take connections from.
package final class TCPListener: Sendable {
  private let socket: ListeningSocket

  /// Binds and listens. Port 0 takes any free one.
  ///
  /// - Parameter unsentLimit: bytes that the kernel may hold unsent for one connection.
  /// - Throws: `NetworkingError.listen`.
  package init(_ address: SocketAddress, unsentLimit: Int) throws(NetworkingError) {
    do throws(Errno) {
      socket = try ListeningSocket(
        address, unsentLimit: unsentLimit, unsentLimitAtFirst: BufferSize.unsentAtFirst)
    } catch { throw .listen(address.description, error) }
  }

  /// With the port that was really given.
  package var address: SocketAddress { socket.address }

  /// Whether callers are let in still. The system ends what an app listens on while that is suspended, and nobody is told.
  package var isListening: Bool { socket.isListening }

  /// From now on connections are refused, also those that wait to be accepted.
  package func stop() { socket.stop() }

  /// Takes one waiting connection. Never blocks.
  package func accept() -> ListeningSocket.Attempt { socket.accept() }

  /// Waits on a loop for somebody to come. Only an edge wakes it: `accept` until it says `none` first.
  package func register(on loop: EventLoop) throws(NetworkingError) -> ListenerRegistration {
    ListenerRegistration(try loop.register(socket.descriptor), on: loop)
  }
}

/// Waits for connections on a loop; belongs to its thread.
package final class ListenerRegistration {
  private let registration: PollRegistration
  private let loop: EventLoop

  init(_ registration: PollRegistration, on loop: EventLoop) {
    self.registration = registration
    self.loop = loop
  }

  /// - Returns: false once `stop` was called.
  package func waitForConnection() async -> Bool {
    registration.isReadable = false
    return await registration.wait(toReady: .read, until: .never) == .ready
  }

  package func stop() {
    loop.deregister(registration)
    // The loop may wait for another file of that number by now, where this one was closed by others.
    registration.abort()
  }
}
