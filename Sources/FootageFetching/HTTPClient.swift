internal import FootageBase
internal import FootageHTTP
internal import FootageSystem
internal import Synchronization

/// A client of one server. Its connections are kept alive, limited in number, and resumed by session tickets.
///
/// It is an actor on its connections' executor: only that thread touches what it owns, which the compiler checks.
package actor HTTPClient {
  typealias ExchangeID = UInt64

  package nonisolated let executor: any ConnectionExecutor
  package nonisolated let host: String
  package nonisolated let port: UInt16
  private let limits: ClientLimits
  private let connector: any ConnectionMaker

  /// A request and its response, from the first wait to the last byte.
  private final class Exchange: AbortHandle {
    var connection: HTTPClientConnection?
    /// The connection that was made while this exchange waited. It is used even if the server has sent data on it,
    /// because the data may say why the server rejects the connection.
    var handed: HTTPClientConnection?
    /// The time that this exchange has waited for connections.
    var waited = Duration.zero
  }

  private static let lastID = Atomic<UInt64>(0)
  private var exchanges: [ExchangeID: Exchange] = [:]
  private var pool: ConnectionPool<HTTPClientConnection>
  /// The connections being made. When one is ready, it goes to the request that has waited longest.
  private var making: [AbortHandle] = []
  /// The time until which the other requests count as making progress, because something arrived recently.
  private var quietUntil: Deadline
  /// The timer of the next sweep; nil if there is nothing to sweep.
  private var sweepTimer: (any ConnectionTimer)?
  private var isClosed = false

  /// The numbers of connections made since the beginning.
  package var statistics: ConnectionStatistics { connector.statistics }

  /// The number of requests that wait for one of the connections.
  var waitingCount: Int { pool.waitingCount }

  /// True while a request or its answer is in progress.
  var isBusy: Bool { !exchanges.isEmpty }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - host: a name or an address without brackets; an IPv6 address may end with `%` and an interface.
  ///   - connector: makes the connections, on this executor.
  package init(
    host: String, port: UInt16, on executor: any ConnectionExecutor, limits: ClientLimits,
    connector: sending any ConnectionMaker
  ) {
    self.host = host
    self.port = port
    self.executor = executor
    quietUntil = executor.clock.now
    self.limits = limits
    pool = ConnectionPool(limit: limits.connections)
    self.connector = connector
  }

  /// The host and port in the form of the `Host` field (RFC 9110 §7.2).
  package nonisolated var authority: String {
    HostPort(host: host, port: port).authority
  }

  // MARK: Interface

  /// Sends a request and waits for the head of its response. Canceling the task closes the connection.
  package nonisolated func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
    let id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let answer = try await cancellable(id) { () async -> Result<Answer, HTTPClientError> in
      do throws(HTTPClientError) { return .success(try await self.perform(request, id)) } catch {
        return .failure(error)
      }
    }.get()
    return HTTPClientResponse(answer.head, isWhole: answer.isWhole, connectedAfter: answer.waited, self, id)
  }

  /// A piece of a body: a number of bytes, or none at the end of the body.
  struct Piece: Sendable {
    let bytes: [UInt8]
    /// True if the body has no more bytes.
    let isLast: Bool
  }

  nonisolated func nextPiece(of id: ExchangeID) async throws(HTTPClientError) -> Piece {
    try await cancellable(id) { () async -> Result<Piece, HTTPClientError> in
      do throws(HTTPClientError) { return .success(try await self.read(id)) } catch { return .failure(error) }
    }.get()
  }

  nonisolated func abandon(_ id: ExchangeID) { Task(executorPreference: executor) { await self.cancel(id) } }

  /// Closes the idle connections now, and the others when their exchanges end.
  package func close() {
    isClosed = true
    for handle in making { handle.cancel() }
    pool.closeKept()
  }

  private nonisolated func cancellable<Value: Sendable>(
    _ id: ExchangeID, _ body: () async -> Result<Value, HTTPClientError>
  ) async -> Result<Value, HTTPClientError> {
    await withTaskCancellationHandler(operation: body) { abandon(id) }
  }

  // MARK: Exchanges

  private struct Answer: Sendable {
    let head: ResponseHead
    /// True if there is no body, or if all of it arrived together with the head.
    let isWhole: Bool
    let waited: Duration
  }

  private func perform(_ request: HTTPClientRequest, _ id: ExchangeID) async throws(HTTPClientError) -> Answer {
    let exchange = Exchange()
    exchanges[id] = exchange
    do throws(HTTPClientError) {
      while true {
        // Checked before the first wait, since a cancellation may have come before the exchange existed.
        guard !exchange.isCancelled, !Task.isCancelled else { throw .cancelled }
        let start = executor.clock.uptime
        let connection = try await takeConnection(for: request, exchange, id)
        exchange.waited += executor.clock.uptime - start
        exchange.connection = connection
        exchange.abort = { connection.abort() }
        let mayBeStale = connection.wasKept
        do throws(HTTPClientError) {
          // The cancellation may have come after the connection was ready but before this task was awake. There was
          // nothing left to abort then.
          guard !exchange.isCancelled else { throw .cancelled }
          let head = try await connection.send(request, host: authority)
          quietUntil = executor.clock.deadline(after: limits.turn)
          let isWhole = !connection.hasBody
          if isWhole { finish(id) }
          return Answer(head: head, isWhole: isWhole, waited: exchange.waited)
        } catch {
          drop(exchange)
          if case .timedOut = error, mayBeStale { pool.abortKept() }
          // RFC 9112 §9.3.1: the server closed a kept connection while the request was on its way. A request that may
          // have been carried out and must not be carried out twice is not repeated (RFC 9110 §9.2.2). The caller
          // decides about that.
          guard case .disconnected = error, mayBeStale, !connection.hasReceived, !exchange.isCancelled,
            request.method.isIdempotent || !connection.hasSent
          else { throw exchange.isCancelled ? .cancelled : error }
        }
      }
    } catch {
      exchanges[id] = nil
      throw error
    }
  }

  private func read(_ id: ExchangeID) async throws(HTTPClientError) -> Piece {
    guard let exchange = exchanges[id], let connection = exchange.connection else { throw .cancelled }
    do throws(HTTPClientError) {
      let bytes = try await connection.nextBytes() ?? []
      quietUntil = executor.clock.deadline(after: limits.turn)
      // The connection becomes free with the last byte, not only when the caller asks for more.
      if !connection.hasBody { finish(id) }
      return Piece(bytes: bytes, isLast: !connection.hasBody)
    } catch {
      drop(exchange)
      exchanges[id] = nil
      throw exchange.isCancelled ? .cancelled : error
    }
  }

  /// Ends an exchange whose response is complete.
  private func finish(_ id: ExchangeID) {
    guard let exchange = exchanges.removeValue(forKey: id), let connection = exchange.connection else { return }
    exchange.connection = nil
    guard connection.isReusable, !isClosed, !exchange.isCancelled else {
      connection.close()
      return pool.freePlace()
    }
    keep(connection)
  }

  private func keep(_ connection: HTTPClientConnection) {
    pool.keep(connection, until: executor.clock.deadline(after: limits.keptIdle))
    sweep()
  }

  private func drop(_ exchange: Exchange) {
    guard let connection = exchange.connection else { return }
    exchange.connection = nil
    connection.abort()
    pool.freePlace()
  }

  private func cancel(_ id: ExchangeID) {
    pool.endWait(of: id)
    guard let exchange = exchanges[id] else { return }
    exchange.cancel()
    // No task waits on this connection. A task that did would find that it was aborted, and clean up after itself.
    if exchange.connection?.isBeingReadFrom == false {
      drop(exchange)
      exchanges[id] = nil
    }
  }

  // MARK: Connections

  private func takeConnection(
    for request: HTTPClientRequest, _ exchange: Exchange, _ id: ExchangeID
  ) async throws(HTTPClientError) -> HTTPClientConnection {
    let deadline = executor.clock.deadline(after: limits.turn)
    while true {
      let handed = exchange.handed
      exchange.handed = nil
      guard !exchange.isCancelled else {
        if let handed { keep(handed) }
        pool.passOn()
        throw .cancelled
      }
      if let handed { return handed }
      if request.isOnNewConnection {
        if pool.takePlace() { return try await connect(exchange, within: request.connecting) }
      } else if let connection = pool.takeKept() {
        return connection
      }
      let isConnecting = pool.hasRoom
      if !isConnecting {
        guard max(deadline, quietUntil) > executor.clock.now else { throw .timedOut(.turn) }
      } else if request.connecting != nil || pool.needsAnother {
        // A connection that is being made and has lost its request will do, unless it may take longer than this request
        // can wait.
        makeConnection(for: id, within: request.connecting)
      }
      let error = await withCheckedContinuation { (continuation: CheckedContinuation<HTTPClientError?, Never>) in
        // The connection that is being made arrives, or its failure does.
        pool.wait(id, until: isConnecting ? .never : deadline) { outcome in
          switch outcome {
          case .connection(let connection):
            exchange.handed = connection
            continuation.resume(returning: nil)
          case .lookAgain: continuation.resume(returning: nil)
          case .failed(let error): continuation.resume(returning: error)
          }
        }
        sweep()
      }
      if let error { throw exchange.isCancelled || Task.isCancelled ? .cancelled : error }
    }
  }

  /// Makes a connection for one request that has already reserved its place.
  private func connect(
    _ exchange: Exchange, within duration: Duration?
  ) async throws(HTTPClientError) -> HTTPClientConnection {
    do throws(HTTPClientError) {
      return HTTPClientConnection(
        try await connector.connect(for: exchange, within: duration, on: self), limits: limits)
    } catch {
      pool.freePlace()
      // During a name look-up, the wait ends before the exchange learns that it was canceled.
      throw exchange.isCancelled || Task.isCancelled ? .cancelled : error
    }
  }

  /// Makes a spare connection if no connection is idle, so that the next request need not wait for one. A failure is
  /// not reported, because the next request will fail in the same way and report it.
  package func prepare() async {
    guard !isClosed else { return }
    pool.closeStale()
    guard pool.needsSpare else { return }
    pool.beginMaking(isSpare: true)
    await finishMaking(beginMaking(), for: nil, within: nil)
  }

  /// Makes a connection for a request, or for another one that waits when the connection is ready. The attempt is
  /// canceled by its handle in `making`.
  private func makeConnection(for id: ExchangeID, within duration: Duration?) {
    pool.beginMaking(isSpare: false)
    let handle = beginMaking()
    Task { await finishMaking(handle, for: id, within: duration) }
  }

  private func beginMaking() -> AbortHandle {
    let handle = AbortHandle()
    making.append(handle)
    return handle
  }

  /// - Parameter id: nil for a connection for which no request waits.
  private func finishMaking(_ handle: AbortHandle, for id: ExchangeID?, within duration: Duration?) async {
    do throws(HTTPClientError) {
      let connection = HTTPClientConnection(
        try await connector.connect(for: handle, within: duration, on: self), limits: limits)
      making.removeAll { $0 === handle }
      guard !isClosed else {
        connection.close()
        return pool.discardMade(isSpare: id == nil)
      }
      pool.made(
        connection, for: id, isSpare: id == nil, keptUntil: executor.clock.deadline(after: limits.keptIdle))
      sweep()
    } catch {
      making.removeAll { $0 === handle }
      pool.makingFailed(error, for: id, isSpare: id == nil)
    }
  }

  // MARK: Sweeping

  /// Sweeps at once, and then once a second, as long as there are kept connections or waiting requests. A sweep ends
  /// those whose time is over.
  private func sweep() {
    if sweepTimer == nil { sweep(at: executor.clock.now) }
  }

  private func sweep(at moment: Deadline) {
    sweepTimer = executor.timer(at: moment) { [weak self] in self?.assumeIsolated { $0.sweepOnce() } }
  }

  private func sweepOnce() {
    let now = executor.clock.now
    pool.sweep(at: now, isQuiet: quietUntil <= now)
    sweepTimer = nil
    if !pool.isIdle { sweep(at: executor.clock.deadline(after: .seconds(1))) }
  }
}
