internal import HTTPTransport
internal import FootageSystem

/// Whose view a loop has made next: turns go round the viewers, and of one viewer they come in order. A request that
/// waits is held, so that nothing is made for a client that has gone. Belongs to its loop's thread.
final class ViewTurns {
  private var isTaken = false
  private var waiting = RoundRobin<Viewer, any RequestConnection>()

  /// How long a request waits for its turn.
  private static let patience = Duration.seconds(60)

  /// Waits for the turn, which is to be given back by `leave`.
  ///
  /// - Returns: false where the view is not wanted any more, or its turn does not come.
  func take(for viewer: Viewer, over connection: any RequestConnection) async -> Bool {
    guard isTaken else {
      isTaken = true
      return true
    }
    waiting.append(connection, for: viewer)
    let isWoken = await connection.hold(until: connection.clock.deadline(after: Self.patience))
    // Where it is there still, nobody has given it the turn.
    if waiting.remove(for: viewer, where: { $0 === connection }) { return false }
    if !isWoken { leave() }
    return isWoken
  }

  /// Gives the turn to the next viewer's request that waits longest.
  func leave() {
    guard let next = waiting.popFirst() else {
      isTaken = false
      return
    }
    next.endHold()
  }
}
