/// Turns connections that came to nothing into lines: who was refused, and whose handshake failed.

internal import FootageHTTP
internal import FootageServing
internal import Synchronization
internal import FootageSystem
internal import FootageTLS

/// Of each kind at most one line a second: who is refused can come back as often as it likes.
final class ConnectionReport: Sendable {
  private struct Budget {
    var nextLine = Deadline(milliseconds: 0)
    var silent = 0

    /// - Returns: how many others there were since the last line, where there may be one now.
    mutating func take(at now: Deadline) -> Int? {
      guard nextLine <= now else {
        silent += 1
        return nil
      }
      nextLine = now.advanced(by: Self.pause)
      defer { silent = 0 }
      return silent
    }

    /// What nobody has come after to tell of.
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
      // Names in certificates are whatever their authors liked.
      let reason = LogText.escaped(Array(rejection.description.utf8)[...])
      log(.warning, "refused \(peer.host): \(reason)\(Self.words(others))")
    case .disconnected:
      // Who looks whether the port is open does that, and browsers who have thought better of it.
      log(.debug, "\(peer.host): \(failure)")
    default:
      guard let others = state.withLock({ $0.failed.take(at: log.clock.now) }) else { return }
      log(.warning, "no TLS with \(peer.host): \(failure)\(Self.words(others))")
    }
  }

  /// Tells of those who came since the last line, if there has been none for a second. Called about once a second.
  func flush() {
    let now = log.clock.now
    let (refused, failed) = state.withLock { ($0.refused.rest(at: now), $0.failed.rest(at: now)) }
    if let refused { log(.warning, "refused \(refused) more clients") }
    if let failed { log(.warning, "no TLS with \(failed) more clients") }
  }

  private static func words(_ others: Int) -> String { others > 0 ? " (and \(others) more in the meantime)" : "" }
}
