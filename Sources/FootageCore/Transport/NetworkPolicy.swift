/// Which of the device's networks a robot may be reached over.
///
/// Where none of them may be used, a robot is unreachable until there is another network. On Linux it has no effect:
/// the system does not tell what a network costs.
public struct NetworkPolicy: Hashable, Sendable {
  /// Whether networks that cost money by the byte count, as the system has it: cellular, and another phone's hotspot.
  public var allowsExpensiveNetworks: Bool
  /// Whether networks count on which the user has asked for little data (Low Data Mode).
  public var allowsConstrainedNetworks: Bool

  /// All networks, unless said otherwise.
  ///
  /// - Parameters:
  ///   - allowsExpensiveNetworks: whether those that cost money by the byte count.
  ///   - allowsConstrainedNetworks: whether those count on which the user has asked for little data.
  public init(allowsExpensiveNetworks: Bool = true, allowsConstrainedNetworks: Bool = true) {
    self.allowsExpensiveNetworks = allowsExpensiveNetworks
    self.allowsConstrainedNetworks = allowsConstrainedNetworks
  }
}
