internal import FootageFetching
internal import FootageSystem
internal import Synchronization

/// The failure of the proxy to listen.
typealias ProxyFailure = LoopbackListener.Failure

/// The server of playbacks for players on this device, over plain HTTP on 127.0.0.1. Any program that plays a URL can
/// play a recording.
///
/// There is one for the process. It starts when the first playback is asked for its URL. Its connections have a
/// separate thread, so that decrypting and serving can use two cores. The system closes its port while the app is
/// suspended. The proxy then listens again, on the same port unless another process has taken it meanwhile, and every
/// open playback goes on.
final class LoopbackProxy: Sendable {
  let loop: LoopbackListener.Executor
  private let places = ProxiedPlaces()
  private let users: PlayerUsers
  private let connections: ProxyLoop
  private let listener: LoopbackListener

  private static let current = Mutex<LoopbackProxy?>(nil)

  /// Returns the proxy of the process, and starts it the first time.
  static func shared() throws(ProxyFailure) -> LoopbackProxy {
    try current.withLock { (current) throws(ProxyFailure) -> LoopbackProxy in
      if let proxy = current { return proxy }
      let proxy = try LoopbackProxy()
      current = proxy
      return proxy
    }
  }

  /// - Parameters:
  ///   - users: finds out which user a connection belongs to.
  ///   - clock: the clock for waiting for players.
  init(_ users: PlayerUsers = PlayerUsers(), clock: Clock = .system) throws(ProxyFailure) {
    self.users = users
    let loop = try LoopbackListener.makeExecutor(clock: clock)
    self.loop = loop
    let connections = ProxyLoop(loop, ProxyAnswers(places), users)
    self.connections = connections
    // A task ends with its connection, which has limits for everything that it waits for.
    listener = try LoopbackListener.make(on: loop) { connection in
      Task(executorPreference: loop) { await connections.serve(connection) }
    }
    // This happens at once, while the port certainly belongs to this process.
    users.learn(listeningOn: listener.boundPort)
  }

  /// Stops the proxy. This happens only in tests, because the shared proxy lives as long as the process.
  deinit {
    listener.stop()
    Task(executorPreference: loop) { [connections] in await connections.abort() }
    LoopbackListener.end(loop)
  }

  /// True if the system reports the users of connections. The process's proxy knows this. Before there is a proxy,
  /// `PlayerUsers.areKnownHere` finds out.
  static var areUsersKnown: Bool { current.withLock { $0 }?.knowsUsers ?? PlayerUsers.areKnownHere }

  /// True if the system reports the users of connections. If it does not, a request needs only the token.
  var knowsUsers: Bool { users.areKnown }

  /// Returns a link to a place. The place is served for as long as the link exists.
  func link(to place: some ProxiedPlace) -> ProxyLink { ProxyLink(to: place, in: places, of: self) }

  /// Returns the port on which the proxy listens. If it no longer listens, it begins again. The call may block for a
  /// few milliseconds.
  func port() throws(ProxyFailure) -> UInt16 { try listener.port() }
}
