/// What a ``RobotConnection`` fails with. Its `description` is a sentence for people, most often with what to do.
public enum RobotError: Error, Hashable, Sendable, CustomStringConvertible {
  /// This is no `HOST:PORT`.
  case address(String)
  /// Who answers is not the robot, or cannot prove it. Nothing was sent. Not to be overridden by a button.
  case trust(TrustFailure)
  /// The app's own certificate cannot be shown, or is not welcome.
  case identity(IdentityFailure)
  /// Nobody has paired with the robot, or the pairings cannot be read or written.
  case pairing(PairingError)
  /// There is no connection, or it broke, and trying again did not help.
  case unreachable(String)
  /// The person has not allowed the app to use the local network, in which the robot is: the system's settings change
  /// that. Nothing was sent.
  case localNetworkDenied
  /// The robot cannot answer now (429, 5xx), and trying again did not help.
  case unavailable(status: Int, reason: String)
  /// 401 or 403: the app's certificate does not give the right.
  case notAllowed(status: Int, reason: String)
  /// 404, with the recording's or the camera's name; the code tells `.notFound`, `.notReady`, `.refused`, `.gone`,
  /// `.noSuchView` and `.noFootage` apart.
  case notFound(name: String, code: Code, reason: String)
  /// The robot cannot protect the recording of this name anywhere, or cannot end its protection; with its reason.
  case notKept(name: String, reason: String)
  /// The robot does not make this view, and says why; the code tells `.tooLong`, `.outside` and `.formatsDiffer` apart.
  case notMade(name: String, code: Code, reason: String)
  /// The range begins behind the end of the recording; its length in bytes, where the robot said it.
  case outOfRange(name: String, length: UInt64?)
  /// The recording of this name is another one than it was when the transfer began, or than the one that was asked for.
  case replaced(name: String)
  /// What the robot says contradicts itself, or what it said before; or TLS failed, and it may be no robot at all.
  case malformed(String)
  /// The answer ended as if it were whole, and is shorter than it said; both in bytes.
  case shortBody(name: String, received: UInt64, expected: UInt64)
  /// The robot is older than what it was asked for.
  case notSupported(String)
  /// Another status than the client knows what to do with.
  case unexpected(status: Int, reason: String)
  /// The cache, or the proxy for players.
  indirect case cache(MediaCacheError)
  /// A file of the app's own cannot be written: no room, no folder, no right to, or another process fetches into it.
  case file(FileFailure)
  /// This machine has no threads or descriptors left.
  case system(SystemFailure)
  /// The task was cancelled.
  case cancelled

  /// Whether the same may well go right a little later: `.unreachable`, `.localNetworkDenied` and
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
