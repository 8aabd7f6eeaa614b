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
  /// There is no connection, or it broke, and retries did not help.
  case unreachable(String)
  /// The user has not allowed the app to use the local network, where the robot is. The system's settings change that.
  /// Nothing was sent.
  case localNetworkDenied
  /// The robot cannot answer now (429, 5xx), and retries did not help.
  case unavailable(status: Int, reason: String)
  /// The robot answered 401 or 403: the app's certificate does not give the right.
  case notAllowed(status: Int, reason: String)
  /// The robot answered 404. The name is that of the recording or the camera. The code distinguishes `.notFound`,
  /// `.notReady`, `.refused`, `.gone`, `.noSuchView` and `.noFootage`.
  case notFound(name: String, code: Code, reason: String)
  /// The robot has no place to record the protection of this recording, or cannot end it; with the robot's reason.
  case notKept(name: String, reason: String)
  /// The robot cannot make this view, and says why. The code distinguishes `.tooLong`, `.outside` and `.formatsDiffer`.
  case notMade(name: String, code: Code, reason: String)
  /// The range begins beyond the end of the recording. The length is in bytes, and nil if the robot did not state it.
  case outOfRange(name: String, length: UInt64?)
  /// The recording of this name is not the version that was requested, or with which the transfer began.
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
  /// The task was cancelled.
  case cancelled

  /// True if the same call may well succeed a little later: for `.unreachable`, `.localNetworkDenied` and
  /// `.unavailable`.
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
      "'\(text)' is no robot's address: it has to be HOST, HOST:PORT, or its URL (https://…)"
    case .trust(let failure): failure.description
    case .identity(let failure): failure.description
    case .pairing(let error): error.description
    case .unreachable(let reason): "the robot cannot be reached: \(reason)"
    case .localNetworkDenied:
      "the robot cannot be reached: this app may not use the local network: allow it in the system's settings"
    case .unavailable(let status, let detail): "the robot cannot answer now (\(status)): \(detail)"
    case .notAllowed(let status, let detail): "the robot does not allow it (\(status)): \(detail)"
    case .notFound(let name, _, let detail): "\(name): \(detail)"
    case .notKept(let name, let detail): "\(name): \(detail)"
    case .notMade(let name, _, let detail): "\(name): \(detail)"
    case .outOfRange(let name, let length):
      "\(name): the range begins behind its end\(length.map { " (\($0) bytes)" } ?? "")"
    case .replaced(let name): "\(name): the robot has another version of it by now: begin again"
    case .malformed(let reason): "the robot's answer makes no sense: \(reason)"
    case .shortBody(let name, let received, let expected):
      "\(name): the robot's answer ended after \(received) of \(expected) bytes as if it were whole; none of it was kept"
    case .notSupported(let detail): "the robot cannot do this: \(detail)"
    case .unexpected(let status, let detail): "the robot's answer is not understood (\(status)): \(detail)"
    case .cache(let error): error.description
    case .file(let failure): failure.description
    case .system(let failure): failure.description
    case .cancelled: "cancelled"
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
