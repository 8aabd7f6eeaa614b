package import FootageSystem

/// The reason why an address could not be listened on, or why a connection ended.
package enum NetworkingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `HOST:PORT` cannot be read or found.
  case address(String, reason: String)
  /// `bind` or `listen` failed with this error number.
  case listen(String, Errno)
  /// Descriptors, threads or memory of the system have run out.
  case system(SystemError)

  package var description: String {
    switch self {
    case .address(let address, let reason): "cannot use the address \(address): \(reason)"
    case .listen(let address, let number) where number == .addressInUse:
      "cannot listen on \(address): another process already does"
    case .listen(let address, let number) where number == .permissionDenied:
      "cannot listen on \(address): ports below 1024 need CAP_NET_BIND_SERVICE"
    case .listen(let address, let number) where number == .addressNotAvailable:
      "cannot listen on \(address): this machine does not have that address"
    case .listen(let address, let number): "cannot listen on \(address): \(number)"
    case .system(let error): error.description
    }
  }
}

extension NetworkingError {
  /// The reason why an address cannot be listened on, if a person can do something about it.
  package enum ListenFailure: Sendable {
    /// Another process listens at the address.
    case taken
    case notAllowed
    /// The machine does not have this address, or has none of its family.
    case noSuchAddress
  }

  package var listenFailure: ListenFailure? {
    guard case .listen(_, let number) = self else { return nil }
    return switch number {
    case .addressInUse: .taken
    case .permissionDenied: .notAllowed
    case .addressNotAvailable, .addressFamilyNotSupported: .noSuchAddress
    default: nil
    }
  }
}
