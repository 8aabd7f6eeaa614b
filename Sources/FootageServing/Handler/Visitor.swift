package import FootageSystem

/// The two ends of a connection, and what the handler has found out about the far one. Belongs to its loop's thread.
package final class Visitor {
  /// This machine's end.
  package let local: SocketAddress
  package let peer: SocketAddress
  /// Whose the far end is, once the handler has asked.
  package var owner: SocketOwner?
  /// Whether it was let in.
  var isLetIn = false
  /// Until when it has to be.
  let deadline: Deadline

  init(local: SocketAddress, peer: SocketAddress, until deadline: Deadline) {
    self.local = local
    self.peer = peer
    self.deadline = deadline
  }
}
