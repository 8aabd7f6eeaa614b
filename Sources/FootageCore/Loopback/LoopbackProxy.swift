#if !canImport(Network)
/// Serves playbacks to players on this machine, over plain HTTP on 127.0.0.1: whatever plays a URL plays a recording.

internal import FootageServing
internal import Synchronization
internal import FootageSystem

/// Nobody can listen.
typealias ProxyFailure = NetworkingError

/// One for the process, from the first playback on that is asked for its URL. Its loop is a thread of its own, so that
/// decrypting and serving take two cores.
///
/// Its port may be taken away while the process goes on: a system that suspends an app ends what that listens on. Then
/// it listens anew, on the same port where nobody has taken that meanwhile, and every playback that is open goes on.
final class LoopbackProxy: Sendable {
  private let server: HTTPServer<ProxyHandler>
  let loop: EventLoop
  private let places: ProxiedPlaces
  private let listener: Mutex<ListeningSocket>
  /// Whether the system says whose a connection is.
  let knowsUsers: Bool

  private static let current = Mutex<LoopbackProxy?>(nil)

  /// Whether the system says whose a connection is, as the process's proxy has found out, or would.
  static var areUsersKnown: Bool {
    if let proxy = current.withLock({ $0 }) { return proxy.knowsUsers }
    // Where there is nothing to listen on, nobody is served.
    return (try? listen(on: 0)).map { SocketTables.system.know($0.address) } ?? true
  }

  /// Starts it the first time.
  static func shared() throws(ProxyFailure) -> LoopbackProxy {
    try current.withLock { (current) throws(ProxyFailure) -> LoopbackProxy in
      if let proxy = current { return proxy }
      let proxy = try LoopbackProxy()
      current = proxy
      return proxy
    }
  }

  /// - Parameters:
  ///   - sockets: where the system says whose a connection is.
  ///   - clock: by which callers are waited for.
  init(_ sockets: SocketTables = .system, clock: Clock = .system) throws(ProxyFailure) {
    let listener = try Self.listen(on: 0)
    self.listener = Mutex(listener)
    let loop = try EventLoop(clock: clock)
    let players = try PlayerUsers(sockets, listeningOn: listener.address)
    knowsUsers = players.areKnown
    try loop.start()
    self.loop = loop
    let places = ProxiedPlaces()
    self.places = places
    server = HTTPServer(
      listening: [listener], loops: [loop], tls: nil, limits: Self.limits, log: { _ in },
      makeHandler: { _ in ProxyHandler(places, players) })
    server.start()
    // Ends with the proxy.
    Task(executorPreference: loop) { [weak self] in
      while self?.checkPort() != nil { await loop.sleep(for: Self.listenerCheck) }
    }
  }

  /// That of an app lives as long as the process.
  deinit {
    server.abort()
    if !loop.isOnLoop { loop.stop() }
  }

  /// How often it is looked whether the port is still listened on.
  private static let listenerCheck = Duration.seconds(1)

  /// 127.0.0.1 and nothing else: what is not on this machine has no business here.
  private static func listen(on port: UInt16) throws(ProxyFailure) -> ListeningSocket {
    try ListeningSocket(SocketAddress(addressBytes: [127, 0, 0, 1], port: port), unsentLimit: limits.unsentBytes)
  }

  private static var limits: TransportLimits {
    var limits = TransportLimits()
    // A player that is paused takes nothing for hours, and would not come back by itself after its connection was cut.
    limits.writing = .seconds(12 * 3600)
    limits.connections = 256
    // Whatever runs on this machine can connect, and most of it knows no token.
    limits.newcomers = NewcomerLimits()
    return limits
  }

  /// Serves what is open for as long as the link lives.
  func link(to place: some ProxiedPlace) -> ProxyLink { ProxyLink(to: place, in: places, of: self) }

  /// Where it listens now; anew where it did not any more.
  ///
  /// - Throws: where there is no port.
  func port() throws(ProxyFailure) -> UInt16 {
    try listener.withLock { (listener) throws(ProxyFailure) -> UInt16 in
      guard !listener.isListening else { return listener.address.port }
      let next: ListeningSocket
      do throws(ProxyFailure) { next = try Self.listen(on: listener.address.port) } catch {
        // Somebody else has it by now.
        next = try Self.listen(on: 0)
      }
      replace(&listener, by: next)
      return next.address.port
    }
  }

  /// Listens anew on the same port, or tries that again later: a child of this process may have the old listener for a
  /// moment, and whoever is told another port asks for the URL.
  private func checkPort() {
    listener.withLock { listener in
      guard !listener.isListening, let next = try? Self.listen(on: listener.address.port) else { return }
      replace(&listener, by: next)
    }
  }

  private func replace(_ listener: inout ListeningSocket, by next: ListeningSocket) {
    server.replace(listener, by: next)
    listener = next
  }
}
#endif
