internal import FootageBase
internal import Foundation
internal import Network
internal import FootageSystem

extension ConnectionError {
  /// What an error of a connection that was there means.
  ///
  /// - Parameter check: of its server; nil without TLS.
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
    // Not `@unknown default`: the cases differ from one SDK to the next, and a name that is missing would be a warning.
    default: self = .broken("\(error)")
    }
  }
}

/// What a robot is called in words.
enum HostName {
  /// `HOST:PORT`, an address of IPv6 in brackets.
  static func of(_ host: String, _ port: UInt16) -> String { HostPort(host: host, port: port).description }
}
