/// What looks for robots on a network: Bonjour on Apple's systems, Avahi or multicast DNS on Linux; of a test or a
/// preview, whatever that wants to be found.
public protocol RobotBrowser: Sendable {
  /// Looks for robots until the task is cancelled, and then returns promptly.
  ///
  /// - Parameter onChange: called with all robots that are announced now whenever these are others than before, from
  ///   any thread, by one caller at a time.
  /// - Throws: `DiscoveryError` where this machine cannot look for them, or not any longer.
  func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError)
}

/// Why no robots are found.
public enum DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// This machine cannot ask its network.
  case unavailable(String)
  /// The person has not allowed the app to use the local network.
  case notAllowed

  public var description: String {
    switch self {
    case .unavailable(let reason): "this machine cannot look for robots: \(reason)"
    case .notAllowed: "this app may not look for robots: allow it to use the local network, in the system's settings"
    }
  }
}
