public import FootageCore

/// A fault between an app and a robot in memory.
public enum RobotFault: Hashable, Sendable {
  /// The robot cannot be reached.
  case unreachable
  /// The person has not allowed the app to use the local network.
  case localNetworkDenied
  /// The robot answers, sends this many bytes of the body, and breaks the connection.
  case cutOff(after: Int)
  /// The robot accepts the request and sends nothing, until the client cancels the request.
  case silent
  /// The robot waits this long before it answers, by its own clock.
  case delayed(Duration)
  /// The robot sends at most this many bytes per second, by its own clock.
  case slow(bytesPerSecond: Int)
  /// The robot sends nothing more after this many bytes of the body, until the client cancels the request.
  case stalled(after: Int)
  /// Another server, with another key, answers in the robot's place.
  case otherKey
  /// The robot requires a client certificate.
  case identityNeeded
  /// The app's certificate does not give the right to the request.
  case notAllowed
  /// The robot is busy (503), and says when to ask again.
  case busy(retryAfter: Duration)
  /// The robot answers with this status, and a problem document with this code and sentence.
  case problem(status: Int, code: RobotError.Code, detail: String)
  /// The body ends after this many bytes, as if it were complete.
  case short(after: Int)
}
