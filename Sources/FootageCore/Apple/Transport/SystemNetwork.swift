internal import FootageFetching

/// The network as the system tells of it: metered where it calls all ways there expensive (a mobile network, a phone's
/// hotspot) or constrained (a person has switched Low Data Mode on).
///
/// A Wi-Fi without Internet counts, for a robot may be on it. Whether a robot is reached over it, or over a mobile network
/// beside it, or a server of many robots behind it, nobody knows beforehand: a connection made with `NetworkPolicy(allowsExpensiveNetworks: false)` never uses
/// the latter.
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
