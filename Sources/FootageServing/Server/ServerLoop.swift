/// The connections of one loop, and the handler that answers their requests.

package import FootageAPI
internal import FootageHTTP
internal import FootageSystem
internal import FootageTLS

/// The connections of a loop and their handler. It is an actor whose executor is its loop: only that thread touches
/// what it owns, which the compiler checks.
package actor ServerLoop<Handler: HTTPHandler> {
  package nonisolated let loop: EventLoop
  private let handler: Handler
  private let environment: HTTPConnection.Environment
  /// The period in which the certificates of this loop's clients are valid.
  nonisolated let clientDates: ClientDates
  private nonisolated let counter = ExchangeCounter()
  private var connections: [ObjectIdentifier: HTTPConnection] = [:]
  private var isStopping = false
  private var listenerRegistrations: [ObjectIdentifier: ListenerRegistration] = [:]
  /// The accepting tasks that pause while no further connection can wait for a place.
  private var paused: [Suspension<Void>] = []

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// - Parameter pacer: shared by all loops; nil if nothing limits the rate.
  init(loop: EventLoop, handler: sending Handler, limits: TransportLimits, pacer: Pacer?) {
    self.loop = loop
    self.handler = handler
    clientDates = ClientDates()
    environment = HTTPConnection.Environment(
      handler: handler, limits: limits, clientDates: clientDates, counter: counter,
      pacer: pacer.map { LoopPacer($0, on: loop) }, clock: loop.clock)
  }

  /// The counts of its connections' exchanges. Any thread may read them.
  package nonisolated var exchangeCounts: ExchangeCounts { counter.counts }

  static var acceptsInARow: Int { 64 }

  /// Accepts connections from a port until the server stops, or until the system closes the port.
  ///
  /// It pauses when descriptors run out, until another connection may have ended. It also pauses while the maximum
  /// number of new connections wait for a place. Further ones then wait in the kernel's queue.
  func accept(
    from listener: ListeningSocket, _ accepted: (Socket) -> Void, exhausted: (String) -> Void, isFull: () -> Bool,
    shouldStop: () -> Bool
  ) async {
    let watch: ListenerRegistration
    do throws(NetworkingError) { watch = try listener.register(on: loop) } catch {
      return exhausted(error.description)
    }
    listenerRegistrations[ObjectIdentifier(listener)] = watch
    defer {
      watch.stop()
      listenerRegistrations[ObjectIdentifier(listener)] = nil
    }
    var count = 0
    while !shouldStop() {
      guard !isFull() else {
        await Suspension.suspend { paused.append($0) }
        continue
      }
      switch listener.accept() {
      case .accepted(let socket):
        accepted(socket)
        count += 1
        // A flood of newcomers must not keep this loop from the connections that it serves.
        if count % Self.acceptsInARow == 0 { await loop.yield() }
      case .none: guard await watch.waitForConnection() else { return }
      case .over: return
      case .exhausted(let reason):
        exhausted(reason)
        await loop.sleep(for: .seconds(1))
      }
    }
  }

  /// Resumes accepting if it has paused, because another connection can be accepted or the server stops.
  func goOnAccepting() {
    let waiting = paused
    paused = []
    for suspension in waiting { suspension.resume() }
  }

  /// Ends `accept` for a port that the system has closed without an event.
  func stopAccepting(from listener: ListeningSocket) { listenerRegistrations[ObjectIdentifier(listener)]?.stop() }

  /// Runs a connection to its end.
  func serve(_ socket: Socket, tls: TLSServerContext?) async {
    guard let connection = begin(socket, tls) else { return }
    await connection.run()
    end(connection)
  }

  // Not inlined, like the other functions of this kind on a connection's way. The variables of an inlined function
  // become part of the async function around it, which keeps them as long as the connection lives.
  @inline(never)
  private func begin(_ socket: Socket, _ tls: TLSServerContext?) -> HTTPConnection? {
    guard !isStopping else { return nil }
    let stream: Stream
    do throws(StreamError) { stream = try Stream(socket, accepting: tls, on: loop) } catch {
      environment.observers.connectionFailed(error, from: socket.peer)
      return nil
    }
    adopt(tls)
    let connection = HTTPConnection(stream, in: environment)
    connections[ObjectIdentifier(connection)] = connection
    environment.newcomers?.add(connection)
    return connection
  }

  @inline(never)
  private func end(_ connection: HTTPConnection) {
    connections[ObjectIdentifier(connection)] = nil
    environment.newcomers?.remove(connection)
    connection.ended()
  }

  /// Returns the connections that could be closed to make room for others.
  ///
  /// - Parameters:
  ///   - loop: the index of this loop at the caller.
  ///   - places: the number of places that are needed, at most.
  func candidates(loop: Int, places: Int, longestHeld: Duration) -> [RoomCandidate] {
    let now = self.loop.clock.now
    let all = connections.map { id, connection in
      RoomCandidate(
        loop: loop, connection: id, peer: connection.stream.peer, activity: connection.activity(at: now))
    }
    return RoomCandidate.chosen(
      from: all, places: places, longestHeld: longestHeld, at: now, environment.limits.room)
  }

  /// Closes the chosen connections whose activity has not changed since.
  ///
  /// - Returns: the connections that were closed.
  func giveUp(_ chosen: [RoomCandidate]) -> [RoomCandidate] {
    chosen.filter { candidate in
      guard let connection = connections[candidate.connection],
        connection.activity(at: loop.clock.now) == candidate.activity
      else { return false }
      connection.giveUp()
      return true
    }
  }

  /// Lets running responses finish, and closes idle connections.
  func stop() {
    isStopping = true
    for watch in listenerRegistrations.values { watch.stop() }
    goOnAccepting()
    for connection in connections.values { connection.stop() }
  }

  /// Closes all connections at once.
  func abort() {
    isStopping = true
    for watch in listenerRegistrations.values { watch.stop() }
    goOnAccepting()
    for connection in connections.values { connection.abort() }
  }

  /// Uses this context to check clients from now on, unless a newer one is in use already.
  private func adopt(_ tls: TLSServerContext?) {
    if let tls, tls.generation >= environment.tls?.generation ?? 0 { environment.tls = tls }
  }

  /// Checks all clients against a context, and ends the connections of those that are no longer accepted.
  func judgeClients(by tls: TLSServerContext) async {
    adopt(tls)
    clientDates.forget()
    // Copied, since connections come and go at each pause.
    for connection in Array(connections.values) where connection.judgeClient() {
      // Judging took work. The other connections do not wait for the next client.
      await loop.yield()
    }
  }

  /// Changes the handler, and cuts off the current answers to some clients. Held requests are not cut off; they and
  /// later requests are answered by the changed handler.
  package func update(_ body: @Sendable (Handler) -> Void, cuttingOff isMeant: @Sendable (ClientIdentity?) -> Bool) {
    body(handler)
    for connection in Array(connections.values) where isMeant(connection.identity) { connection.cutOffAnswer() }
  }

  /// Changes the handler, on the loop's thread, where the handler runs.
  package func update(_ body: @Sendable (Handler) -> Void) { body(handler) }
}
