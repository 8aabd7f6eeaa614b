/// What a person may want to know while a transfer goes on.

public enum RobotEvent: Hashable, Sendable, CustomStringConvertible {
  /// Something is not right with the robot's certificate, and was let pass.
  case warning(TrustWarning)
  /// What failed can pass and is tried again after a pause.
  case retrying(RobotError, after: Duration)

  public var description: String {
    switch self {
    case .warning(let warning): warning.description
    case .retrying(let error, _): "trying again: \(error)"
    }
  }
}
