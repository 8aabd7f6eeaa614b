internal import FootageServing
internal import Synchronization
internal import FootageSystem

/// A log for events of the whole server, with at most one line per second for each kind.
final class RateLimitedLog: Sendable {
  /// The kinds of events. Each kind may have one line per second.
  private enum Kind: Hashable { case refused, gaveUp, descriptorsExhausted }

  private struct Silence {
    var nextLine = Deadline(milliseconds: 0)
    var count = 0
  }

  private let silences = Mutex<[Kind: Silence]>([:])
  private let log: Log
  private static let pause = Deadline.Delay(.seconds(1))

  init(_ log: Log) { self.log = log }

  func callAsFunction(_ event: HTTPServerEvent) {
    let kind = Self.kind(of: event)
    let now = log.clock.now
    let silent = silences.withLock { silences -> Int? in
      var silence = silences[kind, default: Silence()]
      defer { silences[kind] = silence }
      guard silence.nextLine <= now else {
        silence.count += 1
        return nil
      }
      defer { silence = Silence(nextLine: now.advanced(by: Self.pause)) }
      return silence.count
    }
    // The text is made only now, because there may be tens of thousands of events per second.
    guard let silent else { return }
    let (level, text) = words(for: event)
    log(level, silent > 0 ? "\(text) (and \(silent) more in the meantime)" : text)
  }

  private static func kind(of event: HTTPServerEvent) -> Kind {
    switch event {
    case .refused: .refused
    case .gaveUp: .gaveUp
    case .descriptorsExhausted: .descriptorsExhausted
    }
  }

  private func words(for event: HTTPServerEvent) -> (LogLevel, String) {
    switch event {
    case .refused(let peer, let refusal):
      let option =
        switch refusal {
        case .tooMany: "--max-connections"
        case .tooManyFromAddress: "--max-connections-per-address"
        }
      return (.warning, "turned \(peer.host) away: \(refusal) (\(option))")
    case .gaveUp(let peer, let activity):
      return (
        .warning, "closed a connection of \(peer.host), \(reason(activity)), because others are waiting for a place"
      )
    case .descriptorsExhausted(let reason):
      return (
        .error,
        "cannot accept connections for now, because descriptors have run out: \(reason); raise ulimit -n"
      )
    }
  }

  private func reason(_ activity: ConnectionActivity) -> String {
    switch activity {
    case .handshaking(let since): "whose handshake had taken \(seconds(since))"
    case .waiting(let since): "which had requested nothing for \(seconds(since))"
    case .stalled(let since): "which had hardly read for \(seconds(since))"
    case .busy: "which was busy"
    }
  }

  private func seconds(_ since: Deadline) -> String {
    let seconds = log.clock.elapsed(since: since).components.seconds
    return seconds < 1 ? "less than a second" : "\(seconds) s"
  }
}
