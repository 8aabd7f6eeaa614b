package import FootageAPI

extension StoreTrouble {
  /// The code with which `/health` reports the trouble.
  package var healthCode: HealthCode {
    switch self {
    case .away: .offloadAway
    case .denied: .offloadDenied
    case .untrusted: .offloadUntrusted
    case .redirect: .offloadRedirect
    case .full: .offloadFull
    }
  }
}
