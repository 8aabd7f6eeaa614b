/// What is asked for of a robot that is far away, on a link that exists in the test alone: requests in pieces, seeks, rivals
/// for what says nothing, and how far it goes ahead of a player.

import Testing

@testable import FootageClient

/// Carries requests: the answer of each begins a round trip after it, and all that have begun share the rate.
private struct SimulatedLink {
  var machine: VersionStateMachine
  let roundTrip: Duration
  /// In bytes.
  let perMillisecond: Int
  var now = Duration.zero
  /// By number: when the head of the answer comes, and whether it has.
  private var running: [UInt64: (head: Duration, isAnswered: Bool)] = [:]
  private(set) var requested: [Range<UInt64>] = []
  private(set) var stopped = 0
  /// Nothing comes, and what is asked for meanwhile never will.
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
        // A new connection costs three round trips more.
        let trips = manner == .onNewConnection ? 4 : 1
        running[id] = (isHole ? .seconds(1_000_000) : now + roundTrip * trips, false)
      case .stop(let id):
        running[id] = nil
        stopped += 1
      case .wake: break
      case .commit: if !machine.beginCommit().isEmpty { carryOut(machine.committed(now: now)) }
      }
    }
  }

  mutating func act(_ decide: (inout VersionStateMachine, Duration) -> [VersionStateMachine.Action]) {
    carryOut(decide(&machine, now))
  }

  /// A millisecond of it.
  mutating func step() {
    now += .milliseconds(1)
    if now.components.attoseconds % 250_000_000_000_000_000 == 0 { act { $0.tick(random: 1, now: $1) } }
    guard !isHole else { return }
    for (id, state) in running.sorted(by: { $0.key < $1.key }) where state.head <= now && !state.isAnswered {
      running[id]?.isAnswered = true
      machine.answered(id, now: now)
    }
    let open = running.filter { $0.value.isAnswered }.keys.sorted()
    for id in open {
      guard running[id] != nil else { continue }
      guard let arrival = machine.arrived(id, count: max(1, perMillisecond / open.count)) else {
        running[id] = nil
        continue
      }
      act { $0.stored(id, arrival.range, now: $1) }
      if !machine.isRunning(id) { running[id] = nil }
    }
  }

  /// Their answers never come.
  mutating func lose(_ ids: some Sequence<UInt64>) { for id in ids { running[id] = nil } }

  mutating func run(for milliseconds: Int) { for _ in 0..<milliseconds { step() } }
}

@Suite struct FetchPieceTests {
  /// 100 ms there and back, 8 MB/s.
  private func farLink(_ length: UInt64 = 200_000_000) -> SimulatedLink {
    SimulatedLink(length, roundTrip: 100, perMillisecond: 8_000)
  }

  @Test func `pieces bring no more than two round trips do, and as much as one long request`() throws {
    var link = farLink()
    link.machine.allAhead()
    link.act { $0.add(.play, 0..<200_000_000, now: $1).1 }
    link.run(for: 1_000)
    let start = link.machine.available.byteCount
    link.run(for: 5_000)
    let bytes = link.machine.available.byteCount - start
    #expect(bytes >= 36_000_000, "one request brings 40,000,000")
    // Two round trips bring 1,600,000.
    #expect(link.requested.allSatisfy { $0.upperBound - $0.lowerBound <= 1_700_000 })
    #expect(link.stopped == 0 && link.requested.count < 60)
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
    let position = link.machine.available.end(from: 0)
    link.act { $0.read(reader, at: position, count: 1, now: $1).1 }
    link.run(for: away)
    // What was asked for and what was on its way is lost; only a new request brings anything.
    link.isHole = false
    let lost = link.machine.fetches.keys
    link.lose(lost)
    var more = 0
    while !link.machine.available.contains(position..<(position + 1)), more < 10_000 {
      link.step()
      more += 1
    }
    #expect(more <= 3_000 + 400, "\(more) ms")
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
        link.act { $0.ended(id, .passing(.unavailable(status: 503, "later")), random: 1, now: $1) }
      }
    }
    #expect((3...10).contains(link.anew), "\(link.anew) rivals in 20 s")
    #expect(link.machine.failure == nil)
    while !link.machine.fetches.values.contains(where: { $0.isRival }) { link.step() }
    for (id, fetch) in link.machine.fetches where fetch.isRival {
      link.act { $0.ended(id, .final(.notAllowed(status: 403, "no")), random: 1, now: $1) }
    }
    #expect(link.machine.failure == .final(.notAllowed(status: 403, "no")))
    #expect(link.machine.fetches.isEmpty)
  }

  @Test func `a download goes on beside a player that has enough`() throws {
    var link = farLink(20_000_000)
    link.act { $0.setReadAhead(.bytes(2_000_000), now: $1) }
    let (player, actions) = link.machine.add(.play, 0..<20_000_000, now: .zero)
    link.carryOut(actions)
    link.run(for: 2_000)
    link.act { $0.add(.preload, 0..<20_000_000, now: $1).1 }
    // It takes a little at a time, so that its window is never quite full.
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
    // It takes a little now and then: nothing is asked for by the spoonful.
    let before = link.requested.count
    for position in stride(from: UInt64(10_000), through: 200_000, by: 10_000) {
      link.act { $0.read(reader, at: position, count: 1, now: $1).1 }
      link.run(for: 50)
    }
    #expect(link.requested.count - before <= 4, "\(link.requested.count - before) requests")
    // And it never waits for what it could have.
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
