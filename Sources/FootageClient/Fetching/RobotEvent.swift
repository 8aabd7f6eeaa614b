/// What a person may want to know while a transfer goes on.

/// A warning or a retry, told while a call goes on: for a line in a log or on the screen. Nothing has to be done about it.
public enum RobotEvent: Hashable, Sendable, CustomStringConvertible {
  /// Something is not right with the robot's certificate, and was let pass.
  case warning(TrustWarning)
  /// What failed can pass and is tried again after a pause.
  case retrying(RobotError, after: Duration)

  public var description: String {
    switch self {
    case .warning(let warning): warning.description
    case .retrying(let error, let pause): "\(error); trying again in \(Self.seconds(pause)) s"
    }
  }

  /// With one decimal.
  private static func seconds(_ duration: Duration) -> String {
    let tenths = (duration / .milliseconds(100)).rounded()
    guard tenths >= 0, tenths < 1e9 else { return "some" }
    return "\(Int(tenths) / 10).\(Int(tenths) % 10)"
  }
}
