package import FootageStore
package import FootageServing
package import FootageLibrary
package import FootageSystem

/// Why a server does not start.
package enum ServerError: Error, Sendable, CustomStringConvertible {
  case certificates(CertificateFolder.Failure)
  case library(LibraryError)
  case networking(NetworkingError)
  case system(SystemError)
  /// Recordings cannot be brought to the store that was named.
  case offload(OffloadError)
  /// Many robots' recordings cannot be shown.
  case fleet(FleetError)
  /// Where others on this machine should ask cannot be listened on.
  case status(path: String, Errno)

  package var description: String {
    switch self {
    case .certificates(let failure): failure.description
    case .library(let error): error.description
    case .networking(let error): error.description
    case .system(let error): error.description
    case .offload(let error): error.description
    case .fleet(let error): error.description
    case .status(let path, let number) where number == .addressInUse:
      "cannot listen on \(path): another server does"
    case .status(let path, let number): "cannot listen on \(path): \(number)"
    }
  }
}
