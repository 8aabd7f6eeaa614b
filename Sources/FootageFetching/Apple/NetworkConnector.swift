internal import Foundation
internal import Network
internal import FootageSystem
package import FootageAPI

/// A maker of connections to one robot. It uses Network.framework, which finds the robot's addresses and races them
/// (RFC 8305) by itself.
///
/// Belongs to its executor's queue.
package final class NetworkConnector: ConnectionMaker {
  /// The credentials and checks for the handshake with a robot.
  package struct Security: Sendable {
    /// A function that returns the policy by which the robot is recognized. The policy may change while there are
    /// connections.
    let policy: @Sendable () -> TrustPolicy
    let identity: AppleIdentity?
    /// A function that is called with the key that the robot has proved to have.
    let onProof: @Sendable (PublicKeyPin) -> Void
    /// A function that is called with each fault of the robot's certificate that was tolerated.
    let onWarning: @Sendable (TrustWarning) -> Void

    package init(
      policy: @escaping @Sendable () -> TrustPolicy, identity: AppleIdentity?,
      onProof: @escaping @Sendable (PublicKeyPin) -> Void, onWarning: @escaping @Sendable (TrustWarning) -> Void
    ) {
      self.policy = policy
      self.identity = identity
      self.onProof = onProof
      self.onWarning = onWarning
    }
  }

  /// The networks that may be used.
  package struct Paths: Sendable {
    let allowsExpensive: Bool
    let allowsConstrained: Bool

    package init(allowsExpensive: Bool = true, allowsConstrained: Bool = true) {
      self.allowsExpensive = allowsExpensive
      self.allowsConstrained = allowsConstrained
    }
  }

  /// `kDNSServiceErr_PolicyDenied` of dns_sd.h, for a name in the local network.
  private static let policyDenied: Int32 = -65_570

  private let host: String
  private let port: UInt16
  private let security: Security?
  private let paths: Paths
  private let limits: ClientLimits
  private let executor: QueueExecutor
  package private(set) var statistics = ConnectionStatistics()

  /// - Parameters:
  ///   - host: a name or an address without brackets; an IPv6 address may end with `%` and an interface.
  ///   - security: nil for plain HTTP.
  package init(
    to host: String, port: UInt16, security: Security?, over paths: Paths = Paths(), limits: ClientLimits,
    on executor: QueueExecutor
  ) {
    self.host = host
    self.port = port
    self.security = security
    self.paths = paths
    self.limits = limits
    self.executor = executor
  }

  package func connect(
    for handle: AbortHandle, within duration: Duration?, on actor: isolated any Actor
  ) async throws(HTTPClientError) -> any ByteConnection {
    let deadline = executor.clock.deadline(after: min(duration ?? limits.connect, limits.connect))
    guard let port = NWEndpoint.Port(rawValue: port) else { throw .nameNotFound("\(self.port) is not a valid port") }
    let check = security.map {
      RobotCheck(
        $0.policy(), host: String(host.prefix { $0 != "%" }), port: self.port, identity: $0.identity,
        now: executor.clock.unixSeconds)
    }
    let connection = NWConnection(to: .hostPort(host: NWEndpoint.Host(host), port: port), using: parameters(check))
    let attempt = ConnectionAttempt(connection, on: executor)
    handle.abort = { attempt.abort() }
    guard !handle.isCancelled else { throw .cancelled }
    switch await attempt.finish(until: deadline) {
    case .ready: break
    case .failed(let error):
      connection.forceCancel()
      throw failure(error, check, connection)
    case .deadlinePassed:
      connection.forceCancel()
      if let failure = check?.failure { throw .tls(.trust(failure)) }
      guard !attempt.isDenied else { throw .unreachable(HostName.of(host, self.port), .localNetworkDenied) }
      throw .timedOut(.connection)
    case .aborted:
      connection.forceCancel()
      throw .cancelled
    }
    if let check, let security {
      // Checked before the first write, whatever happened in the handshake: fail closed.
      do throws(TrustFailure) { security.onProof(try check.confirm(connection)) } catch {
        connection.forceCancel()
        throw .tls(.trust(error))
      }
      for warning in check.warnings { security.onWarning(warning) }
    }
    statistics.connections += 1
    return NetworkConnection(connection, on: executor) { ConnectionError($0, check) }
  }

  private func parameters(_ check: RobotCheck?) -> NWParameters {
    let tcp = NWProtocolTCP.Options()
    // Heads and bodies are sent in one piece each. Waiting for more would only delay them.
    tcp.noDelay = true
    let parameters = NWParameters(tls: check?.options(on: executor.queue), tcp: tcp)
    parameters.prohibitExpensivePaths = !paths.allowsExpensive
    parameters.prohibitConstrainedPaths = !paths.allowsConstrained
    // A proxy would be asked for the robot instead of the robot itself.
    parameters.preferNoProxies = true
    return parameters
  }

  private func failure(_ error: NWError, _ check: RobotCheck?, _ connection: NWConnection) -> HTTPClientError {
    // Whatever Network calls the error: a handshake that this side has broken off looks like a lost connection, too.
    if let failure = check?.failure { return .tls(.trust(failure)) }
    let address = HostName.of(host, port)
    if connection.currentPath?.unsatisfiedReason == .localNetworkDenied {
      return .unreachable(address, .localNetworkDenied)
    }
    switch error {
    case .dns(Self.policyDenied): return .unreachable(address, .localNetworkDenied)
    case .dns: return .nameNotFound("cannot use the address \(host): \(error.localizedDescription)")
    case .posix(let code):
      return .unreachable(address, .unreachable(Errno(rawValue: code.rawValue).description))
    case .tls(let status):
      switch check?.explanation(status) {
      case .tls(let failure): return .tls(failure)
      case let error?: return .unreachable(address, error)
      case nil: return .tls(.connection(SecurityText.of(status)))
      }
    // Not `@unknown default`: the cases differ from one SDK to the next, and a missing case would be a warning.
    default: return .unreachable(address, .unreachable("\(error)"))
    }
  }
}
