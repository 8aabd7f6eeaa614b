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
      "\(error) (a robot that has another address now is found by its key: --robot HOST:PORT)"
    case .unreachable: "\(error) (is it on, and is \(robot) its address and port?)"
    case .unavailable, .shortBody: "\(error) (the same command tries again)"
    case .notAllowed: "\(error) (another certificate: --identity NAME.p12)"
    case .notFound(let name, .notFound, _):
      "there is no recording \(name) on \(robot): footage list --robot \(robot) shows what there is"
    case .replaced(let name): "\(name): the robot has another version of it by now: the same command takes that"
    case .unexpected, .notSupported: "\(error) (footage --version, here and on the robot)"
    case .cache(let error): words(for: error)
    case .cancelled: "stopped"
    case .localNetworkDenied, .address, .notFound, .outOfRange, .notKept, .notMade, .malformed, .file, .system:
      error.description
    }
  }

  func words(for error: MediaCacheError) -> String {
    switch error {
    case .unreachable(let key, let error), .refused(let key, let error):
      "\(key) cannot be read on: \(words(for: error))"
    case .replaced(let key, let error):
      "\(key) has changed since it was opened: the same command takes the new one (\(words(for: error)))"
    default: Self.words(for: error)
    }
  }

  /// Returns the message for an error that involves no robot.
  static func words(for error: MediaCacheError) -> String {
    switch error {
    case .owned(let folder):
      "the cache \(folder) is in use by another process: end that (footage play, most often), or name another: --cache DIR"
    case .folder, .database: "\(error) (--cache DIR names another one)"
    case .notCached(let key): notCached(key.name)
    case .offline(let key): "\(key) is not all in the cache: play it without --offline, while its robot is there"
    case .notComplete(let key, let cachedBytes, let length):
      """
      \(key.name) is in the cache in part: \(RecordingTable.size(cachedBytes)) of \(RecordingTable.size(length)) \
      (\(cachedBytes) of \(length) bytes). While its robot is there, footage fetch brings all of it, and footage play \
      --read-ahead all the rest
      """
    case .damaged: "\(error) (footage fetch, or footage play --read-ahead all)"
    case .noRoom: "\(error) (footage play --quota SIZE allows more, footage cache clean makes room)"
    case .unreachable, .replaced, .refused, .notBindable, .outside, .file, .proxy, .cancelled: error.description
    }
  }

  static func notCached(_ name: String) -> String {
    "there is no recording \(name) in the cache: footage cache list shows what there is"
  }

  func words(for error: PairingError) -> String {
    switch error {
    case .pinChanged:
      """
      \(error) (footage pair \(robot) --next-pin PIN), or forget the robot (footage pair \(robot) --forget). If the \
      robot has another address now, name that: --robot HOST:PORT
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
          \(robot) shows the key \(seen), which none of the robots has that were paired: nothing was sent. If it is \
          another one, pair with it: footage pair \(robot)
          """
      }
      return words(for: PairingError.pinChanged(robot: robot.description, remembered: pairing.pins, seen: seen))
    case .outOfDate, .notFromAuthority, .otherHostName, .weak:
      return "\(failure) (scripts/gen-certs.sh, where its keys are kept)"
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
