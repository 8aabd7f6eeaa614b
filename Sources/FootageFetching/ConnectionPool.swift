internal import FootageSystem

/// What a pool has to do with a connection.
protocol PooledConnection: AnyObject {
  /// Whether it is still as it was left.
  func isQuiet() -> Bool
  /// Whether it has waited for a request.
  var wasKept: Bool { get set }
  /// With a goodbye.
  func close()
  func abort()
}

/// The connections to one host: which of them are kept for another request, how many there are, and which requests wait
/// for one (RFC 9112 §9.4). It keeps account, and makes none.
struct ConnectionPool<Connection: PooledConnection> {
  /// What becomes of a request's wait.
  enum WaitOutcome {
    case connection(Connection)
    /// There may be one to take, or room for one.
    case lookAgain
    case failed(HTTPClientError)
  }

  private struct Waiter {
    let id: HTTPClient.ExchangeID
    /// Never, while a connection is being made.
    let deadline: Deadline
    let wake: (WaitOutcome) -> Void
  }

  private let limit: Int
  /// The one that was used last is at the end.
  private var kept: [(connection: Connection, until: Deadline)] = []
  /// Those kept, those in use, and those being made.
  private(set) var count = 0
  /// Those being made for whichever request comes first when they are there: what is freed meanwhile is as good.
  private(set) var makingCount = 0
  /// How many of them are to be there beside those that are waited for.
  private var spareCount = 0
  private var waiters: [Waiter] = []

  init(limit: Int) { self.limit = limit }

  var hasRoom: Bool { count < limit }
  /// How many requests wait.
  var waitingCount: Int { waiters.count }
  /// Whether there is nothing to look after.
  var isIdle: Bool { kept.isEmpty && waiters.isEmpty }
  /// Whether each that is being made is waited for already: a request that comes now needs another one.
  var needsAnother: Bool { makingCount - spareCount <= waiters.count }
  /// Whether one more is to be made beside those, so that the next request need not wait.
  var needsSpare: Bool { makingCount <= waiters.count && kept.isEmpty && hasRoom }

  // MARK: Taking and giving back

  /// Takes the one that was used last; those that are not as they were left are closed.
  mutating func takeKept() -> Connection? {
    while let (connection, _) = kept.popLast() {
      if connection.isQuiet() { return connection }
      connection.abort()
      count -= 1
    }
    return nil
  }

  /// Keeps one for another request.
  mutating func keep(_ connection: Connection, until deadline: Deadline) {
    connection.wasKept = true
    kept.append((connection, deadline))
    wakeNext()
  }

  /// Takes a place for a connection that one request makes for itself. Where all are taken, the kept one that was used
  /// longest ago makes room.
  mutating func takePlace() -> Bool {
    if !hasRoom, !kept.isEmpty {
      kept.removeFirst().connection.close()
      count -= 1
    }
    guard hasRoom else { return false }
    count += 1
    return true
  }

  /// A connection that was in use, or was to be, is gone.
  mutating func freePlace() {
    count -= 1
    wakeNext()
  }

  // MARK: Making

  /// One begins to be made.
  mutating func beginMaking(isSpare: Bool) {
    count += 1
    makingCount += 1
    if isSpare { spareCount += 1 }
  }

  /// It is there. The request that it was begun for gets it, else the one that has waited for longest; else it is kept.
  mutating func made(
    _ connection: Connection, for id: HTTPClient.ExchangeID?, isSpare: Bool, keptUntil deadline: Deadline
  ) {
    endMaking(isSpare)
    let index = waiters.firstIndex { $0.id == id } ?? 0
    guard index < waiters.count else { return keep(connection, until: deadline) }
    waiters.remove(at: index).wake(.connection(connection))
  }

  /// It will not be there. The request that it was begun for is told why; another that hoped for it looks again.
  mutating func makingFailed(_ error: HTTPClientError, for id: HTTPClient.ExchangeID?, isSpare: Bool) {
    endMaking(isSpare)
    count -= 1
    if let index = waiters.firstIndex(where: { $0.id == id }) { waiters.remove(at: index).wake(.failed(error)) }
    if makingCount < waiters.count { wakeNext() }
  }

  /// It is there, and not wanted any more.
  mutating func discardMade(isSpare: Bool) {
    endMaking(isSpare)
    freePlace()
  }

  private mutating func endMaking(_ isSpare: Bool) {
    makingCount -= 1
    if isSpare { spareCount -= 1 }
  }

  // MARK: Waiting

  /// A request waits for a connection.
  ///
  /// - Parameter deadline: never, where one is being made for it.
  mutating func wait(
    _ id: HTTPClient.ExchangeID, until deadline: Deadline, _ wake: @escaping (WaitOutcome) -> Void
  ) { waiters.append(Waiter(id: id, deadline: deadline, wake: wake)) }

  /// A request waits no longer.
  mutating func endWait(of id: HTTPClient.ExchangeID) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).wake(.lookAgain)
  }

  /// The turn that came for a request which does not want it any more is the next one's.
  mutating func passOn() {
    if !kept.isEmpty || hasRoom { wakeNext() }
  }

  private mutating func wakeNext() {
    guard !waiters.isEmpty else { return }
    waiters.removeFirst().wake(.lookAgain)
  }

  // MARK: Sweeping

  /// Closes what was kept for long enough, or is not as it was left, and wakes the requests whose time is over.
  ///
  /// - Parameter isQuiet: whether nothing has come for so long that the others are not believed to go on.
  mutating func sweep(at now: Deadline, isQuiet: Bool) {
    closeKept { $0.until <= now || !$0.connection.isQuiet() }
    // A request that waits for a connection which is not being made any more looks again.
    if makingCount == 0 { wake { $0.deadline == .never } }
    if isQuiet { wake { $0.deadline <= now } }
  }

  /// Closes those that are not as they were left.
  mutating func closeStale() { closeKept { !$0.connection.isQuiet() } }

  /// Closes all that are kept.
  mutating func closeKept() { closeKept { _ in true } }

  /// A network that has gone takes all that was kept with it, and tells of none: the next request must not find that
  /// out again, connection by connection.
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
