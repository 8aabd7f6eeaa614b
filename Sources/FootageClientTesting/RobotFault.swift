public import FootageCore

/// What goes wrong between an app and a robot in memory.
public enum RobotFault: Hashable, Sendable {
  /// There is no connection.
  case unreachable
  /// The person has not allowed the app to use the local network.
  case localNetworkDenied
  /// It answers, says this much of it, and breaks off: bytes of the body.
  case cutOff(after: Int)
  /// It takes the request and says nothing, until the request is given up.
  case silent
  /// It takes so long before it answers, by the robot's clock.
  case delayed(Duration)
  /// It sends no more than so many bytes a second, by the robot's clock.
  case slow(bytesPerSecond: Int)
  /// It says nothing more of the body after so many bytes, until the request is given up.
  case stalled(after: Int)
  /// Somebody else answers in its place, with another key.
  case otherKey
  /// It wants to see a certificate of the app's.
  case identityNeeded
  /// The app's certificate does not give the right.
  case notAllowed
  /// It has no time now (503), and says when it will have.
  case busy(retryAfter: Duration)
  /// It answers with this status, and a problem document with this code and sentence.
  case problem(status: Int, code: RobotError.Code, detail: String)
  /// The body ends after so many bytes as if it were whole.
  case short(after: Int)
}
