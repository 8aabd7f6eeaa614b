#if canImport(Network)
internal import FootageFetching
internal import FootageHTTP
internal import Synchronization
internal import FootageSystem

/// Nobody can listen.
typealias ProxyFailure = LoopbackListener.Failure

/// Serves playbacks to players on this device, over plain HTTP on 127.0.0.1: whatever plays a URL plays a recording.
///
/// One for the process, from the first playback on that is asked for its URL. Its port is taken away where the app is
/// suspended; then it listens again, on the same port unless somebody else has taken that meanwhile.
final class LoopbackProxy: Sendable {
  private let places = ProxiedPlaces()
  private let listener: LoopbackListener

  private static let current = Mutex<LoopbackProxy?>(nil)

  /// Starts it the first time.
  static func shared() throws(ProxyFailure) -> LoopbackProxy {
    let proxy = current.withLock { current in
      let proxy = current ?? LoopbackProxy()
      current = proxy
      return proxy
    }
    _ = try proxy.port()
    return proxy
  }

  /// - Parameter executor: of its connections; one of its own, so that serving players and asking robots take two
  ///   cores.
  init(on executor: QueueExecutor = QueueExecutor()) {
    let loop = ProxyLoop(executor, ProxyAnswers(places))
    // A task ends with its connection, which has limits for everything that it waits for.
    listener = LoopbackListener(on: executor) { connection in
      Task(executorPreference: executor) { await loop.serve(connection) }
    }
  }

  /// Network does not say whose a connection is: the token alone decides. On iOS every app has a user of its own in
  /// effect, and no other sees the URL.
  static let areUsersKnown = false

  /// Serves what is open for as long as the link lives.
  func link(to place: some ProxiedPlace) -> ProxyLink { ProxyLink(to: place, in: places, of: self) }

  /// The port on which it listens. Begins to listen again if that ended. Blocks for some milliseconds.
  func port() throws(ProxyFailure) -> UInt16 { try listener.port() }
}
#endif
