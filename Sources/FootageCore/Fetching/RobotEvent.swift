/// A warning or a retry, told while a call goes on: for a line in a log or on the screen. Nothing has to be done about
/// it.
public enum RobotEvent: Hashable, Sendable, CustomStringConvertible {
  /// Something is not right with the robot's certificate, and was let pass.
  case warning(TrustWarning)
  /// A robot that was paired has the key which was announced, or is at another address: the pairings know it now.
  case pairing(PairingStore.Change)
  /// The same, and the pairings could not be changed: it is tried again with the next connection.
  case pairingNotKept(RobotError)
  /// What failed can pass and is tried again after a pause.
  case retrying(RobotError, after: Duration)
  /// The robot is away, and a download waits for it, trying again every few seconds: told once, until it is back.
  case waiting(RobotError)
  /// The robot answers again, so long after the first try that failed.
  case back(after: Duration)
  /// So many items of a list make no sense and were left out of it; what is wrong with the first of them.
  case leftOut(count: Int, reason: String)

  public var description: String {
    switch self {
    case .warning(let warning): warning.description
    case .pairing(let change): change.description
    case .pairingNotKept(let error): "what is new of the robot cannot be remembered: \(error)"
    case .retrying(let error, let pause): "\(error); trying again in \(Self.seconds(pause)) s"
    case .waiting(let error): "\(error); waiting for the robot"
    case .back(let duration): "the robot answers again, after \(Self.seconds(duration)) s"
    case .leftOut(let count, let reason):
      "\(count == 1 ? "an item of the robot's list was" : "\(count) items of the robot's list were") left out: \(reason)"
    }
  }

  /// With one decimal.
  private static func seconds(_ duration: Duration) -> String {
    let tenths = (duration / .milliseconds(100)).rounded()
    guard tenths >= 0, tenths < 1e9 else { return "some" }
    return "\(Int(tenths) / 10).\(Int(tenths) % 10)"
  }
}
