internal import Foundation
public import FootageCore

extension DiscoveryError: WordedError {
  public var wording: ErrorWording {
    switch self {
    case .notAllowed: ErrorWording(.localNetworkDenied)
    case .unavailable: ErrorWording(.networkUnusable)
    }
  }
}
