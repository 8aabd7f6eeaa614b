import Synchronization

/// Ports of the loopback for servers that end while a test continues.
///
/// The system may give a port that was free to the next process that asks for any port. A test that still calls it
/// would then reach the server of another test. These ports are held by a socket that does not listen: calls are
/// refused, and only a server that names the port can listen there, with `SO_REUSEADDR`.
package enum HeldPort {
  private static let sockets = Mutex<[BlockingSocket]>([])

  /// Returns a port that was never handed out before, and that nothing else gets until this process ends.
  package static func next() throws -> UInt16 {
    let socket = try BlockingSocket(boundTo: 0)
    sockets.withLock { $0.append(socket) }
    return socket.port
  }
}
