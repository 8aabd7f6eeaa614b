internal import FootageHTTP
internal import Synchronization
package import FootageSystem

/// How many exchanges there were, and how they went.
package struct ExchangeCounts: Hashable, Sendable {
  /// Requests that were answered, or that their connections ended over; also what was no request.
  package var exchanges: UInt64 = 0
  /// Answers by the first digit of their status.
  package var successes: UInt64 = 0
  package var redirections: UInt64 = 0
  package var clientErrors: UInt64 = 0
  package var serverErrors: UInt64 = 0
  /// Of bodies, without heads.
  package var bodyBytes: UInt64 = 0
  /// Answers that were not sent to their end.
  package var cutOffs: UInt64 = 0
  /// Connections that ended before their time; handshakes that failed are among them.
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

/// Counts the exchanges of one loop. Only its thread writes, so that counting is a load and a store; any thread may
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

  /// Since the beginning. Each number is right, and they may be of moments that differ by an exchange.
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
