package import FootageSystem

/// The two ends of a connection, and the facts about the far end that the handler has determined. Belongs to its loop's
/// thread.
package final class Visitor {
  /// The local address.
  package let local: SocketAddress
  package let peer: SocketAddress
  /// The owner of the far end, once the handler has asked for it.
  package var owner: SocketOwner?
  /// True if a request over the connection was accepted.
  var isLetIn = false
  /// The time until which a request must be accepted.
  let deadline: Deadline

  init(local: SocketAddress, peer: SocketAddress, until deadline: Deadline) {
    self.local = local
    self.peer = peer
    self.deadline = deadline
  }
}
