import LinuxTestSupport
import Testing

@testable import FootageServing

@Suite struct PacingScheduleTests {
  /// Returns true if the bytes of ten seconds are within a twentieth of a rate.
  private func isWithinTwentieth(_ byteCount: Int, ofBits rate: UInt64) -> Bool {
    let expected = Double(rate) / 8 * 10
    return (expected * 0.95...expected * 1.05).contains(Double(byteCount))
  }

  @Test(
    arguments: [100_000, 512_000, 8_000_000, 100_000_000, 1_000_000_000] as [UInt64],
    [(1, 1), (1, 6), (12, 2)])
  func `over any ten seconds the rate in all is kept to a twentieth`(
    rate: UInt64, crowd: (viewers: Int, connections: Int)
  ) throws {
    var link = try PacedLink(total: rate)
    for viewer in 0..<crowd.viewers { link.connect("\(viewer)", .greedy, count: crowd.connections) }
    link.run(for: 23)
    for sum in link.tenSeconds() { #expect(isWithinTwentieth(sum, ofBits: rate), "\(sum)") }
  }

  @Test(arguments: [100_000, 8_000_000] as [UInt64])
  func `probes, lists and pictures beside it do not make it more`(rate: UInt64) throws {
    var link = try PacedLink(total: rate)
    link.connect("film", .greedy)
    for viewer in 0..<10 {
      link.connect("\(viewer)", .small(byteCount: 514, everyMilliseconds: 100))
      link.connect("\(viewer)", .small(byteCount: 60_000, everyMilliseconds: 500))
    }
    link.run(for: 23)
    for sum in link.tenSeconds() { #expect(isWithinTwentieth(sum, ofBits: rate), "\(sum)") }
  }

  @Test func `a rate that was not used is not made up for`() throws {
    var link = try PacedLink(total: 8_000_000)
    link.connect("early", .greedy)
    link.run(for: 1)
    link.disconnect("early")
    link.run(for: 60)
    link.connect("late", .greedy)
    link.run(for: 23)
    for sum in link.tenSeconds(of: "late") { #expect(sum <= 10_500_000, "\(sum)") }
  }

  @Test func `six connections of a viewer get no more than the one of another`() throws {
    var link = try PacedLink(total: 8_000_000)
    link.connect("many", .greedy, count: 6)
    link.connect("one", .greedy)
    link.run(for: 20)
    let ratio = Double(link.byteCount(of: "many")) / Double(link.byteCount(of: "one"))
    #expect((0.97...1.03).contains(ratio), "\(ratio)")
  }

  @Test func `what a slow viewer leaves goes to the others, and it gets what it can take`() throws {
    var link = try PacedLink(total: 8_000_000)
    link.connect("slow", .slow(bytesPerSecond: 100_000))
    link.connect("a", .greedy, count: 3)
    link.connect("b", .greedy)
    link.run(for: 20)
    for sum in link.tenSeconds() { #expect(isWithinTwentieth(sum, ofBits: 8_000_000), "\(sum)") }
    #expect(link.byteCount(of: "slow") > 1_750_000)
    let ratio = Double(link.byteCount(of: "a")) / Double(link.byteCount(of: "b"))
    #expect((0.97...1.03).contains(ratio), "\(ratio)")
  }

  @Test func `who was slow for a minute has saved nothing up`() throws {
    var link = try PacedLink(total: 8_000_000, perViewer: 4_000_000)
    link.connect("a", .greedy)
    link.run(for: 60)
    for viewer in ["b", "c", "d"] { link.connect(viewer, .greedy) }
    let since = link.now
    link.run(for: 10)
    for viewer in ["a", "b", "c", "d"] {
      #expect((2_300_000...2_800_000).contains(link.byteCount(of: viewer, since: since)), "\(viewer)")
    }
  }

  @Test(arguments: [nil, 8_000_000] as [UInt64?])
  func `each viewer has its rate, and no more by connecting often`(total: UInt64?) throws {
    var link = try PacedLink(total: total, perViewer: 1_000_000)
    link.connect("many", .greedy, count: 6)
    link.connect("one", .greedy)
    for _ in 0..<24 {
      link.connect("again", .greedy)
      link.run(for: 1)
      link.disconnect("again")
    }
    for viewer in ["many", "one", "again"] {
      for sum in link.tenSeconds(of: viewer) {
        #expect(isWithinTwentieth(sum, ofBits: 1_000_000), "\(viewer): \(sum)")
      }
    }
  }

  @Test func `a small answer passes at once while downloads take the whole rate`() throws {
    var link = try PacedLink(total: 8_000_000)
    for viewer in ["a", "b", "c"] { link.connect(viewer, .greedy, count: 4) }
    link.connect("a", .small(byteCount: 514, everyMilliseconds: 50))
    link.connect("page", .small(byteCount: 60_000, everyMilliseconds: 1_000))
    link.run(for: 20)
    #expect(link.smallAnswers.count > 300)
    // This allows for the loop's lateness, but not for a queue.
    #expect(link.smallAnswers.allSatisfy { $0 <= 10 }, "\(link.smallAnswers.max() ?? 0) ms")
  }

  /// An answer of 12 kB takes the whole rate for a second.
  @Test func `where the rate is less than a small answer, that gets most of it`() throws {
    var link = try PacedLink(total: 100_000)
    link.connect("film", .greedy, count: 4)
    link.connect("page", .small(byteCount: 12_000, everyMilliseconds: 5_000))
    link.run(for: 30)
    #expect(link.smallAnswers.allSatisfy { $0 <= 2_200 }, "\(link.smallAnswers)")
  }

  @Test func `nothing but small answers gets a viewer no more than its share`() throws {
    var link = try PacedLink(total: 8_000_000)
    link.connect("film", .greedy)
    link.connect("ranges", .small(byteCount: 65_536, everyMilliseconds: 0), count: 6)
    link.run(for: 20)
    let share = Double(link.byteCount(of: "film")) / Double(20_000_000)
    #expect((0.48...0.52).contains(share), "\(share)")
  }

  @Test func `a hundred kilobits arrive smoothly`() throws {
    var link = try PacedLink(total: 100_000)
    link.connect("one", .greedy)
    link.run(for: 10)
    #expect(link.longestPause(of: "one") <= 110)
  }

  @Test func `viewers that have gone are forgotten, once they owe nothing`() throws {
    let limits = try #require(PacingLimits(total: nil, perViewer: BitRate(bitsPerSecond: 100_000)))
    var schedule = PacingSchedule<Int>(limits, at: 0)
    var now: UInt64 = 0
    for viewer in 0..<10_000 {
      schedule.join(viewer, at: now)
      let ticket = schedule.ask(for: 1_200, by: viewer, isSmall: true)
      #expect(schedule.grant(at: now) == [ticket])
      schedule.leave(viewer, at: now)
      now += 10_000_000
      #expect(schedule.viewerCount <= 100)
    }
  }

  @Test func `a turn that was cancelled is not granted, and holds nobody up`() throws {
    let limits = try #require(PacingLimits(total: BitRate(bitsPerSecond: 8_000_000), perViewer: nil))
    var schedule = PacingSchedule<String>(limits, at: 0)
    for viewer in ["a", "b"] { schedule.join(viewer, at: 0) }
    let first = schedule.ask(for: 20_000, by: "a", isSmall: false)
    let second = schedule.ask(for: 20_000, by: "a", isSmall: false)
    let third = schedule.ask(for: 20_000, by: "b", isSmall: false)
    schedule.cancel(first)
    schedule.cancel(first)
    #expect(schedule.grant(at: 0) == [second])
    #expect(schedule.nextGrant() == 20_000_000)
    #expect(schedule.grant(at: 20_000_000) == [third])
    #expect(schedule.nextGrant() == nil)
  }

  @Test func `what was not sent costs a viewer no place in line`() throws {
    let limits = try #require(PacingLimits(total: BitRate(bitsPerSecond: 8_000_000), perViewer: nil))
    var schedule = PacingSchedule<String>(limits, at: 0)
    for viewer in ["a", "b"] { schedule.join(viewer, at: 0) }
    _ = schedule.ask(for: 20_000, by: "a", isSmall: false)
    _ = schedule.grant(at: 0)
    schedule.settle(20_000, sent: 0, by: "a", at: 0)
    let (first, second) = (
      schedule.ask(for: 20_000, by: "a", isSmall: false), schedule.ask(for: 20_000, by: "b", isSmall: false)
    )
    #expect(schedule.grant(at: 1_000_000_000) == [first, second])
  }

  @Test func `what was not sent is given back`() throws {
    let limits = try #require(PacingLimits(total: BitRate(bitsPerSecond: 8_000_000), perViewer: nil))
    var schedule = PacingSchedule<String>(limits, at: 0)
    schedule.join("a", at: 0)
    _ = schedule.ask(for: 20_000, by: "a", isSmall: false)
    _ = schedule.grant(at: 0)
    schedule.settle(20_000, sent: 1_000, by: "a", at: 0)
    _ = schedule.ask(for: 20_000, by: "a", isSmall: false)
    #expect(schedule.nextGrant() == 1_000_000)
  }
}
