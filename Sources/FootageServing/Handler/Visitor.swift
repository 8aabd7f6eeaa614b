package import FootageSystem

/// The two ends of a connection, and what the handler has found out about the far one. Belongs to its loop's thread.
package final class Visitor {
  /// The local address.
  package let local: SocketAddress
  package let peer: SocketAddress
  /// The owner of the far end, once the handler has asked for it.
  package var owner: SocketOwner?
  /// True if the connection was let in.
  var isLetIn = false
  /// The time until which the connection has to be let in.
  let deadline: Deadline

  init(local: SocketAddress, peer: SocketAddress, until deadline: Deadline) {
    self.local = local
    self.peer = peer
    self.deadline = deadline
  }
}
