/// Turns what happens to the server as a whole into lines, of a flood at most one a second.

internal import HTTPTransport
internal import Networking
internal import Synchronization

final class EventReport: Sendable {
  private struct State {
    var nextLine = Deadline.now
    var silent = 0
  }

  private let state = Mutex(State())
  private let log: Log

  init(_ log: Log) { self.log = log }

  func callAsFunction(_ event: HTTPServerEvent) {
    let silent = state.withLock { state -> Int? in
      guard state.nextLine <= .now else {
        state.silent += 1
        return nil
      }
      state.nextLine = .after(.seconds(1))
      defer { state.silent = 0 }
      return state.silent
    }
    guard let silent else { return }
    let others = silent > 0 ? " (and \(silent) more in the meantime)" : ""
    switch event {
    case .refused(let peer, let reason): log(.warning, "turned \(peer.host) away: \(reason)\(others)")
    case .descriptorsExhausted(let reason):
      log(.error, "accepting pauses, since descriptors have run out: \(reason); raise ulimit -n\(others)")
    }
  }
}
