/// Logs failed connections: refused clients, and failed handshakes.

internal import FootageHTTP
internal import FootageServing
internal import Synchronization
internal import FootageSystem
internal import FootageTLS

/// The report of failed connections, with at most one line per second for each kind. Without this limit, a refused
/// client could fill the log by reconnecting.
final class ConnectionReport: Sendable {
  private struct Budget {
    var nextLine = Deadline(milliseconds: 0)
    var silent = 0

    /// - Returns: the number of connections that were not reported since the last line, if a line may be written now;
    ///   otherwise nil.
    mutating func take(at now: Deadline) -> Int? {
      guard nextLine <= now else {
        silent += 1
        return nil
      }
      nextLine = now.advanced(by: Self.pause)
      defer { silent = 0 }
      return silent
    }

    /// Returns the number of connections that have not been reported yet, if their line is due.
    mutating func rest(at now: Deadline) -> Int? { silent > 0 && nextLine <= now ? take(at: now) : nil }

    private static let pause = Deadline.Delay(.seconds(1))
  }

  private struct State {
    var refused = Budget()
    var failed = Budget()
  }

  private let state = Mutex(State())
  private let log: Log

  init(_ log: Log) { self.log = log }

  func callAsFunction(_ failure: TLSError, from peer: SocketAddress) {
    switch failure {
    case .client(let rejection):
      guard let others = state.withLock({ $0.refused.take(at: log.clock.now) }) else { return }
      // Names in certificates are chosen by their authors, and may contain anything.
      let reason = LogText.escaped(Array(rejection.description.utf8)[...])
      log(.warning, "refused \(peer.host): \(reason)\(Self.words(others))")
    case .disconnected:
      // Port scanners do this, and browsers that change their mind.
      log(.debug, "\(peer.host): \(failure)")
    default:
      guard let others = state.withLock({ $0.failed.take(at: log.clock.now) }) else { return }
      log(.warning, "no TLS connection with \(peer.host): \(failure)\(Self.words(others))")
    }
  }

  /// Logs the connections since the last line, if there has been no line for a second. Called about once a second.
  func flush() {
    let now = log.clock.now
    let (refused, failed) = state.withLock { ($0.refused.rest(at: now), $0.failed.rest(at: now)) }
    if let refused { log(.warning, "refused \(refused) more clients") }
    if let failed { log(.warning, "no TLS connection with \(failed) more clients") }
  }

  private static func words(_ others: Int) -> String { others > 0 ? " (and \(others) more in the meantime)" : "" }
}
