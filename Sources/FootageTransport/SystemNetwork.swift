#if canImport(Network)
internal import AppleNetworking
public import FootageCore

/// The network as the system tells of it: metered where it calls the way there expensive (a mobile network, a phone's
/// hotspot) or constrained (a person has switched Low Data Mode on).
///
/// The way is the one to everywhere: a robot on the Wi-Fi of a place without Internet may be reached all the same.
public struct SystemNetwork: NetworkConditions {
  public init() {}

  public func conditions() -> AsyncStream<NetworkCondition> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let watch = NetworkPathWatch { isAvailable, isMetered in
        continuation.yield(NetworkCondition(isAvailable: isAvailable, isMetered: isMetered))
      }
      continuation.onTermination = { _ in watch.end() }
    }
  }
}
#endif
