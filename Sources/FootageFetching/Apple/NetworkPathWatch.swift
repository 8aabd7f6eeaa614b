internal import Dispatch
internal import Network
internal import Synchronization

/// Hears from the system what the ways to the network are like, for as long as it lives.
///
/// The way to everywhere is not the only one that counts: on a robot's own Wi-Fi, or that of a hall without Internet, the
/// system has it go over a mobile network, or says that there is none, and the robot is reached over the Wi-Fi all the same.
package final class NetworkPathWatch: Sendable {
  /// Whether there is a network, and whether its bytes are to be saved.
  package struct Finding: Hashable, Sendable {
    package let isAvailable: Bool
    package let isMetered: Bool

    init(_ path: NWPath) {
      isAvailable = path.status == .satisfied
      isMetered = path.isExpensive || path.isConstrained
    }

    /// What all of the ways come to: the cheapest that is there.
    init(_ all: [Finding]) {
      let available = all.filter(\.isAvailable)
      isAvailable = !available.isEmpty
      isMetered = available.allSatisfy(\.isMetered) && isAvailable
    }
  }

  private let monitors = [
    NWPathMonitor(), NWPathMonitor(requiredInterfaceType: .wifi), NWPathMonitor(requiredInterfaceType: .wiredEthernet),
  ]

  /// - Parameter tell: called with what it is like, and whenever that changes, one call after the other.
  package init(_ tell: @escaping @Sendable (Finding) -> Void) {
    let findings = Mutex([Finding?](repeating: nil, count: monitors.count))
    let queue = DispatchQueue(label: "footage.paths")
    for (index, monitor) in monitors.enumerated() {
      monitor.pathUpdateHandler = { path in
        let known = findings.withLock { findings in
          findings[index] = Finding(path)
          return findings.compactMap(\.self)
        }
        // Before all have told it is not known what there is.
        if known.count == findings.withLock(\.count) { tell(Finding(known)) }
      }
      monitor.start(queue: queue)
    }
  }

  deinit { end() }

  /// Nothing is told from some moment soon after this on.
  package func end() { for monitor in monitors { monitor.cancel() } }
}
