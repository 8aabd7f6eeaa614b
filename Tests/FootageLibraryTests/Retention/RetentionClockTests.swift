import Testing

@testable import FootageLibrary

/// The conditions under which ages in days are meaningful.
@Suite struct RetentionClockTests {
  private static let built = RetentionScene.now - 30 * .day
  private static let now = RetentionScene.now

  private final class Run {
    var clock: RetentionClock
    var uptime: Int64 = .hour

    init(_ record: RetentionClock.Record? = nil) { clock = RetentionClock(earliest: built, record: record) }

    /// Looks at the clock; `after` is the time since the previous look by the monotonic clock.
    func look(_ wall: Int64, after: Int64 = 0) -> Bool {
      uptime += after
      clock.look(wall: wall, uptime: uptime)
      return clock.agesCount(wall: wall, uptime: uptime)
    }
  }

  @Test func `a clock that is right counts from its first look`() {
    let run = Run()
    #expect(run.look(Self.now) && run.look(Self.now + .hour, after: .hour))
    #expect(run.look(Self.now + 60 * .day, after: 60 * .day - .hour))
  }

  @Test func `a clock that is not set does not count, nor for a day after it was set`() {
    let run = Run()
    #expect(!run.look(.hour) && !run.look(.hour + .minute, after: .minute))
    #expect(!run.look(Self.now, after: .minute))
    #expect(!run.look(Self.now + .day - .minute, after: .day - .minute))
    #expect(run.look(Self.now + .day, after: .minute))
  }

  @Test(arguments: [2 * Int64.day, -2 * .day, 3_650 * .day])
  func `a jump of more than a day is waited for, back or forth`(jump: Int64) {
    let run = Run()
    #expect(run.look(Self.now))
    #expect(!run.look(Self.now + jump, after: .second))
    #expect(!run.look(Self.now + jump + 23 * .hour, after: 23 * .hour))
    #expect(run.look(Self.now + jump + .day, after: .hour))
  }

  @Test func `a jump of less is none, but many of them are one`() {
    let run = Run()
    #expect(run.look(Self.now) && run.look(Self.now + 23 * .hour, after: .second))
    #expect(!run.look(Self.now + 46 * .hour, after: .second))
  }

  @Test(arguments: [
    (Int64.hour, true), (Int64.hour * 23, true), (Int64.hour * 25, false), (Int64.hour * -25, false),
    (Int64.day * 3_650, false),
  ])
  func `a jump between two runs counts as one within`(since: Int64, counts: Bool) {
    let run = Run(RetentionClock.Record(wall: Self.now, held: 0))
    #expect(run.look(Self.now + since) == counts)
    #expect(run.look(Self.now + since + .day, after: .day))
  }

  @Test func `a robot that boots in 1970 and is told the time has not jumped since its last run`() {
    let run = Run(RetentionClock.Record(wall: Self.now, held: 0))
    #expect(!run.look(.minute))
    #expect(run.look(Self.now + .hour, after: .minute))
  }

  @Test func `what is left of a day's wait is waited for after a restart`() throws {
    let first = Run()
    #expect(first.look(Self.now) && !first.look(Self.now + 9 * .day, after: .second))
    #expect(!first.look(Self.now + 9 * .day + 10 * .hour, after: 10 * .hour))
    let record = try #require(first.clock.record(wall: Self.now + 9 * .day + 10 * .hour, uptime: first.uptime))
    #expect(record.held == 14 * .hour)
    #expect(RetentionClock.Record(text: record.text) == record)
    let second = Run(record)
    #expect(!second.look(record.wall + .hour))
    #expect(!second.look(record.wall + 13 * .hour, after: 12 * .hour))
    #expect(second.look(record.wall + 14 * .hour, after: .hour))
  }

  @Test(arguments: ["", "clock", "clock 1", "clock x 1", "clock 1 -1", "clock 1 99999999999999999", "watch 1 1"])
  func `a record that makes no sense is none`(text: String) {
    #expect(RetentionClock.Record(text: text) == nil)
    #expect(RetentionRecord(text: text + "\nkeep-free 7\nlater 1 2 3\n") == RetentionRecord(clock: nil, keptFree: 7))
  }

  @Test func `while the clock is not set there is nothing to be told of it`() {
    let run = Run()
    _ = run.look(.hour)
    #expect(run.clock.record(wall: .hour, uptime: run.uptime) == nil)
  }
}
