internal import FootageFetching

/// The network as the system reports it. It is metered if the system considers all paths expensive (a mobile network, a
/// phone's hotspot) or constrained (a person has switched on Low Data Mode).
///
/// A Wi-Fi network without Internet access counts as available, since a robot may be on it. It is not known in advance
/// whether a robot, or a server of many robots behind it, is reached over the Wi-Fi or over a mobile network beside it.
/// A connection created with `NetworkPolicy(allowsExpensiveNetworks: false)` never uses the mobile network.
public struct SystemNetwork: NetworkConditions {
  public init() {}

  public func conditions() -> AsyncStream<NetworkCondition> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let watch = NetworkPathWatch {
        continuation.yield(NetworkCondition(isAvailable: $0.isAvailable, isMetered: $0.isMetered))
      }
      continuation.onTermination = { _ in watch.end() }
    }
  }
}
