public import FootageCore
internal import Foundation

extension RobotError: WordedError {
  public var wording: ErrorWording {
    switch self {
    case .address(let text): ErrorWording(.address, ["text": text])
    case .trust(let failure): failure.wording
    case .identity(let failure): failure.wording
    case .pairing(let error): error.wording
    case .unreachable: ErrorWording(.robotAway)
    case .localNetworkDenied: ErrorWording(.localNetworkDenied)
    case .unavailable: ErrorWording(.robotBusy)
    case .notAllowed: ErrorWording(.robotNotAllowed)
    case .notFound(let name, let code, let reason):
      ErrorWording(.notFound(code: code), ["name": name, "reason": reason])
    case .notKept(let name, let reason): ErrorWording(.recordingNotKept, ["name": name, "reason": reason])
    case .notMade(let name, let code, let reason):
      ErrorWording(.notMade(code: code), ["name": name, "reason": reason])
    case .outOfRange(let name, _): ErrorWording(.recordingOutOfRange, ["name": name])
    case .replaced(let name): ErrorWording(.recordingReplaced, ["name": name])
    case .malformed, .shortBody: ErrorWording(.robotMalformed)
    case .notSupported: ErrorWording(.robotTooOld)
    case .unexpected(let status, _): ErrorWording(.robotUnexpected, ["status": String(status)])
    case .cache(let error): error.wording
    case .file(let failure): failure.wording
    case .system(let failure): failure.wording
    case .cancelled: ErrorWording(.cancelled)
    }
  }
}

extension ErrorTopic {
  fileprivate static func notFound(code: RobotError.Code) -> ErrorTopic {
    switch code {
    case .notReady: .recordingNotReady
    case .refused: .recordingRefused
    case .gone: .recordingGone
    case .noSuchView: .viewNone
    case .noFootage: .viewNoFootage
    default: .recordingNotFound
    }
  }

  fileprivate static func notMade(code: RobotError.Code) -> ErrorTopic {
    switch code {
    case .tooLong: .viewTooLong
    case .outside: .viewOutside
    case .formatsDiffer: .viewFormatsDiffer
    default: .viewNotMade
    }
  }
}
