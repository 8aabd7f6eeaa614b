internal import FootageSystem

/// The connections of a loop from which no request has been accepted yet, the oldest first. Belongs to the loop's
/// thread.
final class Newcomers {
  private let limits: NewcomerLimits
  private var waiting: [HTTPConnection] = []

  init(_ limits: NewcomerLimits) { self.limits = limits }

  /// Returns the visitor for a new connection; nil if the connection is already closed.
  func visitor(over stream: Stream) -> Visitor? {
    stream.local.map {
      Visitor(local: $0, peer: stream.peer, until: stream.loop.clock.deadline(after: limits.patience))
    }
  }

  /// Adds a new connection, and closes the oldest one if there are too many.
  func add(_ connection: HTTPConnection) {
    waiting.append(connection)
    if waiting.count > limits.count { waiting.removeFirst().giveUp() }
  }

  /// Removes a connection that was accepted or has closed.
  func remove(_ connection: HTTPConnection) { waiting.removeAll { $0 === connection } }
}
