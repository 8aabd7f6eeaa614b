/// The requests to a distant robot, over a simulated link: requests in pieces, seeks, rivals for silent requests, and
/// the distance of the read-ahead.

import FootageBase
import Testing

@testable import FootageCore

/// A link that carries requests. Each answer begins one round trip after its request, and all running answers share the
/// rate. Connections start slowly, and lose half of their window with each timeout in which they are idle (RFC 5681
/// §3.1, RFC 2861 §3.2, as in Linux).
private struct SimulatedLink {
  /// The state of a connection: the window is the number of bytes that it may send without an acknowledgment.
  struct Connection {
    static let initialWindow = 14_600.0
    var window = initialWindow
    var lastUse: Duration

    mutating func restart(after idle: Duration, timeout: Duration) {
      var rest = idle
      while rest > timeout, window > Self.initialWindow {
        rest -= timeout
        window = max(window / 2, Self.initialWindow)
      }
    }
  }

  struct Running {
    /// The time at which the head of the answer arrives.
    let head: Duration
    var isAnswered = false
    var connection: Connection
  }

  var machine: VersionStateMachine
  let roundTrip: Duration
  /// The rate in bytes per millisecond.
  let perMillisecond: Int
  var now = Duration.zero
  private var running: [UInt64: Running] = [:]
  /// The idle connections; the one that was used last is at the end.
  private var kept: [Connection] = []
  private var owed: [UInt64: Double] = [:]
  private(set) var requested: [Range<UInt64>] = []
  private(set) var stopped = 0
  /// True while nothing arrives. The answers to requests that are sent meanwhile never arrive.
  var isHole = false
  private(set) var anew = 0

  init(_ length: UInt64, roundTrip milliseconds: Int, perMillisecond: Int, limits: MediaCacheLimits = .init()) {
    machine = VersionStateMachine(length: length, durable: RangeSet(), limits: limits)
    roundTrip = .milliseconds(milliseconds)
    self.perMillisecond = perMillisecond
  }

  mutating func carryOut(_ actions: [VersionStateMachine.Action]) {
    for action in actions {
      switch action {
      case .start(let id, let range, let manner):
        requested.append(range)
        if manner == .onNewConnection { anew += 1 }
        let idle = manner == .onNewConnection ? nil : kept.popLast()
        var connection = idle ?? Connection(lastUse: now)
        connection.restart(after: now - connection.lastUse, timeout: roundTrip + .milliseconds(200))
        // A new connection costs three more round trips. The first request finds a connection that is ready.
        let trips = manner == .onNewConnection ? 4 : 1
        running[id] = Running(head: isHole ? .seconds(1_000_000) : now + roundTrip * trips, connection: connection)
      case .stop(let id):
        running[id] = nil
        owed[id] = nil
        stopped += 1
      case .wake: break
      case .commit: if !machine.beginCommit().isEmpty { carryOut(machine.committed(now: now)) }
      }
    }
  }

  mutating func act(_ decide: (inout VersionStateMachine, Duration) -> [VersionStateMachine.Action]) {
    carryOut(decide(&machine, now))
  }

  /// Advances the simulation by a millisecond.
  mutating func step() {
    now += .milliseconds(1)
    if now.components.attoseconds % 250_000_000_000_000_000 == 0 { act { $0.tick(random: 1, now: $1) } }
    guard !isHole else { return }
    for (id, state) in running.sorted(by: { $0.key < $1.key }) where state.head <= now && !state.isAnswered {
      running[id]?.isAnswered = true
      machine.answered(id, now: now)
    }
    // The narrowest connections come first, so that the others get what those cannot take.
    let open = running.filter { $0.value.isAnswered }.sorted { one, other in
      (one.value.connection.window, one.key) < (other.value.connection.window, other.key)
    }
    var left = Double(perMillisecond)
    for (index, (id, state)) in open.enumerated() {
      let bytes = min(left / Double(open.count - index), state.connection.window / (roundTrip / .milliseconds(1)))
      left -= bytes
      owed[id, default: 0] += bytes
      deliver(id)
    }
  }

  private mutating func deliver(_ id: UInt64) {
    let count = Int(owed[id] ?? 0)
    guard count > 0, var connection = running[id]?.connection else { return }
    owed[id]? -= Double(count)
    connection.lastUse = now
    connection.window += Double(count)
    running[id]?.connection = connection
    if let arrival = machine.arrived(id, count: count) {
      act { $0.stored(id, arrival.range, now: $1) }
      guard !machine.isRunning(id) else { return }
    }
    // Its answer is complete, or was stopped meanwhile.
    if running.removeValue(forKey: id) != nil { kept.append(connection) }
    owed[id] = nil
  }

  /// Loses requests, whose answers then never arrive.
  mutating func lose(_ ids: some Sequence<UInt64>) { for id in ids { running[id] = nil } }

  mutating func run(for milliseconds: Int) { for _ in 0..<milliseconds { step() } }
}

@Suite struct FetchPieceTests {
  /// Returns a link with a round trip of 100 ms and 8 MB/s.
  private func farLink(_ length: UInt64 = 200_000_000) -> SimulatedLink {
    SimulatedLink(length, roundTrip: 100, perMillisecond: 8_000)
  }

  @Test func `pieces bring no more than two round trips do, and as much as one long request`() throws {
    // One request for everything, as curl sends it.
    var whole = MediaCacheLimits()
    whole.firstPieceBytes = .max
    whole.leastPieceBytes = .max
    whole.requestBytes = .max
    var one = SimulatedLink(76_000_000, roundTrip: 100, perMillisecond: 8_000, limits: whole)
    var pieces = farLink(76_000_000)
    var times: [Duration] = []
    for var link in [one, pieces] {
      link.machine.allAhead()
      link.act { $0.add(.play, 0..<76_000_000, now: $1).1 }
      while !link.machine.isComplete, link.now < .seconds(60) { link.step() }
      times.append(link.now)
      (one, pieces) = (pieces, link)
    }
    #expect(one.requested == [0..<76_000_000])
    #expect(times[1] <= times[0] * 1.1, "\(times)")
    // Two round trips bring 1,600,000 bytes.
    #expect(pieces.requested.allSatisfy { $0.upperBound - $0.lowerBound <= 1_700_000 })
    #expect(pieces.stopped == 0 && pieces.requested.count < 120, "\(pieces.requested.count)")
  }

  @Test func `a seek asks at once, and leaves what is over in a moment to run out`() throws {
    var link = farLink()
    link.machine.allAhead()
    var reader: UInt64 = 0
    link.act { machine, now in
      let (id, actions) = machine.add(.play, 0..<200_000_000, now: now)
      reader = id
      return actions
    }
    link.run(for: 2_000)
    for seek in 1...5 {
      let position = UInt64(seek) * 30_000_000
      link.act { $0.remove(reader, now: $1) }
      link.act { machine, now in
        let (id, actions) = machine.add(.play, position..<200_000_000, now: now)
        reader = id
        _ = machine.read(id, at: position, count: 1, now: now)
        return actions
      }
      #expect(link.requested.last?.lowerBound == position || link.requested.contains { $0.lowerBound == position })
      link.run(for: 102)
      #expect(link.machine.available.contains(position..<(position + 1)), "seek \(seek)")
      link.run(for: 900)
    }
    #expect(link.stopped <= 2, "\(link.stopped) connections were given up")
  }

  @Test func `on a slow link a seek gives up one request at most`() throws {
    var link = SimulatedLink(20_000_000, roundTrip: 100, perMillisecond: 250)
    link.machine.allAhead()
    var reader: UInt64 = 0
    link.act { machine, now in
      let (id, actions) = machine.add(.play, 0..<20_000_000, now: now)
      reader = id
      return actions
    }
    link.run(for: 6_000)
    for seek in 1...5 {
      let before = link.stopped
      let position = UInt64(seek) * 3_000_000
      link.act { $0.remove(reader, now: $1) }
      link.act { machine, now in
        let (id, actions) = machine.add(.play, position..<20_000_000, now: now)
        reader = id
        return actions
      }
      #expect(link.stopped - before <= 1)
      link.run(for: 3_000 + seek * 137)
    }
  }

  @Test(arguments: [100, 1_337, 3_900, 20_000, 20_900])
  func `a network that was away costs a waiting player three seconds more at most`(_ away: Int) throws {
    var link = farLink()
    let (reader, actions) = link.machine.add(.play, 0..<200_000_000, now: .zero)
    link.carryOut(actions)
    link.run(for: 1_000)
    link.isHole = true
    var position = link.machine.available.end(from: 0)
    link.act { $0.read(reader, at: position, count: 1, now: $1).1 }
    link.run(for: away)
    // The requests and the bytes in transit are lost; only a new request brings anything.
    link.isHole = false
    let lost = link.machine.fetches.keys
    link.lose(lost)
    var more = 0
    while !link.machine.available.contains(position..<(position + 1)), more < 10_000 {
      link.step()
      more += 1
    }
    #expect(more <= 3_000 + 400, "\(more) ms")
    // The read-ahead does not have to wait again.
    let end = position + 2_000_000
    while !link.machine.available.contains(position..<end), more < 20_000 {
      position = link.machine.available.end(from: position)
      link.act { $0.read(reader, at: position, count: 1, now: $1).1 }
      link.step()
      more += 1
    }
    #expect(more <= 3_000 + 400 + 1_000, "\(more) ms")
    #expect(link.machine.failure == nil)
    link.run(for: 5_000)
    #expect(link.machine.fetches.values.allSatisfy { !$0.isRival })
  }

  @Test func `a robot that is slow to answer is not asked by more than two at a time, and answers the first`() throws {
    var link = SimulatedLink(1_000_000, roundTrip: 9_000, perMillisecond: 8_000)
    let (reader, actions) = link.machine.add(.play, 0..<1_000_000, now: .zero)
    link.carryOut(actions)
    link.act { $0.read(reader, at: 0, count: 1, now: $1).1 }
    for _ in 0..<9_002 {
      link.step()
      #expect(link.machine.fetches.count <= 3)
    }
    #expect(link.machine.available.contains(0..<1) && link.anew >= 3)
    #expect(link.machine.fetches.values.allSatisfy { !$0.isRival })
  }

  @Test func `what a rival finds out counts, and one that fails is not sent again at once`() throws {
    var link = SimulatedLink(1_000_000, roundTrip: 60_000, perMillisecond: 8_000)
    let (reader, actions) = link.machine.add(.play, 0..<1_000_000, now: .zero)
    link.carryOut(actions)
    link.act { $0.read(reader, at: 0, count: 1, now: $1).1 }
    for _ in 0..<20_000 {
      link.step()
      for (id, fetch) in link.machine.fetches where fetch.isRival {
        link.act { $0.ended(id, .passing(.unavailable(status: 503, reason: "later")), random: 1, now: $1) }
      }
    }
    #expect((3...10).contains(link.anew), "\(link.anew) rivals in 20 s")
    #expect(link.machine.failure == nil)
    while !link.machine.fetches.values.contains(where: { $0.isRival }) { link.step() }
    for (id, fetch) in link.machine.fetches where fetch.isRival {
      link.act { $0.ended(id, .final(.notAllowed(status: 403, reason: "no")), random: 1, now: $1) }
    }
    #expect(link.machine.failure == .final(.notAllowed(status: 403, reason: "no")))
    #expect(link.machine.fetches.isEmpty)
  }

  @Test func `a download goes on beside a player that has enough`() throws {
    var link = farLink(20_000_000)
    link.act { $0.setReadAhead(.bytes(2_000_000), now: $1) }
    let (player, actions) = link.machine.add(.play, 0..<20_000_000, now: .zero)
    link.carryOut(actions)
    link.run(for: 2_000)
    link.act { $0.add(.preload, 0..<20_000_000, now: $1).1 }
    // The player takes a little at a time, so that its window is never quite full.
    var position: UInt64 = 0
    for _ in 0..<60 {
      position += 5_000
      link.act { $0.read(player, at: position, count: 1, now: $1).1 }
      link.run(for: 100)
    }
    #expect(link.machine.available.byteCount == 20_000_000, "\(link.machine.available.byteCount)")
  }

  @Test func `an answer that was there already tells no round trip`() throws {
    var machine = VersionStateMachine(length: 1_000_000, durable: RangeSet(), limits: MediaCacheLimits())
    _ = machine.add(.play, 0..<1_000_000, now: .zero)
    let id = try #require(machine.fetches.keys.first)
    machine.answered(id, tellsRoundTrip: false, now: .milliseconds(1))
    #expect(machine.link.roundTrip == nil)
    machine.answered(id, now: .milliseconds(100))
    #expect(machine.link.roundTrip == .milliseconds(100))
  }

  @Test func `who does not wait gets no rival`() throws {
    var link = SimulatedLink(1_000_000, roundTrip: 20_000, perMillisecond: 8_000)
    link.act { $0.add(.play, 0..<1_000_000, now: $1).1 }
    link.run(for: 15_000)
    #expect(link.anew == 0 && link.requested.count <= 2)
  }

  @Test(arguments: [(ReadAhead.bytes(4_000_000), 3_000_000...4_000_000), (.bytes(0), 262_144...262_144)])
  func `a paused player gets what it may have ahead, and no more`(
    _ readAhead: ReadAhead, _ expected: ClosedRange<UInt64>
  ) throws {
    var link = farLink()
    link.act { $0.setReadAhead(readAhead, now: $1) }
    let (reader, actions) = link.machine.add(.play, 0..<200_000_000, now: .zero)
    link.carryOut(actions)
    link.run(for: 5_000)
    #expect(expected.contains(link.machine.available.byteCount), "\(link.machine.available.byteCount)")
    #expect(link.machine.fetches.isEmpty)
    // The player takes a little now and then, which must not cause small requests.
    let before = link.requested.count
    for position in stride(from: UInt64(10_000), through: 200_000, by: 10_000) {
      link.act { $0.read(reader, at: position, count: 1, now: $1).1 }
      link.run(for: 50)
    }
    #expect(link.requested.count - before <= 4, "\(link.requested.count - before) requests")
    // The read-ahead never waits for bytes that it could have.
    link.act { $0.setReadAhead(.all, now: $1) }
    link.run(for: 1_000)
    #expect(link.machine.available.byteCount > expected.upperBound)
  }

  @Test func `a player that takes all it gets is never kept waiting by its read-ahead`() throws {
    var link = SimulatedLink(20_000_000, roundTrip: 100, perMillisecond: 8_000)
    link.act { $0.setReadAhead(.bytes(1_000_000), now: $1) }
    let (reader, actions) = link.machine.add(.play, 0..<20_000_000, now: .zero)
    link.carryOut(actions)
    var position: UInt64 = 0
    while position < 20_000_000, link.now < .seconds(60) {
      link.act { machine, now in
        let (decision, actions) = machine.read(reader, at: position, count: 20_000, now: now)
        if case .local(let range) = decision { position = range.upperBound }
        return actions
      }
      link.step()
    }
    #expect(position == 20_000_000)
    #expect(link.now <= .seconds(6), "\(link.now)")
  }
}

extension VersionStateMachine {
  fileprivate mutating func allAhead() { _ = setReadAhead(.all, now: .zero) }
}
