#if !canImport(Darwin)
internal import Networking
package import FootageSystem

/// Who asks, as far as what one viewer may have is counted, over all of its connections.
package enum Viewer: Hashable, Sendable {
  /// By the name in its certificate.
  case certificate(String)
  case thisMachine
  /// An address of IPv4, or a /64 of IPv6.
  case network(SocketAddress.Block)

  package init(of request: Request) { self.init(request.identity, at: request.peer) }

  init(over stream: Stream) { self.init(ClientIdentity(of: stream), at: stream.peer) }

  init(_ identity: ClientIdentity?, at peer: SocketAddress) {
    if let identity {
      self = .certificate(identity.name)
    } else if peer.isLoopback {
      self = .thisMachine
    } else {
      self = .network(peer.block)
    }
  }
}
#endif
