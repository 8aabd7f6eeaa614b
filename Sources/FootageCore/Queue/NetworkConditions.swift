/// The current condition of the network, which decides whether recordings are fetched.
public struct NetworkCondition: Hashable, Sendable {
  /// True if there is a network.
  public var isAvailable: Bool
  /// True if each byte costs money, or a person has asked to save data: a mobile network, a phone's hotspot.
  public var isMetered: Bool

  /// - Parameters:
  ///   - isAvailable: true if there is a network.
  ///   - isMetered: true if data should be saved.
  public init(isAvailable: Bool = true, isMetered: Bool = false) {
    self.isAvailable = isAvailable
    self.isMetered = isMetered
  }
}

/// A source of the network's condition: `SystemNetwork` on Apple's platforms, or one of the app's.
public protocol NetworkConditions: Sendable {
  /// Returns a stream of the current condition, and of each one after a change. Each stream is for one task, and ends
  /// with it.
  func conditions() -> AsyncStream<NetworkCondition>
}

/// A network that is always available and costs nothing. It is assumed if the system does not report the network's
/// condition.
public struct UnmeteredNetwork: NetworkConditions {
  public init() {}

  public func conditions() -> AsyncStream<NetworkCondition> {
    AsyncStream { $0.yield(NetworkCondition()) }
  }
}
