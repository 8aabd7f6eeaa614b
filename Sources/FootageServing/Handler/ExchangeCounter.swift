internal import FootageHTTP
internal import Synchronization
package import FootageSystem

/// The numbers of exchanges and of their results.
package struct ExchangeCounts: Hashable, Sendable {
  /// The number of requests that were answered, or whose connections ended during the answer. Input that was not a
  /// request counts as well.
  package var exchanges: UInt64 = 0
  /// The number of answers with a status of 2xx. The next three properties count 3xx, 4xx and 5xx.
  package var successes: UInt64 = 0
  package var redirections: UInt64 = 0
  package var clientErrors: UInt64 = 0
  package var serverErrors: UInt64 = 0
  /// The bytes of bodies, without heads.
  package var bodyBytes: UInt64 = 0
  /// The number of answers that were not sent completely.
  package var cutOffs: UInt64 = 0
  /// The number of connections that ended because of an error, including failed handshakes.
  package var failedConnections: UInt64 = 0
  package var failedHandshakes: UInt64 = 0

  package init() {}

  package static func + (one: ExchangeCounts, other: ExchangeCounts) -> ExchangeCounts {
    var sum = one
    sum.exchanges &+= other.exchanges
    sum.successes &+= other.successes
    sum.redirections &+= other.redirections
    sum.clientErrors &+= other.clientErrors
    sum.serverErrors &+= other.serverErrors
    sum.bodyBytes &+= other.bodyBytes
    sum.cutOffs &+= other.cutOffs
    sum.failedConnections &+= other.failedConnections
    sum.failedHandshakes &+= other.failedHandshakes
    return sum
  }
}

/// A counter of one loop's exchanges. Only its thread writes, so that counting is a load and a store. Any thread may
/// read.
package final class ExchangeCounter: ExchangeObserver, Sendable {
  private let exchanges = Atomic<UInt64>(0)
  private let successes = Atomic<UInt64>(0)
  private let redirections = Atomic<UInt64>(0)
  private let clientErrors = Atomic<UInt64>(0)
  private let serverErrors = Atomic<UInt64>(0)
  private let bodyBytes = Atomic<UInt64>(0)
  private let cutOffs = Atomic<UInt64>(0)
  private let failedConnections = Atomic<UInt64>(0)
  private let failedHandshakes = Atomic<UInt64>(0)

  package init() {}

  /// The counts since the beginning. Each number is exact, but the numbers may differ by the exchange that is just
  /// being counted.
  package var counts: ExchangeCounts {
    var counts = ExchangeCounts()
    counts.exchanges = exchanges.load(ordering: .relaxed)
    counts.successes = successes.load(ordering: .relaxed)
    counts.redirections = redirections.load(ordering: .relaxed)
    counts.clientErrors = clientErrors.load(ordering: .relaxed)
    counts.serverErrors = serverErrors.load(ordering: .relaxed)
    counts.bodyBytes = bodyBytes.load(ordering: .relaxed)
    counts.cutOffs = cutOffs.load(ordering: .relaxed)
    counts.failedConnections = failedConnections.load(ordering: .relaxed)
    counts.failedHandshakes = failedHandshakes.load(ordering: .relaxed)
    return counts
  }

  package var wantsDurations: Bool { false }

  package func ended(_ exchange: borrowing HTTPExchange) {
    Self.add(1, to: exchanges)
    switch exchange.status.code {
    case 200..<300: Self.add(1, to: successes)
    case 300..<400: Self.add(1, to: redirections)
    case 400..<500: Self.add(1, to: clientErrors)
    case 500...: Self.add(1, to: serverErrors)
    default: break
    }
    Self.add(exchange.byteCount, to: bodyBytes)
    if exchange.isCutOff { Self.add(1, to: cutOffs) }
  }

  package func connectionFailed(_ error: StreamError, from peer: SocketAddress) {
    Self.add(1, to: failedConnections)
    switch error {
    case .tls, .handshakeTooLong: Self.add(1, to: failedHandshakes)
    default: break
    }
  }

  private static func add(_ count: UInt64, to counter: borrowing Atomic<UInt64>) {
    counter.store(counter.load(ordering: .relaxed) &+ count, ordering: .relaxed)
  }
}
