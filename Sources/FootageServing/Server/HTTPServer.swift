internal import Synchronization
package import FootageSystem
package import FootageTLS

/// An HTTP/1.1 server: a port, a few loops, and a handler on each of them.
package final class HTTPServer<Handler: HTTPHandler>: Sendable {
  private let listeners: Mutex<[ListeningSocket]>
  package let workers: [ServerLoop<Handler>]
  package let limits: TransportLimits
  private let table: Mutex<Table>
  private let tls: Mutex<TLSServerContext?>
  private let log: @Sendable (HTTPServerEvent) -> Void
  /// The clock of its loops.
  private let clock: Clock
  private let isStopping = Atomic(false)

  private struct Table {
    var connections: ConnectionTable<Socket>
    /// True while a task is making room.
    var isMakingRoom = false
    /// The number of the server's tasks, not counting those of connections.
    var taskCount = 0
    /// The function to be called when all of the server's tasks have ended.
    var onEnd: (@Sendable () -> Void)?

    /// True if none of the server's tasks runs.
    var isOver: Bool { connections.count == 0 && taskCount == 0 }
  }

  /// The addresses on which it listens, with the actual ports.
  package var addresses: [SocketAddress] { listeners.withLock { $0.map(\.address) } }

  /// The first of the addresses.
  package var address: SocketAddress {
    addresses.first ?? SocketAddress(addressBytes: [0, 0, 0, 0], port: 0)
  }

  /// - Parameters:
  ///   - tls: nil for plain HTTP.
  ///   - makeHandler: called once for each loop.
  package init(
    listening listeners: [ListeningSocket], loops: [EventLoop], tls: TLSServerContext?, limits: TransportLimits,
    log: @escaping @Sendable (HTTPServerEvent) -> Void, makeHandler: (EventLoop) -> sending Handler
  ) {
    self.listeners = Mutex(listeners)
    self.limits = limits
    self.log = log
    self.tls = Mutex(tls)
    clock = loops.first?.clock ?? .system
    let pacer = limits.pacing.map { [clock] in Pacer($0, clock: clock) }
    workers = loops.map { ServerLoop(loop: $0, handler: makeHandler($0), limits: limits, pacer: pacer) }
    table = Mutex(
      Table(
        connections: ConnectionTable(
          limit: limits.connections + Self.places(forNewcomers: limits.newcomers) * loops.count,
          perAddress: limits.connectionsPerAddress, loops: loops.count)))
  }

  /// Returns the number of places for newcomers on each loop. It includes `NewcomerLimits.count`, the connections that
  /// were just accepted, and the newcomers that are closing to make room for these, so that many new connections at
  /// once do not use the places of accepted ones.
  private static func places(forNewcomers limits: NewcomerLimits?) -> Int {
    limits.map { $0.count + 2 * ServerLoop<Handler>.acceptsInARow } ?? 0
  }

  /// The number of present connections.
  package var connectionCount: Int { table.withLock { $0.connections.count } }

  /// The counts of exchanges on all loops.
  package var exchangeCounts: ExchangeCounts {
    workers.reduce(ExchangeCounts()) { $0 + $1.exchangeCounts }
  }

  /// Begins to accept connections. Only the first loop accepts, and it passes each connection to the loop that has the
  /// fewest connections. If all loops accepted, epoll would wake them in the same order each time, and the first one
  /// would get most of the connections.
  package func start() {
    for listener in listeners.withLock({ $0 }) { accept(from: listener) }
  }

  private func accept(from listener: ListeningSocket) {
    guard let first = workers.first else { return }
    run(on: first) { await self.accept(from: listener, on: first) }
  }

  /// Accepts from a new listener, which replaces one that the system has closed. Existing connections stay.
  package func replace(_ listener: ListeningSocket, by next: ListeningSocket) {
    listeners.withLock { listeners in
      listeners.removeAll { $0 === listener }
      listeners.append(next)
    }
    if let first = workers.first {
      run(on: first) { await first.stopAccepting(from: listener) }
    }
    accept(from: next)
  }

  /// Uses this context for new connections. Existing ones keep their own context, but end if the new context does not
  /// accept their clients.
  package func replace(tls context: TLSServerContext) {
    tls.withLock { $0 = context }
    for worker in workers { judgeClients(of: worker, by: context) }
  }

  /// Ends the connections of clients whose certificates are outside their validity now, because time has passed or the
  /// clock was set. It is cheap to call often while all certificates are valid.
  package func judgeClientsByTime() {
    guard let context = currentTLS, let now = context.clientTime else { return }
    for worker in workers where !worker.clientDates.hold(at: now) { judgeClients(of: worker, by: context) }
  }

  private func judgeClients(of worker: ServerLoop<Handler>, by context: TLSServerContext) {
    run(on: worker) { await worker.judgeClients(by: context) }
  }

  /// The context for new connections.
  package var currentTLS: TLSServerContext? { tls.withLock { $0 } }

  // MARK: Ending

  /// Stops accepting connections, finishes running responses and closes idle connections.
  ///
  /// - Parameter onEnd: called when all of the server's tasks have ended (`isOver`), on any thread. It may be called
  ///   more than once, and is never called if the loops end earlier.
  package func stop(onEnd: @escaping @Sendable () -> Void = {}) {
    isStopping.store(true, ordering: .relaxed)
    table.withLock { $0.onEnd = onEnd }
    for listener in listeners.withLock({ $0 }) { listener.stop() }
    for worker in workers { run(on: worker) { await worker.stop() } }
  }

  /// Closes the remaining connections.
  package func abort() {
    isStopping.store(true, ordering: .relaxed)
    for listener in listeners.withLock({ $0 }) { listener.stop() }
    for worker in workers { run(on: worker) { await worker.abort() } }
  }

  /// True if no task of the server runs any more: no connection, and no task that accepts, makes room or checks
  /// clients.
  package var isOver: Bool { table.withLock { $0.isOver } }

  /// Runs a task that is counted: the server has ended only when this task has ended as well.
  private func run(on worker: ServerLoop<Handler>, _ body: @escaping @Sendable () async -> Void) {
    table.withLock { $0.taskCount += 1 }
    Task(executorPreference: worker.loop) {
      await body()
      self.taskEnded()
    }
  }

  private func taskEnded() {
    let onEnd = table.withLock { table in
      table.taskCount -= 1
      return table.isOver ? table.onEnd : nil
    }
    onEnd?()
  }

  // MARK: Accepting

  private func accept(from listener: ListeningSocket, on worker: ServerLoop<Handler>) async {
    await worker.accept(from: listener) { socket in
      self.admit(socket)
    } exhausted: { reason in
      self.log(.descriptorsExhausted(reason))
    } isFull: {
      self.table.withLock { $0.connections.isFull }
    } shouldStop: {
      self.isStopping.load(ordering: .relaxed)
    }
  }

  /// Assigns a place to an accepted connection, makes it wait for one, or refuses it.
  ///
  /// This happens before TLS, because otherwise an attacker could cause handshakes for connections that are then
  /// refused.
  package func admit(_ socket: Socket) {
    let now = clock.now
    let (arrival, beginsToMakeRoom) = table.withLock { table in
      let arrival = table.connections.arrive(socket, from: socket.peer, at: now)
      guard case .held = arrival, !table.isMakingRoom else { return (arrival, false) }
      table.isMakingRoom = true
      return (arrival, true)
    }
    switch arrival {
    case .admitted(let loop): serve(socket, on: loop)
    case .held: break
    case .refused(let refusal): log(.refused(socket.peer, refusal))
    }
    if beginsToMakeRoom, let first = workers.first {
      run(on: first) { await self.makeRoom(on: first.loop) }
    }
  }

  private func serve(_ socket: Socket, on index: Int) {
    let worker = workers[index]
    let context = currentTLS
    Task(executorPreference: worker.loop) {
      await worker.serve(socket, tls: context)
      self.leave(socket.peer, index)
    }
  }

  private func leave(_ peer: SocketAddress, _ loop: Int) {
    let (next, hasRoom, onEnd) = table.withLock { table in
      let wasFull = table.connections.isFull
      let next = table.connections.leave(peer, loop: loop)
      return (next, wasFull && !table.connections.isFull, table.isOver ? table.onEnd : nil)
    }
    if let next { serve(next.newcomer, on: next.loop) }
    if hasRoom { goOnAccepting() }
    onEnd?()
  }

  /// Resumes accepting, because another new connection can wait for a place.
  private func goOnAccepting() {
    guard let first = workers.first else { return }
    run(on: first) { await first.goOnAccepting() }
  }

  // MARK: Making room

  /// Closes connections as long as new ones wait for a place.
  private func makeRoom(on loop: EventLoop) async {
    while let (places, longestHeld) = placesNeeded() {
      var candidates: [RoomCandidate] = []
      for (index, worker) in workers.enumerated() {
        candidates += await worker.candidates(loop: index, places: places, longestHeld: longestHeld)
      }
      let chosen = RoomCandidate.chosen(
        from: candidates, places: places, longestHeld: longestHeld, at: clock.now, limits.room)
      for (index, worker) in workers.enumerated() {
        let ofLoop = chosen.filter { $0.loop == index }
        guard !ofLoop.isEmpty else { continue }
        for candidate in await worker.giveUp(ofLoop) { log(.gaveUp(candidate.peer, candidate.activity)) }
      }
      await loop.sleep(for: limits.room.interval)
    }
  }

  /// - Returns: the number of new connections that wait for a place, and the time for which the first of them has
  ///   waited; nil if none waits.
  private func placesNeeded() -> (places: Int, longestHeld: Duration)? {
    let patience = isStopping.load(ordering: .relaxed) ? .zero : limits.room.held
    let now = clock.now
    let (turnedAway, hasRoom, needed) = table.withLock { table in
      let wasFull = table.connections.isFull
      let turnedAway = table.connections.takeHeld(for: patience, at: now)
      let places = table.connections.heldCount
      if places == 0 { table.isMakingRoom = false }
      return (
        turnedAway, wasFull && !table.connections.isFull,
        places == 0 ? nil : (places, table.connections.longestHeld(at: now))
      )
    }
    if hasRoom { goOnAccepting() }
    for socket in turnedAway { log(.refused(socket.peer, .tooMany(limit: limits.connections))) }
    return needed
  }
}

/// An event of a server as a whole.
package enum HTTPServerEvent: Sendable {
  /// A connection was refused.
  case refused(SocketAddress, ConnectionRefusal)
  /// A connection was closed to make room for another one. It had this activity.
  case gaveUp(SocketAddress, ConnectionActivity)
  /// Accepting pauses for a second, because no descriptors are left.
  case descriptorsExhausted(String)
}
