import Foundation
import FootageServing
import FootageSystem

/// The two ends of a connection inside this process: no port, no network, and what one end sends the other has.
package enum SocketPair {
  /// - Parameter peer: where the first end is told that the connection comes from.
  /// - Returns: an end for the code under test, which does not block, and one for the test, which does.
  package static func make(
    peer: SocketAddress = SocketAddress(addressBytes: [192, 0, 2, 7], port: 50_000)
  ) throws -> (Socket, BlockingSocket) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw BlockingSocket.Failed("socketpair")
    }
    let own = try BlockingSocket(owning: ends[1])
    let socket = Socket(owning: ends[0], peer: peer, unsentLimit: 64 * 1024)
    guard fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else { throw BlockingSocket.Failed("fcntl") }
    return (socket, own)
  }
}

extension EventLoop {
  /// Returns when it has dealt with what had come to it before.
  package func turn() async {
    // What is found at a look at the sockets may take several jobs; all of them run before the next look.
    for _ in 0..<2 { await Task(executorPreference: self) {}.value }
  }
}
