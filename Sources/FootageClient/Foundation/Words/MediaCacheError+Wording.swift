public import FootageCore
internal import Foundation

extension MediaCacheError: WordedError {
  public var wording: ErrorWording {
    switch self {
    case .owned: ErrorWording(.cacheInUse)
    case .folder(let failure), .database(let failure), .file(let failure): failure.wording
    case .notBindable(let key, _): ErrorWording(.cacheNotBindable, ["name": key.name])
    case .notCached(let key): ErrorWording(.cacheNothing, ["name": key.name])
    case .outside(let key, _, _): ErrorWording(.recordingOutOfRange, ["name": key.name])
    case .unreachable(_, .localNetworkDenied): ErrorWording(.localNetworkDenied)
    case .unreachable(let key, _): ErrorWording(.cacheRobotAway, ["name": key.name])
    case .replaced(let key, _): ErrorWording(.recordingReplaced, ["name": key.name])
    case .refused(_, let error): error.wording
    case .offline(let key), .notComplete(let key, _, _): ErrorWording(.cachePart, ["name": key.name])
    case .noRoom(let key, let failure):
      failure.reason == .noRoom ? ErrorWording(.cacheNoRoom, ["name": key.name]) : failure.wording
    case .damaged(let key, _): ErrorWording(.cacheDamaged, ["name": key.name])
    case .proxy: ErrorWording(.playerUnserved)
    case .cancelled: ErrorWording(.cancelled)
    }
  }
}

extension DownloadQueue.Failure: WordedError {
  public var wording: ErrorWording {
    switch self {
    case .robot(let error): error.wording
    case .cache(let error): error.wording
    // The words are those of an earlier process, and are meant for the app's developer.
    case .earlier: ErrorWording(.downloadFailed)
    }
  }
}

extension FileFailure {
  var wording: ErrorWording {
    let topic: ErrorTopic =
      switch reason {
      case .noRoom: .fileNoRoom
      case .noPermission: .fileNoPermission
      case .notFound: .fileNotFound
      case .inUse: .fileInUse
      case .broken: .fileBroken
      case .notOurs: .fileNotOurs
      case .other: .fileOther
      }
    return ErrorWording(topic, ["reason": description])
  }
}

extension SystemFailure {
  var wording: ErrorWording {
    switch reason {
    case .descriptors, .threads, .memory: ErrorWording(.systemExhausted)
    case .other: ErrorWording(.systemOther, ["reason": description])
    }
  }
}
