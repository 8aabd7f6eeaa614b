import Foundation
import FootageServing
import FootageSystem

/// The two ends of a connection within this process, without a port or a network. The bytes that one end sends are at
/// the other end at once.
package enum SocketPair {
  /// - Parameter peer: the address from which the connection comes, as the first end sees it.
  /// - Returns: a nonblocking end for the code under test, and a blocking end for the test.
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
  /// Returns when the loop has handled everything that had reached it before.
  package func turn() async {
    // Events of one poll of the sockets may take several jobs. All of them run before the next poll.
    for _ in 0..<2 { await Task(executorPreference: self) {}.value }
  }
}
