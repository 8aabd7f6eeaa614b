/// What a person at a shell reads of a failure: the library says what went wrong, and here stands what to type.

internal import FootageClient

struct ShellWords {
  /// The robot that a command was about.
  let robot: RobotAddress
  /// Those that were remembered of it; none where a pin was given.
  let pairedPins: [PublicKeyPin]

  func words(for error: RobotError) -> String {
    switch error {
    case .trust(let failure): words(for: failure)
    case .identity(let failure): words(for: failure)
    case .cache(let error): error.description
    case .address, .unreachable, .unavailable, .notAllowed, .notFound, .outOfRange, .replaced, .malformed, .shortBody,
      .unexpected, .file, .system, .cancelled:
      error.description
    }
  }

  func words(for error: PairingError) -> String {
    switch error {
    case .pinChanged: "\(error): footage pair \(robot) --forget, then footage pair \(robot)"
    case .unreadable, .file: error.description
    }
  }

  private func words(for failure: TrustFailure) -> String {
    switch failure.reason {
    case .otherKey:
      if let seen = failure.seen, !pairedPins.isEmpty {
        return words(
          for: PairingError.pinChanged(robot: robot.description, remembered: pairedPins, seen: seen))
      }
      return "\(failure) (--pin)"
    case .outOfDate, .notFromAuthority, .otherHostName, .weak: return "\(failure) (scripts/gen-certs.sh, on the robot)"
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
