internal import FootageCore

/// The messages about failures for a person at a shell. The library says what went wrong, and this type adds what to
/// type.
struct ShellWords {
  /// The robot that the command was about.
  let robot: RobotAddress
  /// The pairing with the robot; nil if there is none, or the command line gave a pin.
  var pairing: PairingStore.Pairing?
  /// True if the command line gave a pin.
  var hasPin = false

  func words(for error: RobotError) -> String {
    switch error {
    case .trust(let failure): words(for: failure)
    case .identity(let failure): words(for: failure)
    case .pairing(let error): words(for: error)
    case .unreachable where pairing != nil:
      "\(error) (if its address has changed, give the new one: --robot HOST:PORT; the robot is known by its key)"
    case .unreachable: "\(error) (is it on, and is \(robot) its address and port?)"
    case .unavailable, .shortBody: "\(error) (run the same command to retry)"
    case .notAllowed: "\(error) (use another certificate: --identity NAME.p12)"
    case .notFound(let name, .notFound, _):
      "there is no recording \(name) on \(robot): footage list --robot \(robot) shows its recordings"
    case .replaced(let name): "\(name): the robot now has a different version: run the same command to get it"
    case .unexpected, .notSupported: "\(error) (compare footage --version here and on the robot)"
    case .cache(let error): words(for: error)
    case .cancelled: "stopped"
    case .localNetworkDenied, .address, .notFound, .outOfRange, .notKept, .notMade, .malformed, .file, .system:
      error.description
    }
  }

  func words(for error: MediaCacheError) -> String {
    switch error {
    case .unreachable(let key, let error), .refused(let key, let error):
      "\(key) cannot be read: \(words(for: error))"
    case .replaced(let key, let error):
      "\(key) has changed since it was opened: run the same command to get the new version (\(words(for: error)))"
    default: Self.words(for: error)
    }
  }

  /// Returns the message for an error that involves no robot.
  static func words(for error: MediaCacheError) -> String {
    switch error {
    case .owned(let folder):
      """
      the cache \(folder) is in use by another process: end that process (usually footage play), or use another cache: \
      --cache DIR
      """
    case .folder, .database: "\(error) (use another cache: --cache DIR)"
    case .notCached(let key): notCached(key.name)
    case .offline(let key): "\(key) is only partly cached: play it without --offline while its robot can be reached"
    case .notComplete(let key, let cachedBytes, let length):
      """
      \(key.name) is only partly cached: \(RecordingTable.size(cachedBytes)) of \(RecordingTable.size(length)) \
      (\(cachedBytes) of \(length) bytes). While its robot can be reached, footage fetch downloads all of it, and \
      footage play --read-ahead all downloads the rest
      """
    case .damaged: "\(error) (run footage fetch, or footage play --read-ahead all)"
    case .noRoom: "\(error) (footage play --quota SIZE allows more, and footage cache clean frees space)"
    case .unreachable, .replaced, .refused, .notBindable, .outside, .file, .proxy, .cancelled: error.description
    }
  }

  static func notCached(_ name: String) -> String {
    "there is no recording \(name) in the cache: footage cache list shows what is cached"
  }

  func words(for error: PairingError) -> String {
    switch error {
    case .pinChanged:
      """
      \(error) (footage pair \(robot) --next-pin PIN), or forget the robot (footage pair \(robot) --forget). If its \
      address has changed, give the new one: --robot HOST:PORT
      """
    case .notPaired: "\(robot) is not paired: give its --pin, or pair with it (footage pair \(robot))"
    case .otherRobot, .unreadable, .file: error.description
    }
  }

  private func words(for failure: TrustFailure) -> String {
    switch failure.reason {
    case .otherKey:
      guard let seen = failure.seen, !hasPin else { return "\(failure) (--pin)" }
      guard let pairing else {
        return """
          \(robot) shows the key \(seen), which belongs to none of the paired robots: nothing was sent. If it is \
          another robot, pair with it: footage pair \(robot)
          """
      }
      return words(for: PairingError.pinChanged(robot: robot.description, remembered: pairing.pins, seen: seen))
    case .outOfDate, .notFromAuthority, .otherHostName, .weak:
      return "\(failure) (run scripts/gen-certs.sh on the machine that keeps the robot's keys)"
    case .nobodyIsTrusted, .keyNotProven, .unreadableCertificate: return failure.description
    }
  }

  private func words(for failure: IdentityFailure) -> String {
    switch failure {
    case .wrongPassphrase: "\(failure) (--passphrase-file FILE)"
    case .noKey: "\(failure) (openssl pkcs12 -export -inkey …)"
    case .noCertificate: "\(failure) (openssl pkcs12 -export -in …)"
    case .tooManyIterations, .tooMuchMemory: "\(failure) (openssl pkcs12 -export -iter 100000)"
    case .legacyCipher:
      """
      \(failure) (openssl pkcs12 -export -certpbe AES-256-CBC -keypbe AES-256-CBC), or install OpenSSL's legacy \
      provider (legacy.so)
      """
    case .expired, .refused: "\(failure) (scripts/gen-certs.sh --client NAME)"
    case .needed: "\(failure) (scripts/gen-certs.sh --client NAME, then --identity NAME.p12)"
    case .keyDoesNotBelong, .unreadable, .pemNotSupported, .notInKeychain, .keychainRefused: failure.description
    }
  }
}
