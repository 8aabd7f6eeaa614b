#if canImport(Network)
internal import FootageFetching
internal import FootageHTTP
internal import FootageSystem

/// The connections of players, each served by a task on one queue. What has shown no token has places of its own, so that
/// those who were let in lose none to them.
actor ProxyLoop {
  private let executor: QueueExecutor
  private let answers: ProxyAnswers
  private var newcomers: [ProxyConnection] = []
  private var connectionCount = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: QueueExecutor, _ answers: ProxyAnswers) {
    self.executor = executor
    self.answers = answers
  }

  func serve(_ accepted: AcceptedConnection) async {
    guard connectionCount < ProxyLimits.connections else { return accepted.refuse() }
    connectionCount += 1
    defer { connectionCount -= 1 }
    let patience = executor.clock.deadline(after: ProxyLimits.newcomerPatience)
    guard let bytes = await accepted.ready(until: patience) else { return }
    let connection = ProxyConnection(bytes, at: accepted.port, on: executor, answers)
    newcomers.append(connection)
    defer { newcomers.removeAll { $0 === connection } }
    if newcomers.count > ProxyLimits.newcomers { newcomers.removeFirst().abort() }
    while let request = await connection.nextRequest(until: patience) {
      if connection.isLetIn { newcomers.removeAll { $0 === connection } }
      guard await connection.answer(request) else { break }
    }
    connection.close()
  }
}

/// Every time-out, size and count of the proxy that a player can influence.
enum ProxyLimits {
  /// Connections in all.
  static let connections = 256
  /// Of those, how many may not have shown a token yet; one more, and the one that came first has to go.
  static let newcomers = 64
  /// How long these have for that.
  static let newcomerPatience = Duration.seconds(2)
  /// How long a request's head may take, from its first byte on.
  static let request = Duration.seconds(10)
  /// How long a connection may stay without a request.
  static let idle = Duration.seconds(75)
  /// A player that is paused takes nothing for hours, and would not come back by itself after its connection was cut.
  static let writing = Duration.seconds(12 * 3600)
  /// How often it is looked whether a player that waits for the robot is still there.
  static let look = Duration.seconds(1)
  /// What is read and sent in one go, in bytes.
  static let turn = ClientLimits.turn
}
#endif
