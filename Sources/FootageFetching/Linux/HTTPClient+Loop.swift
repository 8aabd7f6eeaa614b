package import FootageServing
package import FootageSystem
package import FootageTLS
package import FootageAPI

extension HTTPClient {
  /// Creates a client whose connections are streams of a loop.
  ///
  /// - Parameters:
  ///   - host: a name or an address without brackets; an IPv6 address may end with `%` and an interface.
  ///   - tls: nil for plain HTTP.
  ///   - sendingRate: the rate that its connections share; nil for no limit.
  ///   - onWarning: called with each fault of the server's certificate that was tolerated.
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
