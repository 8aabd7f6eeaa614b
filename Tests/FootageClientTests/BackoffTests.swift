/// How long is waited before something is tried again.
import Testing

@testable import FootageCore

@Suite struct BackoffTests {
  @Test func `pauses double up to the longest, and begin again with a byte`() {
    var backoff = Backoff(base: .milliseconds(100), maximum: .seconds(1))
    let pauses = (0..<6).map { _ in backoff.pause(random: 1) }
    #expect(pauses == [100, 200, 400, 800, 1000, 1000].map { Duration.milliseconds($0) })
    #expect(backoff.failureCount == 6)
    backoff.progress()
    #expect(backoff.pause(random: 1) == .milliseconds(100))
  }

  @Test func `they are spread between half and all of it`() {
    let backoff = Backoff(base: .milliseconds(100), maximum: .seconds(1))
    for (random, pause) in [(0, 50), (0.5, 75), (1, 100)] as [(Double, Int)] {
      var backoff = backoff
      #expect(backoff.pause(random: random) == .milliseconds(pause))
    }
  }

  @Test func `they are shorter while somebody waits`() {
    var backoff = Backoff(base: .milliseconds(100), maximum: .seconds(10))
    let pauses = (0..<4).map { _ in backoff.pause(atMost: .milliseconds(300), random: 1) }
    #expect(pauses == [100, 200, 300, 300].map { Duration.milliseconds($0) })
    #expect(backoff.pause(atMost: .seconds(100), random: 1) == .milliseconds(1600))
  }

  @Test func `the robot's own wish counts, up to the longest`() {
    var backoff = Backoff(base: .milliseconds(100), maximum: .seconds(5))
    #expect(backoff.pause(retryAfter: .seconds(2), random: 1) == .seconds(2))
    #expect(backoff.pause(retryAfter: .seconds(100), random: 1) == .seconds(5))
  }
}
