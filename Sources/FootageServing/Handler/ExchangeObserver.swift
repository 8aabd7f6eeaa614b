package import FootageAPI
package import FootageHTTP
package import FootageSystem

/// What is told of every exchange on one loop, on its thread: a log, a count. It is called between two requests of
/// others, and waits for nothing.
package protocol ExchangeObserver: AnyObject {
  /// Whether it wants to know how long exchanges take; asked for once. Where nobody does, no time is taken.
  var wantsDurations: Bool { get }

  /// A request was answered, or its connection ended over it.
  func ended(_ exchange: borrowing HTTPExchange)

  /// A connection ended by something that is worth a word: a failed handshake, a deadline.
  func connectionFailed(_ error: StreamError, from peer: SocketAddress)
}

/// A request and what became of it.
package struct HTTPExchange: Sendable {
  package let peer: SocketAddress
  /// Who the client is by its certificate; nil where none was shown.
  package let identity: ClientIdentity?
  /// Nil where what came could not be read as a request.
  package let request: RequestHead?
  package let status: HTTPStatus
  /// Of the body, without heads.
  package let byteCount: UInt64
  /// From the request's head to the last turn of its answer; nil where no observer asked for it.
  package let duration: Duration?
  /// Whether the response was cut off.
  package let isCutOff: Bool
  /// Whether the request was held, for a change that its client would rather hear of.
  package let wasHeld: Bool
}

/// All that observe the exchanges of a loop. Belongs to its thread.
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

  /// Begins to measure; nil where nobody wants to know.
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
