internal import FootageFetching
internal import FootageSystem
internal import Synchronization

/// Nobody can listen.
typealias ProxyFailure = LoopbackListener.Failure

/// Serves playbacks to players on this device, over plain HTTP on 127.0.0.1: whatever plays a URL plays a recording.
///
/// One for the process, from the first playback on that is asked for its URL. Its connections have a thread of their own,
/// so that decrypting and serving take two cores. Its port is taken away where the app is suspended; then it listens
/// again, on the same port unless somebody else has taken that meanwhile, and every playback that is open goes on.
final class LoopbackProxy: Sendable {
  let loop: LoopbackListener.Executor
  private let places = ProxiedPlaces()
  private let users: PlayerUsers
  private let connections: ProxyLoop
  private let listener: LoopbackListener

  private static let current = Mutex<LoopbackProxy?>(nil)

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
  ///   - users: who finds out whose a connection is.
  ///   - clock: by which players are waited for.
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
    // At once, while the port is certainly this process's own.
    users.learn(listeningOn: listener.boundPort)
  }

  /// That of an app lives as long as the process.
  deinit {
    listener.stop()
    Task(executorPreference: loop) { [connections] in await connections.abort() }
    LoopbackListener.end(loop)
  }

  /// Whether the system says whose a connection is, as the process's proxy has found out, or would.
  static var areUsersKnown: Bool { current.withLock { $0 }?.knowsUsers ?? PlayerUsers.areKnownHere }

  /// Whether the system says whose a connection is. Where it does not, the token alone decides.
  var knowsUsers: Bool { users.areKnown }

  /// Serves what is open for as long as the link lives.
  func link(to place: some ProxiedPlace) -> ProxyLink { ProxyLink(to: place, in: places, of: self) }

  /// The port on which it listens. Begins to listen again if that ended. May block for some milliseconds.
  func port() throws(ProxyFailure) -> UInt16 { try listener.port() }
}
