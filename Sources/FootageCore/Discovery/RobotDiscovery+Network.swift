extension RobotDiscovery {
  /// The robots on this network, by what this platform has: Bonjour, or Avahi and multicast DNS.
  ///
  /// - Parameter pairings: to say which of the paired robots one may be; read whenever something changes. Nil for none.
  public init(pairings: PairingStore? = nil) { self.init(by: NetworkRobotBrowser(), pairings: pairings) }
}
