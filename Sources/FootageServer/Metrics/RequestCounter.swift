internal import FootageHTTP
internal import FootageServing
internal import FootageSystem

/// A counter of the requests of one loop by route and status, and of the failed handshakes. Only the loop counts, but
/// any thread may read.
final class RequestCounter: ExchangeObserver, Sendable {
  /// The statuses that the server uses. Any other status counts as 0.
  static let statuses = [
    0, 200, 204, 206, 304, 307, 400, 403, 404, 405, 408, 409, 410, 412, 413, 414, 416, 417, 421, 429, 431, 500, 501,
    502,
    503, 505,
  ]
  /// The index of each status in `statuses`, by its distance from 200.
  private static let places = (200..<600).map { statuses.firstIndex(of: $0) ?? 0 }

  private let requests = CounterTable(count: RequestRoute.allCases.count * statuses.count)
  private let handshakes = CounterTable(count: HandshakeFailure.allCases.count)
  private let sent = CounterTable(count: 1)

  var wantsDurations: Bool { false }

  func ended(_ exchange: borrowing HTTPExchange) {
    let route = exchange.request.map { RequestRoute($0.path) } ?? .other
    let code = exchange.status.code
    let status = (200..<600).contains(code) ? Self.places[code - 200] : 0
    requests.add(at: route.rawValue * Self.statuses.count + status)
    sent.add(exchange.byteCount, at: 0)
  }

  func connectionFailed(_ error: StreamError, from peer: SocketAddress) {
    guard let failure = HandshakeFailure(error), let index = Self.failurePlaces[failure] else { return }
    handshakes.add(at: index)
  }

  private static let failurePlaces = Dictionary(
    uniqueKeysWithValues: HandshakeFailure.allCases.enumerated().map { ($0.element, $0.offset) })

  // MARK: Any thread

  /// The number of bytes of bodies that were sent.
  var sentBytes: UInt64 { sent[0] }

  func count(of route: RequestRoute, status index: Int) -> UInt64 {
    requests[route.rawValue * Self.statuses.count + index]
  }

  func count(of failure: HandshakeFailure) -> UInt64 { Self.failurePlaces[failure].map { handshakes[$0] } ?? 0 }
}
