internal import FootageBase
internal import Foundation
internal import Network
internal import FootageSystem

extension ConnectionError {
  /// Creates the error for a failure of an existing connection.
  ///
  /// - Parameter check: the check of the connection's server; nil without TLS.
  init(_ error: NWError, _ check: RobotCheck?) {
    if let failure = check?.failure {
      self = .tls(.trust(failure))
      return
    }
    switch error {
    case .posix(let code):
      let number = Errno(rawValue: code.rawValue)
      self = number == .canceled ? .aborted : .broken(number.description)
    case .tls(let status):
      self = check?.explanation(status) ?? .tls(.connection(SecurityText.of(status)))
    // Not `@unknown default`: the cases differ from one SDK to the next, and a missing case would be a warning.
    default: self = .broken("\(error)")
    }
  }
}

/// The names of robots in messages.
enum HostName {
  /// Returns `HOST:PORT`, with an IPv6 address in brackets.
  static func of(_ host: String, _ port: UInt16) -> String { HostPort(host: host, port: port).description }
}
