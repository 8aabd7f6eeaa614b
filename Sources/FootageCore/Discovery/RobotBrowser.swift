/// A way to find the robots on a network: Bonjour on Apple's systems, Avahi or multicast DNS on Linux. A browser for a
/// test or a preview may report invented robots.
public protocol RobotBrowser: Sendable {
  /// Looks for robots until the task is canceled, and then returns promptly.
  ///
  /// - Parameter onChange: called with all robots that are announced now, whenever they differ from before, from any
  ///   thread, but by one caller at a time.
  /// - Throws: `DiscoveryError` if this machine cannot look for robots, or no longer can.
  func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError)
}

/// The reason why robots cannot be found.
public enum DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// This machine cannot ask its network.
  case unavailable(String)
  /// The user has not allowed the app to use the local network.
  case notAllowed

  public var description: String {
    switch self {
    case .unavailable(let reason): "this machine cannot search for robots: \(reason)"
    case .notAllowed: "this app may not search for robots: allow it to use the local network in the system settings"
    }
  }
}
