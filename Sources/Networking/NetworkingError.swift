/// Why an address could not be listened on, or a connection came to its end.

internal import CLinux
internal import Glibc

package enum NetworkingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `HOST:PORT` that cannot be read or found.
  case address(String, reason: String)
  /// `bind` or `listen` failed with this error number.
  case listen(String, errorNumber: CInt)
  /// Descriptors or memory of the system have run out, or it has no epoll.
  case system(call: String, errorNumber: CInt)

  package var description: String {
    switch self {
    case .address(let address, let reason): "cannot use the address \(address): \(reason)"
    case .listen(let address, let number) where number == EADDRINUSE:
      "cannot listen on \(address): another process does"
    case .listen(let address, let number) where number == EACCES:
      "cannot listen on \(address): ports below 1024 need CAP_NET_BIND_SERVICE"
    case .listen(let address, let number) where number == EADDRNOTAVAIL:
      "cannot listen on \(address): this machine does not have that address"
    case .listen(let address, let number): "cannot listen on \(address): \(words(for: number))"
    case .system(let call, let number): "\(call) failed: \(words(for: number))"
    }
  }
}

extension NetworkingError {
  /// What keeps an address from being listened on, as far as somebody can do something about it.
  package enum ListenFailure: Sendable {
    /// Another process listens there.
    case taken
    case notAllowed
    /// The machine does not have this address, or nothing of its family.
    case noSuchAddress
  }

  package var listenFailure: ListenFailure? {
    guard case .listen(_, let number) = self else { return nil }
    return switch number {
    case EADDRINUSE: .taken
    case EACCES: .notAllowed
    case EADDRNOTAVAIL, EAFNOSUPPORT: .noSuchAddress
    default: nil
    }
  }
}

/// What `strerror` says in the C locale.
func words(for errorNumber: CInt) -> String {
  // Safe because the string is a constant of the C library, ended by a zero.
  guard let words = unsafe clinux_error_text(errorNumber) else { return "error \(errorNumber)" }
  return unsafe String(cString: words)
}
