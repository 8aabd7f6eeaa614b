internal import FootageAPI
package import FootageHTTP
internal import FootageSystem

extension Viewer {
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
