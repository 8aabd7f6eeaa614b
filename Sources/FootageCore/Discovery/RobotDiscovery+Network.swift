extension RobotDiscovery {
  /// Creates a search for the robots on this network with this platform's means: Bonjour, or Avahi and multicast DNS.
  ///
  /// - Parameter pairings: the paired robots, to find out which of them a robot may be; read at each change. Nil for
  ///   none.
  public init(pairings: PairingStore? = nil) { self.init(by: NetworkRobotBrowser(), pairings: pairings) }
}
