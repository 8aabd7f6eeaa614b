/// The code of "From an empty app to a playing video": the remedies that an app offers when something goes wrong.

import FootageClient
import Foundation

enum Remedy: Hashable {
  case askForAddress
  case compareWithConsole
  case pair
  case askForIdentity
  case allowLocalNetwork
  case tryAgain
  case loadListAgain
  case openAgain
  case chooseOtherTime
  case connect
  case checkDisk
  case report
  case none
}

func alert(for error: any Error) -> (title: String, message: String?) {
  (error.localizedDescription, (error as? any LocalizedError)?.recoverySuggestion)
}

func german(_ error: any WordedError) -> (title: String, message: String?) {
  (error.wording.problem(in: .german), error.wording.advice(in: .german))
}

func remedy(for error: RobotError) -> Remedy {
  switch error {
  case .address: .askForAddress
  case .trust, .pairing(.pinChanged): .compareWithConsole
  case .pairing(.notPaired), .pairing(.otherRobot): .pair
  case .identity, .notAllowed: .askForIdentity
  case .localNetworkDenied: .allowLocalNetwork
  case .unreachable, .unavailable: .tryAgain
  case .notFound(_, .notReady, _): .tryAgain
  case .notFound(_, .noFootage, _), .notMade: .chooseOtherTime
  case .notFound: .loadListAgain
  case .outOfRange, .replaced: .openAgain
  case .file, .pairing(.file), .pairing(.unreadable): .checkDisk
  case .malformed, .shortBody, .unexpected, .notSupported, .notKept, .system: .report
  case .cancelled: .none
  case .cache(let error): remedy(for: error)
  }
}

func remedy(for error: MediaCacheError) -> Remedy {
  switch error {
  case .unreachable(_, let error): remedy(for: error)
  case .replaced: .openAgain
  case .refused(_, let error): remedy(for: error)
  case .notCached, .notComplete, .damaged, .offline: .connect
  case .noRoom, .folder, .database, .file: .checkDisk
  case .owned, .notBindable, .outside, .proxy: .report
  case .cancelled: .none
  }
}
