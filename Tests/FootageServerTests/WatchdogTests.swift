import FootageSystem
import Testing

@testable import FootageServer

@Suite struct WatchdogTests {
  private func at(_ seconds: UInt64) -> Deadline { Deadline(milliseconds: 1_000_000 + seconds * 1_000) }

  private func isDue(_ watchdog: inout Watchdog, _ now: Deadline) -> Bool { watchdog.isDue(at: now) }

  @Test func `it says that the server lives when every loop has answered, and not more often than is needed`() {
    var watchdog = Watchdog(patience: .seconds(60), loops: 2, at: at(0))
    #expect(isDue(&watchdog, at(0)) == false)
    watchdog.loopAnswered(0)
    #expect(isDue(&watchdog, at(1)) == false)
    watchdog.loopAnswered(1)
    #expect(isDue(&watchdog, at(1)) == true)
    for second in 2...10 {
      watchdog.loopAnswered(0)
      watchdog.loopAnswered(1)
      #expect(isDue(&watchdog, at(UInt64(second))) == false)
    }
    #expect(isDue(&watchdog, at(11)) == true)
  }

  @Test func `a loop that hangs is silence, until it goes on`() {
    var watchdog = Watchdog(patience: .seconds(60), loops: 2, at: at(0))
    watchdog.loopAnswered(0)
    watchdog.loopAnswered(1)
    #expect(isDue(&watchdog, at(0)) == true)
    for second in 1...200 {
      watchdog.loopAnswered(0)
      #expect(isDue(&watchdog, at(UInt64(second))) == false)
    }
    watchdog.loopAnswered(1)
    #expect(isDue(&watchdog, at(200)) == true)
  }

  @Test func `where the manager has little patience it is told three times in it`() {
    var watchdog = Watchdog(patience: .seconds(3), loops: 1, at: at(0))
    for second in 0...5 {
      watchdog.loopAnswered(0)
      #expect(isDue(&watchdog, at(UInt64(second))) == true)
    }
  }
}
