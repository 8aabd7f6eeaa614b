internal import FootageSystem

/// The connections of a loop that were not let in yet, the oldest first. Belongs to the loop's thread.
final class Newcomers {
  private let limits: NewcomerLimits
  private var waiting: [HTTPConnection] = []

  init(_ limits: NewcomerLimits) { self.limits = limits }

  /// Returns the visitor for a new connection; nil if it is gone again.
  func visitor(over stream: Stream) -> Visitor? {
    stream.local.map {
      Visitor(local: $0, peer: stream.peer, until: stream.loop.clock.deadline(after: limits.patience))
    }
  }

  /// Adds a new connection, for which the oldest one may have to go.
  func add(_ connection: HTTPConnection) {
    waiting.append(connection)
    if waiting.count > limits.count { waiting.removeFirst().giveUp() }
  }

  /// Removes a connection that was let in or is gone.
  func remove(_ connection: HTTPConnection) { waiting.removeAll { $0 === connection } }
}
