internal import FootageSystem

/// The part of a connection that a pool uses.
protocol PooledConnection: AnyObject {
  /// Returns true if nothing has arrived on the connection since its last response.
  func isQuiet() -> Bool
  /// True if the connection was idle before its current request.
  var wasKept: Bool { get set }
  /// Closes the connection in an orderly way.
  func close()
  func abort()
}

/// The connections to one host: which of them are kept for another request, how many there are, and which requests wait
/// for one (RFC 9112 §9.4). The pool only counts and assigns connections; it does not make them.
struct ConnectionPool<Connection: PooledConnection> {
  /// The outcome of a request's wait.
  enum WaitOutcome {
    case connection(Connection)
    /// There may be an idle connection, or room for a new one, so the request must try again.
    case lookAgain
    case failed(HTTPClientError)
  }

  private struct Waiter {
    let id: HTTPClient.ExchangeID
    /// The time until which the request waits: `.never` while a connection is being made for it.
    let deadline: Deadline
    let wake: (WaitOutcome) -> Void
  }

  private let limit: Int
  /// The kept connections. The last one is the one used most recently.
  private var kept: [(connection: Connection, until: Deadline)] = []
  /// The number of connections that are idle, in use or being made.
  private(set) var count = 0
  /// The number of connections being made for no particular request. A waiting request may get an existing connection
  /// that becomes free first, so the new one goes to whichever request waits then.
  private(set) var makingCount = 0
  /// The number of connections being made that are spares: no request waits for them.
  private var spareCount = 0
  private var waiters: [Waiter] = []

  init(limit: Int) { self.limit = limit }

  var hasRoom: Bool { count < limit }
  /// The number of waiting requests.
  var waitingCount: Int { waiters.count }
  /// True if there is nothing to sweep.
  var isIdle: Bool { kept.isEmpty && waiters.isEmpty }
  /// True if each connection that is being made, apart from spares, already has a request that waits for it. A further
  /// request then needs another connection.
  var needsAnother: Bool { makingCount - spareCount <= waiters.count }
  /// True if one more connection should be made in advance, so that the next request need not wait.
  var needsSpare: Bool { makingCount <= waiters.count && kept.isEmpty && hasRoom }

  // MARK: Taking and giving back

  /// Takes the connection that was used most recently. Closes those on which anything has arrived.
  mutating func takeKept() -> Connection? {
    while let (connection, _) = kept.popLast() {
      if connection.isQuiet() { return connection }
      connection.abort()
      count -= 1
    }
    return nil
  }

  /// Keeps a connection for another request.
  mutating func keep(_ connection: Connection, until deadline: Deadline) {
    connection.wasKept = true
    kept.append((connection, deadline))
    wakeNext()
  }

  /// Reserves a place for a connection that one request makes for itself. If all places are taken, closes the idle
  /// connection that was used longest ago.
  mutating func takePlace() -> Bool {
    if !hasRoom, !kept.isEmpty {
      kept.removeFirst().connection.close()
      count -= 1
    }
    guard hasRoom else { return false }
    count += 1
    return true
  }

  /// Frees the place of a connection that has ended, or was not made.
  mutating func freePlace() {
    count -= 1
    wakeNext()
  }

  // MARK: Making

  /// Records that a connection is being made.
  mutating func beginMaking(isSpare: Bool) {
    count += 1
    makingCount += 1
    if isSpare { spareCount += 1 }
  }

  /// Records that a connection is ready. The request for which it was made gets it, or else the one that has waited
  /// longest. If no request waits, it is kept.
  mutating func made(
    _ connection: Connection, for id: HTTPClient.ExchangeID?, isSpare: Bool, keptUntil deadline: Deadline
  ) {
    endMaking(isSpare)
    let index = waiters.firstIndex { $0.id == id } ?? 0
    guard index < waiters.count else { return keep(connection, until: deadline) }
    waiters.remove(at: index).wake(.connection(connection))
  }

  /// Records that a connection could not be made. The request for which it was made gets the error. If that request has
  /// already got another connection, the next waiting request tries again.
  mutating func makingFailed(_ error: HTTPClientError, for id: HTTPClient.ExchangeID?, isSpare: Bool) {
    endMaking(isSpare)
    count -= 1
    if let index = waiters.firstIndex(where: { $0.id == id }) { waiters.remove(at: index).wake(.failed(error)) }
    if makingCount < waiters.count { wakeNext() }
  }

  /// Records that a connection is ready but no longer wanted.
  mutating func discardMade(isSpare: Bool) {
    endMaking(isSpare)
    freePlace()
  }

  private mutating func endMaking(_ isSpare: Bool) {
    makingCount -= 1
    if isSpare { spareCount -= 1 }
  }

  // MARK: Waiting

  /// Adds a request that waits for a connection.
  ///
  /// - Parameter deadline: `.never` if a connection is being made for it.
  mutating func wait(
    _ id: HTTPClient.ExchangeID, until deadline: Deadline, _ wake: @escaping (WaitOutcome) -> Void
  ) { waiters.append(Waiter(id: id, deadline: deadline, wake: wake)) }

  /// Ends a request's wait.
  mutating func endWait(of id: HTTPClient.ExchangeID) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).wake(.lookAgain)
  }

  /// Wakes the next waiting request if there is a connection for it, or room for one. To be called when a request that
  /// was woken no longer needs a connection.
  mutating func passOn() {
    if !kept.isEmpty || hasRoom { wakeNext() }
  }

  private mutating func wakeNext() {
    guard !waiters.isEmpty else { return }
    waiters.removeFirst().wake(.lookAgain)
  }

  // MARK: Sweeping

  /// Closes connections that have been idle for too long, or on which anything has arrived. Wakes the requests that
  /// have waited too long.
  ///
  /// - Parameter isQuiet: true if nothing has arrived for so long that the requests on the connections in use count as
  ///   stuck.
  mutating func sweep(at now: Deadline, isQuiet: Bool) {
    closeKept { $0.until <= now || !$0.connection.isQuiet() }
    // A request whose connection is no longer being made tries again.
    if makingCount == 0 { wake { $0.deadline == .never } }
    if isQuiet { wake { $0.deadline <= now } }
  }

  /// Closes the idle connections on which anything has arrived.
  mutating func closeStale() { closeKept { !$0.connection.isQuiet() } }

  /// Closes all kept connections.
  mutating func closeKept() { closeKept { _ in true } }

  /// Aborts all idle connections. A lost network breaks them without a sign, and the next request should not have to
  /// discover that for each connection.
  mutating func abortKept() {
    let gone = kept
    kept = []
    for (connection, _) in gone {
      connection.abort()
      freePlace()
    }
  }

  private mutating func closeKept(where isOver: ((connection: Connection, until: Deadline)) -> Bool) {
    let over = kept.filter(isOver).map(\.connection)
    guard !over.isEmpty else { return }
    kept.removeAll { one in over.contains { $0 === one.connection } }
    for connection in over {
      connection.close()
      freePlace()
    }
  }

  private mutating func wake(where isOver: (Waiter) -> Bool) {
    let over = waiters.filter(isOver)
    waiters.removeAll(where: isOver)
    for waiter in over { waiter.wake(.lookAgain) }
  }
}
