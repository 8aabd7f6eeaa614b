/// An error of a ``RobotConnection``. Its `description` is a sentence for people, and in most cases says what to do.
public enum RobotError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is not a valid `HOST:PORT`.
  case address(String)
  /// The peer is not the robot, or cannot prove that it is. Nothing was sent. Do not offer a button to override this.
  case trust(TrustFailure)
  /// The app's own certificate cannot be presented, or the robot does not accept it.
  case identity(IdentityFailure)
  /// The robot is not paired, or the pairings cannot be read or written.
  case pairing(PairingError)
  /// There is no connection, or it broke. The error is thrown after the retries.
  case unreachable(String)
  /// The user has not allowed the app to use the local network, where the robot is. The system's settings change that.
  /// Nothing was sent.
  case localNetworkDenied
  /// The robot cannot answer now (429, 5xx). The error is thrown after the retries.
  case unavailable(status: Int, reason: String)
  /// The robot answered 401 or 403: the app's certificate does not give the right to this.
  case notAllowed(status: Int, reason: String)
  /// The robot answered 404. The name is that of the recording or the camera. The code distinguishes `.notFound`,
  /// `.notReady`, `.refused`, `.gone`, `.noSuchView` and `.noFootage`.
  case notFound(name: String, code: Code, reason: String)
  /// The robot has no place to record the protection of this recording, or cannot end it. The text is the robot's
  /// reason.
  case notKept(name: String, reason: String)
  /// The robot cannot make this view, for the reason in the text. The code distinguishes `.tooLong`, `.outside` and
  /// `.formatsDiffer`.
  case notMade(name: String, code: Code, reason: String)
  /// The range begins beyond the end of the recording. The length is in bytes, and nil if the robot did not state it.
  case outOfRange(name: String, length: UInt64?)
  /// The requested version, or the one with which the transfer began, was replaced by a different version on the robot.
  case replaced(name: String)
  /// The robot's answer contradicts itself or an earlier answer; or TLS failed, and the peer may not be a robot at all.
  case malformed(String)
  /// The answer ended as if it were complete, but is shorter than it announced. Both numbers are in bytes.
  case shortBody(name: String, received: UInt64, expected: UInt64)
  /// The robot is too old for the request.
  case notSupported(String)
  /// The robot answered with a status that the client cannot handle.
  case unexpected(status: Int, reason: String)
  /// The cache, or the proxy for players, failed.
  indirect case cache(MediaCacheError)
  /// The app cannot write a file: there is no room, no folder or no permission, or another process is fetching into it.
  case file(FileFailure)
  /// This machine has no threads or file descriptors left.
  case system(SystemFailure)
  /// The task was canceled.
  case cancelled

  /// True if the failure is temporary, so that the same call may succeed later: for `.unreachable`,
  /// `.localNetworkDenied` and `.unavailable`.
  public var canPass: Bool {
    switch self {
    case .unreachable, .localNetworkDenied, .unavailable: true
    default: false
    }
  }

  static let endedEarly = RobotError.unreachable("its answer ended early")

  public var description: String {
    switch self {
    case .address(let text):
      "'\(text)' is not a valid robot address: use HOST, HOST:PORT, or its URL (https://…)"
    case .trust(let failure): failure.description
    case .identity(let failure): failure.description
    case .pairing(let error): error.description
    case .unreachable(let reason): "the robot cannot be reached: \(reason)"
    case .localNetworkDenied:
      "the robot cannot be reached: this app may not use the local network; allow it in the system settings"
    case .unavailable(let status, let detail): "the robot cannot answer now (\(status)): \(detail)"
    case .notAllowed(let status, let detail): "the robot does not allow this (\(status)): \(detail)"
    case .notFound(let name, _, let detail): "\(name): \(detail)"
    case .notKept(let name, let detail): "\(name): \(detail)"
    case .notMade(let name, _, let detail): "\(name): \(detail)"
    case .outOfRange(let name, let length):
      "\(name): the range begins after its end\(length.map { " (\($0) bytes)" } ?? "")"
    case .replaced(let name): "\(name): the robot now has a different version: start over"
    case .malformed(let reason): "no valid answer from the robot: \(reason)"
    case .shortBody(let name, let received, let expected):
      "\(name): the robot's answer ended after \(received) of \(expected) bytes as if it were complete; nothing was kept"
    case .notSupported(let detail): "the robot cannot do this: \(detail)"
    case .unexpected(let status, let detail): "unexpected answer from the robot (\(status)): \(detail)"
    case .cache(let error): error.description
    case .file(let failure): failure.description
    case .system(let failure): failure.description
    case .cancelled: "canceled"
    }
  }

  package init(_ failure: TransportFailure) {
    switch failure {
    case .passing(let reason): self = .unreachable(reason)
    case .localNetworkDenied: self = .localNetworkDenied
    case .trust(let failure): self = .trust(failure)
    case .identity(let failure): self = .identity(failure)
    case .final(let reason): self = .malformed(reason)
    case .cancelled: self = .cancelled
    }
  }
}
