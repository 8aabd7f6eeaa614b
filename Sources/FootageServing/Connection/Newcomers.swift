internal import FootageSystem

/// Those of a loop that were not let in yet, the first first; belongs to the loop's thread.
final class Newcomers {
  private let limits: NewcomerLimits
  private var waiting: [HTTPConnection] = []

  init(_ limits: NewcomerLimits) { self.limits = limits }

  /// Who has just come; nil where it is gone again.
  func visitor(over stream: Stream) -> Visitor? {
    stream.local.map {
      Visitor(local: $0, peer: stream.peer, until: stream.loop.clock.deadline(after: limits.patience))
    }
  }

  /// Takes somebody up who has just come, for which another one may have to go.
  func add(_ connection: HTTPConnection) {
    waiting.append(connection)
    if waiting.count > limits.count { waiting.removeFirst().giveUp() }
  }

  /// It was let in, or is gone.
  func remove(_ connection: HTTPConnection) { waiting.removeAll { $0 === connection } }
}
