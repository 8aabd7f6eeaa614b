/// What a person at a shell reads of a failure: the library says what went wrong, and here stands what to type.

internal import FootageClient

struct ShellWords {
  /// The robot that a command was about.
  let robot: RobotAddress
  /// What was remembered of it; nil where nothing was, or a pin was given.
  var pairing: PairingStore.Pairing?
  /// Whether the command line gave a pin.
  var hasPin = false

  func words(for error: RobotError) -> String {
    switch error {
    case .trust(let failure): words(for: failure)
    case .identity(let failure): words(for: failure)
    case .pairing(let error): words(for: error)
    case .unreachable where pairing != nil:
      "\(error) (a robot that has another address now is found by its key: --robot HOST:PORT)"
    case .cache(let error): error.description
    case .address, .unreachable, .unavailable, .notAllowed, .notFound, .outOfRange, .replaced, .malformed, .shortBody,
      .unexpected, .file, .system, .cancelled:
      error.description
    }
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
    case .keyDoesNotBelong, .unreadable: failure.description
    }
  }
}
