internal import Dispatch
internal import Network
internal import Synchronization

/// A watch that reports the state of the network paths for as long as it exists.
///
/// The default path is not the only one that matters. On a robot's own Wi-Fi, or another Wi-Fi without Internet access,
/// the system uses a mobile network as the default path, or reports that there is none. The robot can be reached over
/// the Wi-Fi nevertheless.
package final class NetworkPathWatch: Sendable {
  /// The availability of a network path, and whether data should be saved on it.
  package struct Finding: Hashable, Sendable {
    package let isAvailable: Bool
    package let isMetered: Bool

    init(_ path: NWPath) {
      isAvailable = path.status == .satisfied
      isMetered = path.isExpensive || path.isConstrained
    }

    /// Creates the finding for all paths together: that of the cheapest available one.
    init(_ all: [Finding]) {
      let available = all.filter(\.isAvailable)
      isAvailable = !available.isEmpty
      isMetered = available.allSatisfy(\.isMetered) && isAvailable
    }
  }

  private let monitors = [
    NWPathMonitor(), NWPathMonitor(requiredInterfaceType: .wifi), NWPathMonitor(requiredInterfaceType: .wiredEthernet),
  ]

  /// - Parameter tell: called with the first finding, and whenever it changes; the calls never overlap.
  package init(_ tell: @escaping @Sendable (Finding) -> Void) {
    let findings = Mutex([Finding?](repeating: nil, count: monitors.count))
    let queue = DispatchQueue(label: "footage.paths")
    for (index, monitor) in monitors.enumerated() {
      monitor.pathUpdateHandler = { path in
        let known = findings.withLock { findings in
          findings[index] = Finding(path)
          return findings.compactMap(\.self)
        }
        // The finding is not known before every monitor has reported.
        if known.count == findings.withLock(\.count) { tell(Finding(known)) }
      }
      monitor.start(queue: queue)
    }
  }

  deinit { end() }

  /// Ends the watch. Soon after this call no more findings are reported.
  package func end() { for monitor in monitors { monitor.cancel() } }
}
