/// A choice of the device's networks over which a robot may be reached.
///
/// If no allowed network is available, a robot is unreachable. On Linux the policy has no effect, because the system
/// does not report what a network costs.
public struct NetworkPolicy: Hashable, Sendable {
  /// True if networks may be used that the system considers to cost money by the byte: cellular, and another phone's
  /// hotspot.
  public var allowsExpensiveNetworks: Bool
  /// True if networks may be used on which the user has asked for little data (Low Data Mode).
  public var allowsConstrainedNetworks: Bool

  /// Creates a policy, which allows all networks by default.
  ///
  /// - Parameters:
  ///   - allowsExpensiveNetworks: whether networks that cost money by the byte may be used.
  ///   - allowsConstrainedNetworks: whether networks on which the user has asked for little data may be used.
  public init(allowsExpensiveNetworks: Bool = true, allowsConstrainedNetworks: Bool = true) {
    self.allowsExpensiveNetworks = allowsExpensiveNetworks
    self.allowsConstrainedNetworks = allowsConstrainedNetworks
  }
}
