import FootageSystem
import Testing

@testable import FootageFetching

/// The bookkeeping of a pool, without a network.
@Suite struct ConnectionPoolTests {
  /// A connection that records its fate.
  private final class Link: PooledConnection {
    var isAsLeft = true
    var wasKept = false
    var end: String?

    func isQuiet() -> Bool { isAsLeft }
    func close() { end = "closed" }
    func abort() { end = "aborted" }
  }

  /// The outcomes of waiting requests, one after the other.
  private final class Waits {
    var all: [String] = []
    var links: [Link] = []

    func wake(_ name: String) -> (ConnectionPool<Link>.WaitOutcome) -> Void {
      { outcome in
        switch outcome {
        case .connection(let link):
          self.all.append("\(name) gets one")
          self.links.append(link)
        case .lookAgain: self.all.append("\(name) looks")
        case .failed(let error): self.all.append("\(name) fails: \(error)")
        }
      }
    }
  }

  private let waits = Waits()
  private let later = Deadline(milliseconds: 60_000)
  private let now = Deadline(milliseconds: 1_000)

  /// Returns a pool with this number of connections in use.
  private func pool(limit: Int = 2, inUse: Int = 0) -> ConnectionPool<Link> {
    var pool = ConnectionPool<Link>(limit: limit)
    for _ in 0..<inUse { _ = pool.takePlace() }
    return pool
  }

  @Test func `the connection that was used last is taken first, and none that is not as it was left`() {
    var pool = pool(limit: 3, inUse: 3)
    let links = [Link(), Link(), Link()]
    for link in links { pool.keep(link, until: later) }
    links[1].isAsLeft = false
    #expect(pool.takeKept() === links[2])
    #expect(pool.takeKept() === links[0])
    #expect(pool.takeKept() == nil)
    #expect(links.map(\.end) == [nil, "aborted", nil] && links.allSatisfy(\.wasKept))
    #expect(pool.count == 2 && pool.hasRoom)
  }

  @Test func `a request that wants a new connection has the oldest kept one make room`() {
    var pool = pool(inUse: 2)
    #expect(pool.takePlace() == false)
    let links = [Link(), Link()]
    for link in links { pool.keep(link, until: later) }
    #expect(pool.takePlace() == true)
    #expect(links.map(\.end) == ["closed", nil] && pool.count == 2)
  }

  @Test func `what is made is for the request that it was begun for, else for the one that waits longest`() {
    var pool = pool(limit: 6)
    for id in 1...3 {
      #expect(pool.needsAnother)
      pool.beginMaking(isSpare: false)
      pool.wait(HTTPClient.ExchangeID(id), until: .never, waits.wake("\(id)"))
    }
    let links = [Link(), Link(), Link(), Link()]
    pool.made(links[0], for: 2, isSpare: false, keptUntil: later)
    pool.made(links[1], for: 2, isSpare: false, keptUntil: later)
    pool.endWait(of: 3)
    pool.made(links[2], for: 3, isSpare: false, keptUntil: later)
    #expect(waits.all == ["2 gets one", "1 gets one", "3 looks"])
    #expect(waits.links.map(ObjectIdentifier.init) == [links[0], links[1]].map(ObjectIdentifier.init))
    #expect(pool.makingCount == 0 && pool.takeKept() === links[2])
    #expect(!links[0].wasKept && links[2].wasKept)
  }

  @Test func `what is being made for nobody any more serves the next request`() {
    var pool = pool()
    pool.beginMaking(isSpare: false)
    pool.wait(1, until: .never, waits.wake("1"))
    pool.endWait(of: 1)
    #expect(!pool.needsAnother)
    pool.wait(2, until: .never, waits.wake("2"))
    #expect(pool.needsAnother)
  }

  @Test func `a spare one is made once, and not where one is kept`() {
    var pool = pool()
    #expect(pool.needsSpare)
    pool.beginMaking(isSpare: true)
    #expect(!pool.needsSpare)
    // A request that comes now makes a connection of its own.
    #expect(pool.needsAnother)
    let link = Link()
    pool.made(link, for: nil, isSpare: true, keptUntil: later)
    #expect(!pool.needsSpare && pool.takeKept() === link)
    #expect(pool.needsSpare)
  }

  @Test func `the request that hoped for what fails is told why, and another looks again`() {
    var pool = pool(limit: 1)
    pool.beginMaking(isSpare: false)
    for id in 1...3 { pool.wait(HTTPClient.ExchangeID(id), until: .never, waits.wake("\(id)")) }
    pool.makingFailed(.nameNotFound("no such robot"), for: 2, isSpare: false)
    #expect(waits.all == ["2 fails: no such robot", "1 looks"])
    #expect(pool.count == 0 && pool.makingCount == 0 && pool.waitingCount == 1)
  }

  @Test func `a place that is freed wakes one request`() {
    var pool = pool(inUse: 2)
    for id in 1...3 { pool.wait(HTTPClient.ExchangeID(id), until: later, waits.wake("\(id)")) }
    pool.freePlace()
    pool.keep(Link(), until: later)
    #expect(waits.all == ["1 looks", "2 looks"])
    pool.passOn()
    #expect(waits.all.last == "3 looks")
  }

  @Test func `what was kept for long enough is closed, and who waits too long is woken`() {
    var pool = pool(limit: 4, inUse: 4)
    let links = [Link(), Link(), Link()]
    pool.keep(links[0], until: now)
    pool.keep(links[1], until: later)
    pool.keep(links[2], until: later)
    links[2].isAsLeft = false
    pool.sweep(at: now, isQuiet: true)
    #expect(links.map(\.end) == ["closed", nil, "closed"] && pool.count == 2)
    pool.wait(1, until: now, waits.wake("1"))
    pool.wait(2, until: later, waits.wake("2"))
    pool.beginMaking(isSpare: false)
    pool.wait(3, until: .never, waits.wake("3"))
    // The others continue to wait: a turn may come.
    pool.sweep(at: now, isQuiet: false)
    #expect(waits.all.isEmpty)
    pool.sweep(at: now, isQuiet: true)
    #expect(waits.all == ["1 looks"])
    pool.discardMade(isSpare: false)
    #expect(waits.all == ["1 looks", "2 looks"])
    pool.sweep(at: now, isQuiet: false)
    #expect(waits.all.last == "3 looks" && !pool.isIdle)
  }

  @Test func `a network that has gone takes what was kept with it`() {
    var pool = pool(limit: 3, inUse: 3)
    let links = [Link(), Link()]
    for link in links { pool.keep(link, until: later) }
    pool.abortKept()
    #expect(links.map(\.end) == ["aborted", "aborted"] && pool.count == 1)
    #expect(pool.isIdle && pool.takeKept() == nil)
  }
}
