package import FootageStore
package import FootageServing
package import FootageLibrary
package import FootageSystem

/// The reason why a server does not start.
package enum ServerError: Error, Sendable, CustomStringConvertible {
  case certificates(CertificateFolder.Failure)
  case library(LibraryError)
  case networking(NetworkingError)
  case system(SystemError)
  /// Recordings cannot be copied to the configured store.
  case offload(OffloadError)
  /// The recordings of many robots cannot be served.
  case fleet(FleetError)
  /// The server cannot listen on the socket or address at which other programs on this machine ask for its status.
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
      "cannot listen on \(path): another server already does"
    case .status(let path, let number):
      "cannot listen on \(path) (--status-listen): \(number); check that its folder exists, and its owner"
    }
  }
}
