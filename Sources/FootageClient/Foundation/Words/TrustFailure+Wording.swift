internal import Foundation
public import FootageCore

extension TrustFailure: WordedError {
  public var wording: ErrorWording {
    let topic: ErrorTopic =
      switch reason {
      case .otherKey: .trustOtherKey
      case .nobodyIsTrusted: .trustNobody
      case .keyNotProven: .trustCopied
      case .outOfDate: .trustDates
      case .notFromAuthority: .trustAuthority
      case .otherHostName: .trustOtherName
      case .weak: .trustWeak
      case .unreadableCertificate: .trustUnreadable
      }
    return ErrorWording(topic, ["host": host, "seen": seen?.description ?? "–"])
  }
}

extension MalformedPin: WordedError {
  public var wording: ErrorWording { ErrorWording(.pinMalformed) }
}

extension IdentityFailure: WordedError {
  public var wording: ErrorWording {
    switch self {
    case .wrongPassphrase: ErrorWording(.identityPassphrase)
    case .noKey, .noCertificate, .keyDoesNotBelong: ErrorWording(.identityIncomplete)
    case .expired(let moment):
      ErrorWording(
        .identityExpired,
        ["date": Date(timeIntervalSince1970: Double(moment)).formatted(date: .long, time: .omitted)])
    case .unreadable, .legacyCipher, .pemNotSupported: ErrorWording(.identityUnreadable)
    case .notInKeychain: ErrorWording(.identityNotInKeychain)
    case .keychainRefused: ErrorWording(.identityKeychainLocked)
    case .tooManyIterations, .tooMuchMemory: ErrorWording(.identityTooCostly)
    case .refused: ErrorWording(.identityRefused)
    case .needed: ErrorWording(.identityNeeded)
    }
  }
}

extension PairingError: WordedError {
  public var wording: ErrorWording {
    switch self {
    case .pinChanged(let robot, _, let seen):
      ErrorWording(.pairingOtherKey, ["robot": robot, "seen": seen.description])
    case .notPaired(let robot): ErrorWording(.pairingNone, ["robot": robot])
    case .otherRobot(_, let robot): ErrorWording(.pairingOtherRobot, ["robot": robot])
    case .unreadable: ErrorWording(.pairingUnreadable)
    case .file(let failure): failure.wording
    }
  }
}

extension PairingLinkError: WordedError {
  public var wording: ErrorWording {
    switch self {
    case .noLink: ErrorWording(.linkOther)
    case .name(let name): ErrorWording(.linkName, ["name": name])
    case .tooLong, .encoding, .doubled, .missing, .address, .addressCount, .pin: ErrorWording(.linkDamaged)
    }
  }
}
