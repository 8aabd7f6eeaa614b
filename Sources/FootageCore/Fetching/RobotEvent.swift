/// A warning or a retry, reported while a call goes on. It is meant for a line in a log or on the screen, and requires
/// no action.
public enum RobotEvent: Hashable, Sendable, CustomStringConvertible {
  /// A problem with the robot's certificate that was tolerated.
  case warning(TrustWarning)
  /// A paired robot now uses a key that was announced for it, or is at another address. The pairings have been updated.
  case pairing(PairingStore.Change)
  /// A paired robot has changed, but the pairings could not be updated. The update is tried again with the next
  /// connection.
  case pairingNotKept(RobotError)
  /// A temporary failure. The call is tried again after a pause.
  case retrying(RobotError, after: Duration)
  /// The robot is away, and a download waits for it and tries again every few seconds. This is reported once until the
  /// robot is back.
  case waiting(RobotError)
  /// The robot answers again. The duration is the time since the first failed attempt.
  case back(after: Duration)
  /// Items of a list were invalid and were left out. The reason is the problem with the first of them.
  case leftOut(count: Int, reason: String)

  public var description: String {
    switch self {
    case .warning(let warning): warning.description
    case .pairing(let change): change.description
    case .pairingNotKept(let error): "cannot update the pairing: \(error)"
    case .retrying(let error, let pause): "\(error); retrying in \(Self.seconds(pause)) s"
    case .waiting(let error): "\(error); waiting for the robot"
    case .back(let duration): "the robot answers again, after \(Self.seconds(duration)) s"
    case .leftOut(let count, let reason):
      "\(count == 1 ? "an item of the robot's list was" : "\(count) items of the robot's list were") left out: \(reason)"
    }
  }

  /// Returns the seconds with one decimal.
  private static func seconds(_ duration: Duration) -> String {
    let tenths = (duration / .milliseconds(100)).rounded()
    guard tenths >= 0, tenths < 1e9 else { return "some" }
    return "\(Int(tenths) / 10).\(Int(tenths) % 10)"
  }
}
