/// What the network is like just now, as far as it decides whether something is fetched.
public struct NetworkCondition: Hashable, Sendable {
  /// Whether there is any.
  public var isAvailable: Bool
  /// Whether somebody pays for each byte, or a person has asked to save them: a mobile network, a phone's hotspot.
  public var isMetered: Bool

  /// - Parameters:
  ///   - isAvailable: whether there is any network.
  ///   - isMetered: whether bytes are to be saved.
  public init(isAvailable: Bool = true, isMetered: Bool = false) {
    self.isAvailable = isAvailable
    self.isMetered = isMetered
  }
}

/// Who knows what the network is like: `SystemNetwork` on Apple's platforms, or whatever an app has.
public protocol NetworkConditions: Sendable {
  /// What it is like now, and whenever that has changed. Each stream is for one task, and ends with it.
  func conditions() -> AsyncStream<NetworkCondition>
}

/// A network that is always there, and costs nothing: what is assumed where nobody knows better.
public struct UnmeteredNetwork: NetworkConditions {
  public init() {}

  public func conditions() -> AsyncStream<NetworkCondition> {
    AsyncStream { $0.yield(NetworkCondition()) }
  }
}
