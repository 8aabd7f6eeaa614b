/// The connections to one robot: kept alive, limited in number, resumed by session tickets.

internal import Formats
internal import HTTPSemantics
package import Networking
internal import System
package import TLS
package import Trust
internal import Synchronization

/// An actor whose executor is its loop: what it owns is touched by that thread alone, which the compiler checks.
package actor HTTPClient {
  typealias ExchangeID = UInt64

  package nonisolated let loop: EventLoop
  package nonisolated let host: String
  /// The host as the robot may know it: an interface's name means something on this machine alone (RFC 6874 §1).
  private nonisolated let hostName: String
  package nonisolated let port: UInt16
  private let tls: TLSClientContext?
  private let limits: ClientLimits
  private let resolver: HostResolver
  private let onWarning: @Sendable (TrustWarning) -> Void

  /// A request and its response, from the first wait to the last byte.
  private final class Exchange {
    var isCancelled = false
    /// Ends what is being waited for.
    var abort: () -> Void = {}
    var connection: HTTPClientConnection?
    /// Made while it waited for one. That the server has spoken since is no reason to make another: it may say why this
    /// one is not welcome.
    var handed: HTTPClientConnection?
  }

  private struct Waiter {
    let id: ExchangeID
    let deadline: Deadline
    /// Woken to look again, or with the reason why there will be no connection.
    let continuation: CheckedContinuation<HTTPClientError?, Never>
  }

  private static let lastID = Atomic<UInt64>(0)
  private var exchanges: [ExchangeID: Exchange] = [:]
  /// The one that was used last is at the end.
  private var kept: [HTTPClientConnection] = []
  /// Connections, kept and in use, and those being made.
  private var connectionCount = 0
  /// Connections that are being made for whoever comes first when they are there: what is freed meanwhile is as good.
  private var connecting: [Exchange] = []
  /// How many of them are to be there beside those that are waited for.
  private var preparing = 0
  private var waiters: [Waiter] = []
  /// Of the host's addresses the one that answered last; it is tried before the others.
  private var lastAddress: SocketAddress?
  /// Until when the others are believed to go on: something came lately.
  private var quietUntil: Deadline
  /// When it looks after them next; nil where there is nothing to look after.
  private var sweepTimer: LoopTimer?
  private var isClosed = false

  /// How connections were made, since the beginning.
  package private(set) var statistics = Statistics()

  /// Requests that wait for one of the connections.
  var waitingCount: Int { waiters.count }

  /// Whether a request is under way, or its answer.
  var isBusy: Bool { !exchanges.isEmpty }

  package struct Statistics: Hashable, Sendable {
    package var connections = 0
    package var resumed = 0
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - host: a name or an address without brackets, of IPv6 perhaps with `%` and an interface.
  ///   - tls: nil for plain HTTP.
  ///   - onWarning: told what is not right with a certificate and was let pass.
  package init(
    host: String, port: UInt16, tls: TLSClientContext?, on loop: EventLoop, resolver: HostResolver,
    limits: ClientLimits = ClientLimits(), onWarning: @escaping @Sendable (TrustWarning) -> Void = { _ in }
  ) {
    self.host = host
    hostName = String(host.prefix { $0 != "%" })
    self.port = port
    self.tls = tls
    self.loop = loop
    quietUntil = loop.clock.now
    self.resolver = resolver
    self.limits = limits
    self.onWarning = onWarning
  }

  /// As the `Host` field wants it (RFC 9110 §7.2).
  package nonisolated var authority: String {
    HostPort(host: host, port: port).authority
  }

  // MARK: From outside

  /// Sends a request and waits for the head of its response. Cancelling the task closes the connection.
  package nonisolated func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
    let id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let answer = try await cancellable(id) { () async -> Result<Answer, HTTPClientError> in
      do throws(HTTPClientError) { return .success(try await self.perform(request, id)) } catch {
        return .failure(error)
      }
    }.get()
    return HTTPClientResponse(answer.head, isWhole: answer.isWhole, self, id)
  }

  /// Some bytes of a body, none at its end.
  struct Piece: Sendable {
    let bytes: [UInt8]
    /// Nothing follows.
    let isLast: Bool
  }

  nonisolated func nextPiece(of id: ExchangeID) async throws(HTTPClientError) -> Piece {
    try await cancellable(id) { () async -> Result<Piece, HTTPClientError> in
      do throws(HTTPClientError) { return .success(try await self.read(id)) } catch { return .failure(error) }
    }.get()
  }

  nonisolated func abandon(_ id: ExchangeID) { Task(executorPreference: loop) { await self.cancel(id) } }

  /// Closes what is kept, and everything else as soon as it is over.
  package func close() {
    isClosed = true
    for exchange in connecting { exchange.isCancelled = true }
    for exchange in connecting { exchange.abort() }
    for connection in kept { connection.close() }
    connectionCount -= kept.count
    kept = []
  }

  private nonisolated func cancellable<Value: Sendable>(
    _ id: ExchangeID, _ body: () async -> Result<Value, HTTPClientError>
  ) async -> Result<Value, HTTPClientError> {
    await withTaskCancellationHandler(operation: body) { abandon(id) }
  }

  // MARK: Exchanges

  private struct Answer: Sendable {
    let head: ResponseHead
    /// There is no body, or all of it came with the head.
    let isWhole: Bool
  }

  private func perform(_ request: HTTPClientRequest, _ id: ExchangeID) async throws(HTTPClientError) -> Answer {
    let exchange = Exchange()
    exchanges[id] = exchange
    do throws(HTTPClientError) {
      while true {
        // Before anything is waited for, since a cancellation may have come before the exchange was there.
        guard !exchange.isCancelled, !Task.isCancelled else { throw .cancelled }
        let connection = try await takeConnection(for: request, exchange, id)
        exchange.connection = connection
        exchange.abort = { connection.abort() }
        let mayBeStale = connection.wasKept
        do throws(HTTPClientError) {
          // It may have come when the connection was there and this task not awake yet: there was nothing left to abort.
          guard !exchange.isCancelled else { throw .cancelled }
          let head = try await connection.send(request, host: authority)
          quietUntil = loop.clock.deadline(after: limits.turn)
          let isWhole = !connection.hasBody
          if isWhole { finish(id) }
          return Answer(head: head, isWhole: isWhole)
        } catch {
          drop(exchange)
          if case .timedOut = error, mayBeStale { dropKept() }
          // RFC 9112 §9.3.1: the server closed a kept connection while the request was on its way. What may have been
          // carried out and must not be twice is not repeated (RFC 9110 §9.2.2): that is for whoever asked to decide.
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
      quietUntil = loop.clock.deadline(after: limits.turn)
      // The connection is free with the last byte, not with the question for more.
      if !connection.hasBody { finish(id) }
      return Piece(bytes: bytes, isLast: !connection.hasBody)
    } catch {
      drop(exchange)
      exchanges[id] = nil
      throw exchange.isCancelled ? .cancelled : error
    }
  }

  /// The response is whole.
  private func finish(_ id: ExchangeID) {
    guard let exchange = exchanges.removeValue(forKey: id), let connection = exchange.connection else { return }
    exchange.connection = nil
    guard connection.isReusable, !isClosed, !exchange.isCancelled else {
      connection.close()
      return freeSlot()
    }
    keep(connection)
  }

  private func keep(_ connection: HTTPClientConnection) {
    connection.wasKept = true
    connection.keptUntil = loop.clock.deadline(after: limits.keptIdle)
    kept.append(connection)
    wakeNext()
    sweep()
  }

  /// Makes a connection where none is kept beside those in use, so that the next request need not wait for one. What keeps
  /// it from being made is no news: that request will meet it, too.
  package func prepare() async {
    guard connecting.count <= waiters.count, !isClosed else { return }
    closeKept { !$0.isQuiet() }
    guard kept.isEmpty, connectionCount < limits.connections else { return }
    preparing += 1
    defer { preparing -= 1 }
    await makeConnection(beginConnecting(), for: nil, within: nil)
  }

  /// Takes one of the places for connections.
  private func beginConnecting() -> Exchange {
    connectionCount += 1
    let exchange = Exchange()
    connecting.append(exchange)
    return exchange
  }

  /// Makes a connection, which whoever waits first gets.
  ///
  /// - Parameter id: whose it is to tell where there will be none, if that one still waits.
  private func makeConnection(_ exchange: Exchange, for id: ExchangeID?, within duration: Duration?) async {
    do throws(HTTPClientError) {
      let connection = try await connect(for: exchange, within: duration)
      connecting.removeAll { $0 === exchange }
      guard !isClosed else {
        connection.close()
        return freeSlot()
      }
      // Whoever began it has waited for it; else who waits for longest.
      let index = waiters.firstIndex { $0.id == id } ?? 0
      guard index < waiters.count, let waiting = exchanges[waiters[index].id] else { return keep(connection) }
      waiting.handed = connection
      waiters.remove(at: index).continuation.resume(returning: nil)
    } catch {
      connecting.removeAll { $0 === exchange }
      connectionCount -= 1
      if let index = waiters.firstIndex(where: { $0.id == id }) {
        waiters.remove(at: index).continuation.resume(returning: error)
      }
      // Who had put his hope in this one begins another.
      if connecting.count < waiters.count { wakeNext() }
    }
  }

  /// A network that has gone takes all that was kept with it, and tells of none: the next request must not find that out
  /// again, connection by connection.
  private func dropKept() {
    let gone = kept
    kept = []
    for connection in gone {
      connection.abort()
      freeSlot()
    }
  }

  private func closeKept(where isOver: (HTTPClientConnection) -> Bool) {
    let over = kept.filter(isOver)
    guard !over.isEmpty else { return }
    kept.removeAll { connection in over.contains { $0 === connection } }
    for connection in over {
      connection.close()
      freeSlot()
    }
  }

  private func drop(_ exchange: Exchange) {
    guard let connection = exchange.connection else { return }
    exchange.connection = nil
    connection.abort()
    freeSlot()
  }

  private func cancel(_ id: ExchangeID) {
    if let index = waiters.firstIndex(where: { $0.id == id }) {
      waiters.remove(at: index).continuation.resume(returning: nil)
    }
    guard let exchange = exchanges[id] else { return }
    exchange.isCancelled = true
    exchange.abort()
    // Nobody waits on it, or who does finds that it was aborted and cleans up after itself.
    if exchange.connection?.isBeingReadFrom == false {
      drop(exchange)
      exchanges[id] = nil
    }
  }

  // MARK: Connections

  private func takeConnection(
    for request: HTTPClientRequest, _ exchange: Exchange, _ id: ExchangeID
  ) async throws(HTTPClientError) -> HTTPClientConnection {
    let deadline = loop.clock.deadline(after: limits.turn)
    while true {
      let handed = exchange.handed
      exchange.handed = nil
      guard !exchange.isCancelled else {
        // The turn that came meanwhile is the next one's.
        if let handed { keep(handed) }
        if !kept.isEmpty || connectionCount < limits.connections { wakeNext() }
        throw .cancelled
      }
      if let handed { return handed }
      if request.isOnNewConnection {
        // The one that was used longest ago makes room.
        if connectionCount >= limits.connections, !kept.isEmpty {
          kept.removeFirst().close()
          connectionCount -= 1
        }
      } else {
        while let connection = kept.popLast() {
          if connection.isQuiet() { return connection }
          connection.abort()
          connectionCount -= 1
        }
      }
      let isConnecting = connectionCount < limits.connections
      if isConnecting {
        if request.isOnNewConnection { break }
        // One that is being made for nobody any more will do, unless it may take longer than this request can wait.
        if request.connecting != nil || connecting.count - preparing <= waiters.count {
          let made = beginConnecting()
          Task { await makeConnection(made, for: id, within: request.connecting) }
        }
      } else {
        guard max(deadline, quietUntil) > loop.clock.now else { throw .timedOut(.turn) }
      }
      let error = await withCheckedContinuation { continuation in
        // What is being made comes, or says why not.
        waiters.append(Waiter(id: id, deadline: isConnecting ? .never : deadline, continuation: continuation))
        sweep()
      }
      if let error { throw exchange.isCancelled || Task.isCancelled ? .cancelled : error }
    }
    connectionCount += 1
    do throws(HTTPClientError) { return try await connect(for: exchange, within: request.connecting) } catch {
      freeSlot()
      // While a name is looked up, the end of the waiting comes before the word that it was cancelled.
      throw exchange.isCancelled || Task.isCancelled ? .cancelled : error
    }
  }

  /// Finds the host's addresses and connects to the first of them that answers.
  ///
  /// - Parameter duration: for both together; nil for the limits, which give each its time.
  private func connect(
    for exchange: Exchange, within duration: Duration?
  ) async throws(HTTPClientError) -> HTTPClientConnection {
    let shared = duration.map { loop.clock.deadline(after: min($0, limits.connect)) }
    let found = await resolver.addresses(
      of: host, port: port, until: shared ?? loop.clock.deadline(after: limits.connect), on: loop)
    guard let found else { throw .timedOut(.name) }
    var addresses: [SocketAddress]
    do throws(NetworkingError) { addresses = try found.get() } catch { throw .nameNotFound(error.description) }
    let deadline = shared ?? loop.clock.deadline(after: limits.connect)
    var failure = HTTPClientError.nameNotFound("\(host) has no address")
    while !addresses.isEmpty {
      let socket = try await connect(to: addresses, until: deadline, for: exchange)
      do throws(StreamError) { return try await greet(socket, for: exchange) } catch {
        lastAddress = nil
        switch error {
        case .aborted: throw .cancelled
        case .deadlinePassed: failure = .timedOut(.connection)
        // The next address would be the same robot, or the same impostor.
        case .tls(let error) where error != .disconnected: throw .tls(error)
        default: failure = .unreachable(socket.peer.description, error)
        }
        addresses.removeAll { $0 == socket.peer }
      }
    }
    throw failure
  }

  /// Attempts to connect that go on beside each other.
  private final class Attempts {
    private var attempts: [(connector: TCPConnector, task: Task<Void, Never>)] = []
    private var ended: [(address: SocketAddress, outcome: Result<Socket, StreamError>)] = []
    private var waiter: CheckedContinuation<Void, Never>?
    /// One of them won, or nobody wants to know: what ends afterwards is let go.
    private var isOver = false

    func add(_ connector: TCPConnector, _ task: Task<Void, Never>) { attempts.append((connector, task)) }

    func end(_ address: SocketAddress, _ outcome: Result<Socket, StreamError>) {
      guard !isOver else { return }
      ended.append((address, outcome))
      wake()
    }

    func nextEnded() -> (address: SocketAddress, outcome: Result<Socket, StreamError>)? {
      ended.isEmpty ? nil : ended.removeFirst()
    }

    func wait() async { await withCheckedContinuation { waiter = $0 } }

    func wake() {
      waiter?.resume()
      waiter = nil
    }

    func abort() {
      for (connector, task) in attempts {
        connector.abort()
        task.cancel()
      }
      attempts = []
      ended = []
      isOver = true
      wake()
    }
  }

  /// Connects to the address that answers first (RFC 8305 §5); the others are given up.
  private func connect(
    to addresses: [SocketAddress], until deadline: Deadline, for exchange: Exchange
  ) async throws(HTTPClientError) -> Socket {
    var race = AddressRace(addresses, first: lastAddress, pause: Deadline.Delay(limits.nextAddress))
    let attempts = Attempts()
    exchange.abort = { attempts.abort() }
    defer { attempts.abort() }
    var failure = HTTPClientError.timedOut(.connection)
    while true {
      guard !exchange.isCancelled else { throw .cancelled }
      if let (address, outcome) = attempts.nextEnded() {
        switch outcome {
        case .success(let socket):
          lastAddress = address
          return socket
        case .failure(let error):
          if lastAddress == address { lastAddress = nil }
          failure = error == .deadlinePassed ? .timedOut(.connection) : .unreachable(address.description, error)
          race.failed()
        }
        continue
      }
      let now = loop.clock.now
      guard now < deadline else {
        // It let others have their turn, and no more.
        if race.hasBegun(lastAddress) { lastAddress = nil }
        throw .timedOut(.connection)
      }
      switch race.step(at: now) {
      case .begin(let address): begin(address, attempts)
      case .wait(let moment):
        let timer = loop.schedule(at: min(moment, deadline)) { attempts.wake() }
        await attempts.wait()
        timer.cancel()
      case .lost: throw failure
      }
    }
  }

  private func begin(_ address: SocketAddress, _ attempts: Attempts) {
    do throws(StreamError) {
      let connector = try TCPConnector(to: address, on: loop)
      // Ends with its connector, which the attempts abort.
      let attempt = Task {
        do throws(StreamError) {
          attempts.end(address, .success(try await connector.finish(until: .never)))
        } catch {
          attempts.end(address, .failure(error))
        }
        _ = self
      }
      attempts.add(connector, attempt)
    } catch {
      attempts.end(address, .failure(error))
    }
  }

  /// The TLS handshake, as far as there is TLS.
  private func greet(_ socket: Socket, for exchange: Exchange) async throws(StreamError) -> HTTPClientConnection {
    guard !exchange.isCancelled else { throw .aborted }
    let stream = try Stream(socket, connecting: tls, to: hostName, port: port, on: loop)
    exchange.abort = { stream.abort() }
    do throws(StreamError) {
      try await stream.handshake(until: loop.clock.deadline(after: limits.handshake))
      try await stream.waitForAcceptance(until: loop.clock.deadline(after: limits.acceptance))
    } catch {
      stream.abort()
      throw error
    }
    statistics.connections += 1
    if stream.isResumed { statistics.resumed += 1 }
    for warning in stream.trustWarnings { onWarning(warning) }
    return HTTPClientConnection(stream, limits: limits)
  }

  // MARK: Turns

  private func freeSlot() {
    connectionCount -= 1
    wakeNext()
  }

  private func wakeNext() {
    guard !waiters.isEmpty else { return }
    waiters.removeFirst().continuation.resume(returning: nil)
  }

  /// Looks once a second after kept connections and waiting requests whose time is over, for as long as there are any.
  private func sweep() {
    if sweepTimer == nil { sweep(at: loop.clock.now) }
  }

  private func sweep(at moment: Deadline) {
    sweepTimer = loop.schedule(at: moment) { [weak self] in self?.assumeIsolated { $0.sweepOnce() } }
  }

  private func sweepOnce() {
    let now = loop.clock.now
    closeKept { $0.keptUntil <= now || !$0.isQuiet() }
    // Whoever waits for a connection that is not being made any more looks for himself.
    if connecting.isEmpty {
      for waiter in waiters where waiter.deadline == .never { waiter.continuation.resume(returning: nil) }
      waiters.removeAll { $0.deadline == .never }
    }
    if quietUntil <= now {
      for waiter in waiters where waiter.deadline <= now { waiter.continuation.resume(returning: nil) }
      waiters.removeAll { $0.deadline <= now }
    }
    sweepTimer = nil
    if !kept.isEmpty || !waiters.isEmpty { sweep(at: loop.clock.deadline(after: .seconds(1))) }
  }
}
