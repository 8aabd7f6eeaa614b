package import FootageServing
package import FootageSystem
package import FootageTLS
package import FootageAPI

extension HTTPClient {
  /// A client whose connections are streams of a loop.
  ///
  /// - Parameters:
  ///   - host: a name or an address without brackets, of IPv6 perhaps with `%` and an interface.
  ///   - tls: nil for plain HTTP.
  ///   - sendingRate: what its connections share; nil for as much as it goes.
  ///   - onWarning: told what is not right with a certificate and was let pass.
  package init(
    host: String, port: UInt16, tls: TLSClientContext?, on loop: EventLoop, resolver: HostResolver,
    limits: ClientLimits = .standard, sendingRate: SendingRate? = nil,
    onWarning: @escaping @Sendable (TrustWarning) -> Void = { _ in }
  ) {
    self.init(
      host: host, port: port, on: loop, limits: limits,
      connector: HostConnector(
        to: host, port: port, tls: tls, on: loop, resolver: resolver, limits: limits,
        sendingRate: sendingRate, onWarning: onWarning))
  }
}

extension EventLoop: ConnectionExecutor {
  package func timer(at deadline: Deadline, _ action: @escaping () -> Void) -> any ConnectionTimer {
    schedule(at: deadline, action)
  }
}

extension LoopTimer: ConnectionTimer {}
