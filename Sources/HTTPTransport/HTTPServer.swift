/// An HTTP/1.1 server: a port, a few loops, and on each a handler that answers.

package import Networking
internal import Synchronization
package import TLS

package final class HTTPServer<Handler: HTTPHandler>: Sendable {
  private let listener: TCPListener
  package let workers: [HTTPWorker<Handler>]
  package let limits: TransportLimits
  private let census: ConnectionCensus
  private let tls: Mutex<TLSServerContext?>
  private let load: LoadBoard
  private let log: @Sendable (HTTPServerEvent) -> Void
  private let isStopping = Atomic(false)

  /// Where it listens, with the port that was really given.
  package var address: SocketAddress { listener.address }

  /// - Parameters:
  ///   - tls: nil for plain HTTP.
  ///   - makeHandler: called once for each loop.
  package init(
    listening listener: TCPListener, loops: [EventLoop], tls: TLSServerContext?, limits: TransportLimits,
    log: @escaping @Sendable (HTTPServerEvent) -> Void, makeHandler: (EventLoop) -> sending Handler
  ) {
    self.listener = listener
    self.limits = limits
    self.log = log
    self.tls = Mutex(tls)
    workers = loops.map { HTTPWorker(loop: $0, handler: makeHandler($0), limits: limits) }
    census = ConnectionCensus(limit: limits.connections, limitPerAddress: limits.connectionsPerAddress)
    load = LoadBoard(count: loops.count)
  }

  /// How many connections there are now.
  package var connectionCount: Int { census.count }

  /// Begins to accept. The first loop accepts for all, and gives each connection to the loop that has the fewest: left
  /// to themselves, epoll's waiters would be woken in the same order each time, and the first would get most of them.
  package func start() {
    guard let first = workers.first else { return }
    Task(executorPreference: first.loop) { await self.accept(on: first) }
  }

  /// New connections get this context; those that are there keep theirs, as far as it still accepts their clients.
  package func replace(tls context: TLSServerContext) {
    tls.withLock { $0 = context }
    for worker in workers { judgeClients(of: worker, by: context) }
  }

  /// Ends the connections of clients whose certificates do not hold any more, or not yet, now that time has gone on or the
  /// clock was set. Asked often it costs nothing while all hold.
  package func judgeClientsByTime() {
    guard let context = currentTLS, let now = context.clientTime else { return }
    for worker in workers where !worker.clientDates.hold(at: now) { judgeClients(of: worker, by: context) }
  }

  private func judgeClients(of worker: HTTPWorker<Handler>, by context: TLSServerContext) {
    Task(executorPreference: worker.loop) { await worker.judgeClients(by: context) }
  }

  /// The context for new connections.
  package var currentTLS: TLSServerContext? { tls.withLock { $0 } }

  /// No new connections, running responses finish, idle connections close.
  package func stop() {
    isStopping.store(true, ordering: .relaxed)
    listener.stop()
    for worker in workers { Task(executorPreference: worker.loop) { await worker.stop() } }
  }

  /// Closes what is left.
  package func abort() {
    isStopping.store(true, ordering: .relaxed)
    listener.stop()
    for worker in workers { Task(executorPreference: worker.loop) { await worker.abort() } }
  }

  // MARK: Accepting

  private func accept(on worker: HTTPWorker<Handler>) async {
    await worker.accept(from: listener) { socket in
      self.distribute(socket)
    } exhausted: { reason in
      self.log(.descriptorsExhausted(reason))
    } shouldStop: {
      self.isStopping.load(ordering: .relaxed)
    }
  }

  private func distribute(_ socket: Socket) {
    if let refusal = census.admit(socket.peer) {
      // Closed before TLS: a handshake for somebody who is turned away is what an attacker would like.
      return log(.refused(socket.peer, refusal.description))
    }
    let index = load.takeLeast()
    let worker = workers[index]
    let context = currentTLS
    Task(executorPreference: worker.loop) { [load, census] in
      await worker.serve(socket, tls: context)
      load.giveBack(index)
      census.leave(socket.peer)
    }
  }
}

/// What happens to a server as a whole.
package enum HTTPServerEvent: Sendable {
  /// A connection was turned away.
  case refused(SocketAddress, String)
  /// Accepting pauses for a second.
  case descriptorsExhausted(String)
}
