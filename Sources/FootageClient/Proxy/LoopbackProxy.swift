/// Serves playbacks to players on this machine, over plain HTTP on 127.0.0.1: whatever plays a URL plays a recording.

internal import HTTPTransport
internal import Networking
internal import Synchronization

/// One for the process, from the first playback on that is asked for its URL. Its loop is a thread of its own, so that
/// decrypting and serving take two cores.
final class LoopbackProxy: Sendable {
  private let server: HTTPServer<ProxyHandler>
  private let playbacks: ProxiedPlaybacks

  private static let current = Mutex<LoopbackProxy?>(nil)

  /// Starts it the first time.
  static func shared() throws(NetworkingError) -> LoopbackProxy {
    try current.withLock { (current) throws(NetworkingError) -> LoopbackProxy in
      if let proxy = current { return proxy }
      let proxy = try LoopbackProxy()
      current = proxy
      return proxy
    }
  }

  private init() throws(NetworkingError) {
    let limits = Self.limits
    // 127.0.0.1 and nothing else: who is not on this machine has no business here.
    let listener = try TCPListener(
      SocketAddress(addressBytes: [127, 0, 0, 1], port: 0), unsentLimit: limits.unsentBytes)
    let loop = try EventLoop()
    try loop.start()
    let playbacks = ProxiedPlaybacks()
    self.playbacks = playbacks
    server = HTTPServer(
      listening: [listener], loops: [loop], tls: nil, limits: limits, log: { _ in },
      makeHandler: { _ in ProxyHandler(playbacks) })
    server.start()
  }

  /// A player that is paused takes nothing for hours, and would not come back by itself after its connection was cut.
  private static var limits: TransportLimits {
    var limits = TransportLimits()
    limits.writing = .seconds(12 * 3600)
    limits.connections = 256
    return limits
  }

  /// Serves a playback for as long as the link lives.
  func link(to playback: Playback) -> ProxyLink {
    ProxyLink(to: playback, in: playbacks, port: server.address.port)
  }
}
