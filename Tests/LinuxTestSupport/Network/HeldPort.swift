import Synchronization

/// Ports of the loopback for servers that end while a test goes on.
///
/// A port that was free is given to the next who asks for any: a test that still calls it would meet the server of
/// another test. These are kept by a socket that does not listen: calls are refused, and only who names the port can
/// listen there, with `SO_REUSEADDR`.
package enum HeldPort {
  private static let sockets = Mutex<[BlockingSocket]>([])

  /// One that was given to nobody before, and is given to nobody else until this process ends.
  package static func next() throws -> UInt16 {
    let socket = try BlockingSocket(boundTo: 0)
    sockets.withLock { $0.append(socket) }
    return socket.port
  }
}
