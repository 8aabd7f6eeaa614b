package import FootageSystem

/// An outgoing connection while it is being made.
///
/// Belongs to its loop's thread. One task waits for it; other tasks on the loop may call `abort`.
package final class TCPConnector {
  private let socket: Socket
  private let registration: PollRegistration
  private let loop: EventLoop

  /// Begins to connect. Never blocks.
  ///
  /// - Throws: `StreamError.unreachable` if there is no route, no descriptor is left, or the connection is refused at
  ///   once.
  package init(to address: SocketAddress, on loop: EventLoop) throws(StreamError) {
    loop.assertOnLoop()
    do throws(Errno) { socket = try Socket(connectingTo: address, unsentLimit: Self.unsentLimit) } catch {
      throw .unreachable(error)
    }
    self.loop = loop
    do throws(NetworkingError) { registration = try loop.register(socket.descriptor) } catch {
      throw .unreachable(.tooManyOpenFiles)
    }
    // The system reports what it already knows at the next poll.
    registration.isWritable = false
  }

  /// The limit for unsent bytes in the kernel, which is low because requests are small.
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
    if let error = socket.connectionError { throw .unreachable(error) }
    return socket
  }

  /// Abandons the attempt.
  package func abort() { registration.abort() }
}
