#if canImport(Network)
internal import Dispatch
internal import Network

/// Hears from the system what the way to the network is like, for as long as it lives.
package final class NetworkPathWatch: Sendable {
  private let monitor = NWPathMonitor()

  /// - Parameter tell: called with what it is like now, and whenever that changes, one call after the other: whether
  ///   there is a network, and whether its bytes are to be saved.
  package init(_ tell: @escaping @Sendable (_ isAvailable: Bool, _ isMetered: Bool) -> Void) {
    monitor.pathUpdateHandler = { path in tell(path.status == .satisfied, path.isExpensive || path.isConstrained) }
    monitor.start(queue: DispatchQueue(label: "footage.paths"))
  }

  deinit { monitor.cancel() }

  /// Nothing is told from some moment soon after this on.
  package func end() { monitor.cancel() }
}
#endif
