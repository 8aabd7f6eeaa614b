/// The client over Network's connections, for the tests that it shares with the client over an event loop.
@testable import FootageFetching
import FootageSystem

extension HTTPClientTests {
  static func client(
    _ port: UInt16, security: NetworkConnector.Security? = nil, over paths: NetworkConnector.Paths = .init(),
    host: String = "127.0.0.1", _ adjust: (inout ClientLimits) -> Void = { _ in }
  ) throws -> HTTPClient {
    var limits = ClientLimits()
    adjust(&limits)
    return HTTPClient(
      host: host, port: port, on: QueueExecutor.shared, limits: limits,
      connector: NetworkConnector(
        to: host, port: port, security: security, over: paths, limits: limits, on: .shared))
  }
}
