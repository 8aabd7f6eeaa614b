import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

@Suite struct EventLoopTests {
  @Test func `what comes up during a turn waits for that turn alone`() async throws {
    let loop = try EventLoop()
    try loop.start()
    defer { loop.stop() }
    let story = EventLog<String>()
    await Task(executorPreference: loop) {
      await withTaskGroup { group in
        for name in ["first", "second", "third"] {
          group.addTask(executorPreference: loop) {
            await loop.yield()
            story.append(name)
            if name == "first" { await Task(executorPreference: loop) { story.append("new") }.value }
          }
        }
      }
    }.value
    #expect(story.all == ["first", "new", "second", "third"])
  }

  @Test func `a timer is due at its moment and not before, once, and not at all where it was cancelled`() async throws {
    let time = MovableClock()
    let loop = try EventLoop(clock: time.clock)
    try loop.start()
    defer { loop.stop() }
    let story = EventLog<String>()
    await Task(executorPreference: loop) {
      let cancelled = loop.schedule(at: loop.clock.deadline(after: .seconds(5))) { story.append("cancelled") }
      _ = loop.schedule(at: loop.clock.deadline(after: .seconds(10))) { story.append("late") }
      _ = loop.schedule(at: loop.clock.deadline(after: .seconds(5))) {
        story.append("early")
        cancelled.cancel()
        _ = loop.schedule(at: loop.clock.now) { story.append("next") }
      }
      cancelled.cancel()
    }.value
    /// Lets the loop sleep for this number of seconds.
    func pass(_ seconds: Int) async {
      await Task(executorPreference: loop) {
        let moment = loop.clock.deadline(after: .seconds(seconds))
        async let slept: Void = loop.sleep(until: moment)
        time.advance(by: .seconds(seconds))
        await slept
        await loop.yield()
        await loop.yield()
      }.value
    }
    await pass(4)
    #expect(story.all.isEmpty)
    await pass(1)
    #expect(story.all == ["early", "next"])
    await pass(100)
    #expect(story.all == ["early", "next", "late"])
  }
}
