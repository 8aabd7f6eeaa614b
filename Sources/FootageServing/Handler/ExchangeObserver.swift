package import FootageAPI
package import FootageHTTP
package import FootageSystem

/// An observer of every exchange on one loop, such as a log or a counter. It is called on the loop's thread between the
/// requests of other connections, and must not wait.
package protocol ExchangeObserver: AnyObject {
  /// True if it wants to know how long exchanges take. This is read once. If no observer wants it, no time is measured.
  var wantsDurations: Bool { get }

  /// Handles the end of an exchange: a request was answered, or its connection ended during the answer.
  func ended(_ exchange: borrowing HTTPExchange)

  /// Handles the end of a connection because of a reportable error, such as a failed handshake or a deadline.
  func connectionFailed(_ error: StreamError, from peer: SocketAddress)
}

/// A request and its result.
package struct HTTPExchange: Sendable {
  package let peer: SocketAddress
  /// The client's identity by its certificate; nil if it showed none.
  package let identity: ClientIdentity?
  /// The request's head; nil if the input could not be read as a request.
  package let request: RequestHead?
  package let status: HTTPStatus
  /// The size of the body in bytes, without heads.
  package let byteCount: UInt64
  /// The time from the request's head to the last turn of its answer; nil if no observer asked for it.
  package let duration: Duration?
  /// True if the response was cut off.
  package let isCutOff: Bool
  /// True if the request was held, because its client wanted to wait for a change.
  package let wasHeld: Bool
}

/// All observers of a loop's exchanges. Belongs to its thread.
struct ExchangeObservers {
  private let counter: ExchangeCounter
  private let others: [any ExchangeObserver]
  private let clock: Clock
  private let areTimed: Bool

  init(counter: ExchangeCounter, others: [any ExchangeObserver], clock: Clock) {
    self.counter = counter
    self.others = others
    self.clock = clock
    areTimed = others.contains { $0.wantsDurations }
  }

  /// Returns a running stopwatch; nil if no observer wants durations.
  func stopwatch() -> Stopwatch? { areTimed ? Stopwatch(clock) : nil }

  func ended(_ exchange: borrowing HTTPExchange) {
    counter.ended(exchange)
    for observer in others { observer.ended(exchange) }
  }

  func connectionFailed(_ error: StreamError, from peer: SocketAddress) {
    counter.connectionFailed(error, from: peer)
    for observer in others { observer.connectionFailed(error, from: peer) }
  }
}
