internal import FootageFetching
internal import FootageHTTP
internal import FootageSystem

/// The connections of players, each served by a task on one thread. Connections that have shown no token have a limited
/// number of places, and are closed first to make room. They can therefore not displace accepted ones.
actor ProxyLoop {
  private let executor: any ConnectionExecutor
  private let answers: ProxyAnswers
  private let users: PlayerUsers
  /// The buffer into which each piece is read, and from which it is sent at once. All connections share it.
  private let buffer = SendBuffer(byteCount: ProxyLimits.turn)
  /// The connections, in the order in which they arrived.
  private var connections: [ProxyConnection] = []
  /// The number of tasks that have not ended. Some of their connections may have been closed to make room already.
  private var taskCount = 0
  private var isOver = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: any ConnectionExecutor, _ answers: ProxyAnswers, _ users: PlayerUsers) {
    self.executor = executor
    self.answers = answers
    self.users = users
  }

  /// Ends all connections.
  func abort() {
    isOver = true
    for connection in connections { connection.abort() }
  }

  func serve(_ accepted: AcceptedConnection) async {
    guard !isOver, taskCount < ProxyLimits.connections + ProxyLimits.newcomers, makeRoom() else {
      return accepted.refuse()
    }
    taskCount += 1
    defer { taskCount -= 1 }
    let patience = executor.clock.deadline(after: ProxyLimits.newcomerPatience)
    guard let bytes = await accepted.ready(until: patience), !isOver else { return }
    let connection = ProxyConnection(
      bytes, of: PlayerUsers.Player(accepted, users), at: accepted.port, on: executor, answers, buffer)
    connections.append(connection)
    defer { connections.removeAll { $0 === connection } }
    // The earliest connection that has shown no token yet has to go.
    let newcomers = connections.filter { !$0.isLetIn }
    if newcomers.count > ProxyLimits.newcomers, let first = newcomers.first { giveUp(first) }
    await connection.run(patience: patience)
  }

  /// - Returns: true if there is room for another connection. If necessary, a connection is closed: one that has shown
  ///   no token yet, else that of the player that has sent no request for longest, else one that has received nothing
  ///   for a while.
  private func makeRoom() -> Bool {
    guard connections.count >= ProxyLimits.connections else { return true }
    let chosen =
      connections.first { !$0.isLetIn } ?? longest(\.idleSince)
      ?? longest(\.takesNothingUntil, until: executor.clock.now)
    guard let chosen else { return false }
    giveUp(chosen)
    return true
  }

  private func longest(_ since: KeyPath<ProxyConnection, Deadline?>, until latest: Deadline = .never)
    -> ProxyConnection?
  {
    connections.filter { $0[keyPath: since].map { $0 <= latest } ?? false }
      .min { ($0[keyPath: since] ?? .never) < ($1[keyPath: since] ?? .never) }
  }

  /// Closes a connection and frees its place at once, though its task ends a moment later.
  private func giveUp(_ connection: ProxyConnection) {
    connections.removeAll { $0 === connection }
    connection.abort()
  }
}

/// Every time-out, size and count of the proxy that a player can influence.
enum ProxyLimits {
  /// The number of connections in all.
  static let connections = 256
  /// The number of connections that may not have shown a token yet. If there is one more, the earliest of them is
  /// closed.
  static let newcomers = 64
  /// The time that a connection has for showing a token.
  static let newcomerPatience = Duration.seconds(2)
  /// The time that a request's head may take, from its first byte on.
  static let request = Duration.seconds(10)
  /// The time that a connection may stay without a request.
  static let idle = Duration.seconds(75)
  /// The time for which a player may receive nothing. A paused player receives nothing for hours, and would not
  /// reconnect by itself if its connection were closed.
  static let writing = Duration.seconds(12 * 3600)
  /// The time for which the connection of a player that receives nothing may not be closed to make room for another
  /// one.
  static let stalled = Duration.seconds(10)
  /// The number of requests of one player that are answered in a row before other players get their turn.
  static let answersInARow = 16
  /// The largest number of bytes that are read and sent at once.
  static let turn = ClientLimits.turn
}

/// The room for bytes that are about to be sent. It belongs to its loop: no task waits while it is in use.
@safe
final class SendBuffer {
  /// The memory. Its use is safe because it was allocated with this size, and lives as long as this object.
  let bytes: UnsafeMutableRawBufferPointer

  init(byteCount: Int) { unsafe bytes = .allocate(byteCount: byteCount, alignment: 16) }

  deinit { unsafe bytes.deallocate() }
}
