/// The decisions, without tasks, disks or a clock.

import FootageBase
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageCore

@Suite struct VersionStateMachineTests {
  private func machine(_ durable: [Range<UInt64>] = [], length: UInt64 = 1000) -> VersionStateMachine {
    VersionStateMachine(length: length, durable: RangeSet(durable), limits: .small)
  }

  private func starts(_ actions: [VersionStateMachine.Action]) -> [Range<UInt64>] {
    actions.compactMap { if case .start(_, let range, _) = $0 { range } else { nil } }
  }

  private func stops(_ actions: [VersionStateMachine.Action]) -> Int {
    actions.count { if case .stop = $0 { true } else { false } }
  }

  @Test(
    arguments: [
      // A range near a running fetch waits for it; a more distant one has its own request at once.
      (16, []), (17, [17..<1000]), (500, [500..<1000]),
    ] as [(UInt64, [Range<UInt64>])])
  func `a seek waits for what is about to come, and asks for what is not`(
    _ offset: UInt64, _ expected: [Range<UInt64>]
  ) {
    var machine = machine()
    #expect(starts(machine.add(.play, 0..<1000, now: .zero).1) == [0..<1000])
    #expect(starts(machine.add(.play, offset..<1000, now: .zero).1) == expected)
    #expect(machine.fetches.count == 1 + expected.count)
  }

  @Test func `a request ends where the next cached bytes begin, slivers aside`() {
    var machine = machine([100..<107, 300..<400])
    #expect(starts(machine.add(.play, 0..<1000, now: .zero).1) == [0..<300])
  }

  @Test func `a request takes no more than its turn, and the next one goes on where it ends`() throws {
    var limits = MediaCacheLimits.small
    limits.requestBytes = 400
    var machine = VersionStateMachine(length: 1000, durable: RangeSet(), limits: limits)
    let (_, actions) = machine.add(.play, 0..<1000, now: .zero)
    #expect(starts(actions) == [0..<400])
    for (count, next) in [(300, []), (100, [400..<800]), (400, [800..<1000]), (200, [])] as [(Int, [Range<UInt64>])] {
      let id = try #require(machine.fetches.keys.first)
      let range = try #require(machine.arrived(id, count: count)?.range)
      #expect(starts(machine.stored(id, range, now: .zero)) == next)
    }
    #expect(machine.fetches.isEmpty)
  }

  @Test func `background waits while anybody plays what is not here`() {
    var machine = machine()
    _ = machine.add(.fill, 0..<1000, now: .zero)
    let (preload, actions) = machine.add(.preload, 0..<500, now: .zero)
    #expect(starts(actions) == [0..<500] && stops(actions) == 1)
    let (player, more) = machine.add(.play, 700..<1000, now: .zero)
    #expect(starts(more) == [700..<1000] && stops(more) == 1)
    #expect(starts(machine.remove(player, now: .zero)) == [0..<500])
    #expect(starts(machine.remove(preload, now: .zero)) == [0..<1000])
  }

  @Test func `no more requests than the limit run, and those who wait longest have them`() {
    var machine = machine()
    let readers = (0..<8).map { index in machine.add(.play, UInt64(index) * 100..<1000, now: .zero).0 }
    #expect(machine.fetches.count == 6)
    for (index, reader) in readers.enumerated().reversed() {
      _ = machine.read(reader, at: UInt64(index) * 100, count: 10, now: .seconds(10 - index))
    }
    #expect(machine.fetches.count == 6)
    #expect(Set(machine.fetches.values.map(\.position)) == [200, 300, 400, 500, 600, 700])
  }

  @Test func `pauses between tries grow, with jitter, up to their limit`() {
    var limits = MediaCacheLimits()
    limits.giveUp = .seconds(1000)
    var machine = VersionStateMachine(length: 1000, durable: RangeSet(), limits: limits)
    _ = machine.add(.play, 0..<1000, now: .zero)
    var pauses: [Duration] = []
    var now = Duration.zero
    for attempt in 1...8 {
      let id = machine.fetches.keys.first ?? 0
      _ = machine.ended(id, .passing(.unreachable("reset")), random: attempt == 8 ? 0 : 1, now: now)
      #expect(machine.outage?.attempt == attempt && machine.fetches.isEmpty)
      let due = machine.outage?.due ?? .zero
      pauses.append(due - now)
      // Nothing starts before its time, and then it does.
      #expect(starts(machine.tick(random: 1, now: now)).isEmpty)
      #expect(starts(machine.tick(random: 1, now: due)) == [0..<1000])
      now = due
    }
    #expect(pauses == [250, 500, 1000, 2000, 4000, 8000, 10_000, 5_000].map { .milliseconds($0) })
  }

  @Test func `while a player waits, no pause is longer than two seconds`() {
    var limits = MediaCacheLimits()
    limits.giveUp = .seconds(1000)
    var machine = VersionStateMachine(length: 1000, durable: RangeSet(), limits: limits)
    let (reader, _) = machine.add(.play, 0..<1000, now: .zero)
    _ = machine.read(reader, at: 0, count: 10, now: .zero)
    var now = Duration.zero
    var pauses: [Duration] = []
    for _ in 1...6 {
      _ = machine.ended(machine.fetches.keys.first ?? 0, .passing(.unreachable("reset")), random: 1, now: now)
      let due = machine.outage?.due ?? .zero
      pauses.append(due - now)
      _ = machine.tick(random: 1, now: due)
      now = due
    }
    #expect(pauses == [250, 500, 1000, 2000, 2000, 2000].map { .milliseconds($0) })
  }

  @Test func `requests that break off together are one failure`() {
    var limits = MediaCacheLimits()
    limits.lookAheadBytes = 0
    var machine = VersionStateMachine(length: 9_000_000, durable: RangeSet(), limits: limits)
    for index in 0..<6 { _ = machine.add(.play, UInt64(index) << 20..<9_000_000, now: .zero) }
    let running = machine.fetches.keys.sorted()
    #expect(running.count == 6)
    for id in running { _ = machine.ended(id, .passing(.unreachable("reset")), random: 1, now: .zero) }
    #expect(machine.outage?.attempt == 1 && machine.outage?.due == .milliseconds(250))
  }

  @Test func `a new player is a reason to try at once`() {
    var machine = VersionStateMachine(length: 1000, durable: RangeSet(), limits: MediaCacheLimits())
    let (_, actions) = machine.add(.play, 0..<1000, now: .zero)
    guard case .start(let id, _, _)? = actions.first else {
      Issue.record("nothing began")
      return
    }
    _ = machine.ended(id, .passing(.unreachable("reset")), random: 1, now: .zero)
    #expect(Set(starts(machine.add(.play, 600..<1000, now: .zero).1)) == [0..<600, 600..<1000])
  }

  @Test func `who waits for a robot that stays away is let go, and the next one tries again`() {
    var machine = machine()
    let (reader, _) = machine.add(.play, 0..<1000, now: .zero)
    #expect(machine.read(reader, at: 0, count: 1, now: .zero).0 == .wait)
    var actions = machine.ended(
      machine.fetches.keys.first ?? 0, .passing(.unreachable("refused")), random: 1, now: .zero)
    #expect(!actions.contains(.wake(reader)))
    actions = machine.ended(
      machine.fetches.keys.first ?? 0, .passing(.unreachable("refused")), random: 1, now: .seconds(31))
    #expect(actions.contains(.wake(reader)))
    #expect(machine.read(reader, at: 0, count: 1, now: .seconds(31)).0 == .fail(.passing(.unreachable("refused"))))
    #expect(machine.state(now: .seconds(31)).activity == .failed(.unreachable("refused")))
    #expect(starts(machine.add(.play, 0..<1000, now: .seconds(40)).1).isEmpty == false)
  }

  @Test func `that somebody else answers is undone by nothing that fails after it`() {
    let alarm = FetchFailure.final(
      .trust(TrustFailure(.otherKey, host: "robot.test:8443", seen: nil, expected: [])))
    var machine = machine()
    let (reader, _) = machine.add(.play, 0..<1000, now: .zero)
    _ = machine.read(reader, at: 0, count: 1, now: .zero)
    _ = machine.failed(alarm, random: 1, now: .zero)
    for later in [FetchFailure.passing(.unreachable("reset")), .replaced(.replaced(name: "x")), .final(.cancelled)] {
      _ = machine.failed(later, random: 1, now: .seconds(1))
      _ = machine.tick(random: 1, now: .seconds(200))
      #expect(machine.failure == alarm && machine.outage == nil)
    }
    #expect(starts(machine.add(.play, 0..<1000, now: .seconds(300)).1).isEmpty)
    machine.openedAnew()
    #expect(starts(machine.add(.play, 0..<1000, now: .seconds(300)).1) == [0..<1000])
  }

  @Test func `patience runs while somebody waits, and who was let go tries again with the next read`() throws {
    var machine = machine()
    let (first, _) = machine.add(.play, 0..<1000, now: .zero)
    _ = machine.ended(
      try #require(machine.fetches.keys.first), .passing(.unreachable("refused")), random: 1, now: .zero)
    _ = machine.remove(first, now: .seconds(1))
    // A minute later the robot is there, and has a moment to answer.
    let (second, _) = machine.add(.play, 0..<1000, now: .seconds(70))
    #expect(machine.read(second, at: 0, count: 1, now: .seconds(70)).0 == .wait)
    _ = machine.tick(random: 1, now: .seconds(71))
    #expect(machine.failure == nil && machine.isWaiting(second))
    // No reader waits, so none gives up.
    let (paused, _) = machine.add(.play, 500..<1000, now: .seconds(71))
    _ = machine.remove(second, now: .seconds(71))
    _ = machine.failed(.passing(.unreachable("refused")), random: 1, now: .seconds(72))
    _ = machine.tick(random: 1, now: .seconds(500))
    #expect(machine.failure == nil)
    // A reader that has waited that long gives up, gets the error once, and tries again.
    #expect(machine.read(paused, at: 500, count: 1, now: .seconds(500)).0 == .wait)
    _ = machine.failed(.passing(.unreachable("refused")), random: 1, now: .seconds(501))
    _ = machine.tick(random: 1, now: .seconds(531))
    guard case .fail(.passing) = machine.read(paused, at: 500, count: 1, now: .seconds(531)).0 else {
      Issue.record("it was not told: \(String(describing: machine.failure))")
      return
    }
    #expect(machine.read(paused, at: 500, count: 1, now: .seconds(532)).0 == .wait)
    #expect(machine.failure == nil && !machine.fetches.isEmpty)
  }

  @Test func `what was given up while bytes were written is not there`() {
    var machine = machine()
    _ = machine.add(.play, 0..<1000, now: .zero)
    let id = machine.fetches.keys.first ?? 0
    _ = machine.stored(id, 0..<50, written: [20..<50], now: .zero)
    #expect(machine.available.ranges == [20..<50])
  }

  @Test func `nothing is claimed that was not synced`() {
    var machine = machine()
    _ = machine.add(.play, 0..<1000, now: .zero)
    let id = machine.fetches.keys.first ?? 0
    _ = machine.stored(id, 0..<50, now: .zero)
    #expect(machine.available.ranges == [0..<50] && machine.durable.isEmpty)
    #expect(machine.beginCommit().ranges == [0..<50])
    _ = machine.stored(id, 50..<60, now: .zero)
    #expect(machine.beginCommit().isEmpty)
    _ = machine.committed(now: .zero)
    #expect(machine.durable.ranges == [0..<50])
    #expect(machine.beginCommit().ranges == [50..<60])
    _ = machine.syncFailed("EIO", now: .zero)
    #expect(machine.available.ranges == [0..<50] && machine.durable.ranges == [0..<50])
    // A write that ended at that moment may be lost with the sync.
    _ = machine.stored(id, 60..<70, now: .zero)
    #expect(machine.available.ranges == [0..<50])
  }

  /// Compares the machine with a model: a set of bytes, and readers that want the rest.
  @Test func `every reader is served, no byte is fetched twice but for slivers, and requests end with their readers`() {
    for seed in UInt64(0)..<10_000 {
      var random = SeededGenerator(seed: seed)
      var machine = machine(length: 300)
      var readers: [UInt64: Range<UInt64>] = [:]
      var fetched = 0
      var requests: [UInt64: Range<UInt64>] = [:]
      func carryOut(_ actions: [VersionStateMachine.Action]) {
        for action in actions {
          switch action {
          case .start(let id, let range, _):
            requests[id] = range
            check(!machine.available.contains(range.lowerBound..<(range.lowerBound + 1)), "seed \(seed)")
          case .stop(let id): requests[id] = nil
          case .wake(let id): check(!machine.isWaiting(id), "seed \(seed)")
          case .commit:
            if !machine.beginCommit().isEmpty { carryOut(machine.committed(now: .zero)) }
          }
        }
      }
      for _ in 0..<60 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
          let start = UInt64.random(in: 0..<300, using: &random)
          let range = start..<UInt64.random(in: start + 1...300, using: &random)
          let use = [FetchPriority.play, .play, .preload, .fill].randomElement(using: &random) ?? .play
          let (id, actions) = machine.add(use, range, now: .zero)
          readers[id] = range
          carryOut(actions)
        case 2:
          if let id = readers.keys.sorted().randomElement(using: &random) {
            readers[id] = nil
            carryOut(machine.remove(id, now: .zero))
          }
        case 3, 4:
          if let (id, range) = readers.sorted(by: { $0.key < $1.key }).randomElement(using: &random) {
            let offset = UInt64.random(in: range, using: &random)
            let (decision, actions) = machine.read(id, at: offset, count: 10, now: .zero)
            if case .local(let local) = decision {
              check(machine.available.contains(local) && local.lowerBound == offset, "seed \(seed)")
            }
            carryOut(actions)
          }
        default:
          guard let id = requests.keys.sorted().randomElement(using: &random) else { continue }
          guard let arrival = machine.arrived(id, count: Int.random(in: 1...40, using: &random)) else {
            requests[id] = nil
            continue
          }
          fetched += Int(arrival.range.upperBound - arrival.range.lowerBound)
          carryOut(machine.stored(id, arrival.range, now: .zero))
          if Int.random(in: 0..<12, using: &random) == 0 {
            requests[id] = nil
            carryOut(machine.ended(id, .passing(.unreachable("cut")), random: 0, now: .zero))
          }
        }
      }
      // Without further events, everything that a reader wants arrives.
      var steps = 0
      while let id = machine.fetches.keys.min(), steps < 2_000 {
        steps += 1
        guard let arrival = machine.arrived(id, count: 20) else { break }
        fetched += Int(arrival.range.upperBound - arrival.range.lowerBound)
        carryOut(machine.stored(id, arrival.range, now: .zero))
      }
      carryOut(machine.tick(random: 0, now: .seconds(1)))
      check(machine.fetches.isEmpty, "seed \(seed)")
      for (id, range) in readers {
        let position = machine.readers[id]?.position ?? range.lowerBound
        check(machine.available.contains(position..<range.upperBound), "seed \(seed): \(range)")
        check(!machine.isWaiting(id), "seed \(seed)")
      }
      // Slivers are shorter than 8 bytes, with at most one between two of at most 300 / 8 holes.
      check(fetched <= Int(machine.available.byteCount) + 300, "seed \(seed)")
    }
  }
}
