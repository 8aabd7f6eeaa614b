package import Networking
package import RecordingLibrary
package import System

/// Why a server does not start.
package enum ServerError: Error, Sendable, CustomStringConvertible {
  case certificates(CertificateFolder.Failure)
  case library(LibraryError)
  case networking(NetworkingError)
  case system(SystemError)

  package var description: String {
    switch self {
    case .certificates(let failure): failure.description
    case .library(let error): error.description
    case .networking(let error): error.description
    case .system(let error): error.description
    }
  }
}
