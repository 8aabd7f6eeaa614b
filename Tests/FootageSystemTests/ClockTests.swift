import Synchronization
import FootageSystem
import TestSupport
import Testing

@Suite struct ClockTests {
  @Test func `a clock that stands still moves by as much as it is moved`() {
    let movable = MovableClock(unixSeconds: 1_000)
    let clock = movable.clock
    let (start, uptime) = (clock.now, clock.uptimeNanoseconds)
    let stopwatch = Stopwatch(clock)
    #expect(clock.now == start && clock.unixSeconds == 1_000)
    movable.advance(by: .milliseconds(2_500))
    #expect(clock.elapsed(since: start) == .milliseconds(2_500) && stopwatch.elapsed == .milliseconds(2_500))
    #expect(clock.uptimeNanoseconds - uptime == 2_500_000_000)
    #expect(clock.unixNanoseconds == 1_002_500_000_000)
    #expect(clock.deadline(after: .seconds(1)).duration(since: start) == .milliseconds(3_500))
    // A change of the time of day does not advance the clock.
    movable.setTimeOfDay(by: .seconds(-100))
    #expect(clock.unixSeconds == 902 && clock.elapsed(since: start) == .milliseconds(2_500))
  }

  @Test func `a clock that runs is ahead of the system's by as much as it was moved`() {
    let movable = MovableClock(ahead: .seconds(3_600))
    movable.advance(by: .seconds(60))
    let before = Clock.system
    let (now, uptime, unix) = (before.now, before.uptimeNanoseconds, before.unixNanoseconds)
    #expect(movable.clock.now.duration(since: now) >= .seconds(3_660))
    #expect(movable.clock.uptimeNanoseconds - uptime >= 3_660_000_000_000)
    #expect(movable.clock.unixNanoseconds - unix >= 3_660_000_000_000)
  }

  @Test(.timeLimit(.minutes(1)))
  func `whoever sleeps by a clock wakes when it was moved far enough, or when cancelled`()
    async throws
  {
    let movable = MovableClock()
    let clock = movable.clock
    let start = clock.uptime
    try await clock.sleep(for: .zero)
    let woken = EventLog<Int>()
    let sleepers = [1, 2, 3_600].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        woken.append(seconds)
      }
    }
    // Until all of them sleep, a move may come too early for one.
    while woken.all.count < 2 {
      movable.advance(by: .milliseconds(100))
      await Task.yield()
    }
    #expect(clock.uptime - start >= .seconds(2))
    #expect(Set(woken.all) == [1, 2])
    sleepers[2].cancel()
    await #expect(throws: CancellationError.self) { try await sleepers[2].value }
    await #expect(throws: CancellationError.self) {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
  }

  @Test func `whoever waits for a moment that nobody brings is told of each move`() {
    let movable = MovableClock()
    let count = Atomic(0)
    movable.clock.whenMoved { count.add(1, ordering: .relaxed) }
    #expect(movable.clock.patience(until: movable.clock.deadline(after: .seconds(1))) == -1)
    movable.advance(by: .seconds(1))
    movable.advance(by: .seconds(1))
    let moves = count.load(ordering: .relaxed)
    #expect(moves == 2)
    #expect(Clock.system.patience(until: .never) == -1)
    #expect(Clock.system.patience(until: Clock.system.now) == 0)
  }
}
