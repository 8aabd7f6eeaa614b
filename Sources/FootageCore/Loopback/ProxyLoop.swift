internal import FootageFetching
internal import FootageHTTP
internal import FootageSystem

/// The connections of players, each served by a task on one thread. What has shown no token has places of its own, so that
/// those who were let in lose none to them.
actor ProxyLoop {
  private let executor: any ConnectionExecutor
  private let answers: ProxyAnswers
  private let users: PlayerUsers
  /// Every piece is read into it and sent at once.
  private let buffer = SendBuffer(byteCount: ProxyLimits.turn)
  /// In the order in which they came.
  private var connections: [ProxyConnection] = []
  /// Those whose tasks have not ended, some of which have lost their place.
  private var taskCount = 0
  private var isOver = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: any ConnectionExecutor, _ answers: ProxyAnswers, _ users: PlayerUsers) {
    self.executor = executor
    self.answers = answers
    self.users = users
  }

  /// Ends all of them.
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
    // The one that came first, and has shown no token yet, has to go.
    let newcomers = connections.filter { !$0.isLetIn }
    if newcomers.count > ProxyLimits.newcomers, let first = newcomers.first { giveUp(first) }
    await connection.run(patience: patience)
  }

  /// - Returns: whether there is a place, if need be that of somebody who has shown no token yet, else of the player that
  ///   has asked for nothing for longest, else of one that has taken nothing for some time.
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

  /// Its place is free at once, though its task ends a moment later.
  private func giveUp(_ connection: ProxyConnection) {
    connections.removeAll { $0 === connection }
    connection.abort()
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
  /// How long a player that takes nothing keeps its place where others need one.
  static let stalled = Duration.seconds(10)
  /// So many requests of one player are answered before others have their turn.
  static let answersInARow = 16
  /// What is read and sent in one go at most, in bytes.
  static let turn = ClientLimits.turn
}

/// Room for what is about to be sent. Belongs to its loop: nobody waits while it is in use.
@safe
final class SendBuffer {
  /// Safe because it was allocated with this size, and lives as long as this.
  let bytes: UnsafeMutableRawBufferPointer

  init(byteCount: Int) { unsafe bytes = .allocate(byteCount: byteCount, alignment: 16) }

  deinit { unsafe bytes.deallocate() }
}
