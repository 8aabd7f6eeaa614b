/// The pause before an attempt is repeated.
import FootageBase
import Testing

@Suite struct BackoffTests {
  @Test func `pauses double up to the longest, and begin again with a success`() {
    var backoff = Backoff(from: .milliseconds(100), upTo: .seconds(1))
    #expect(backoff.pause == .zero && backoff.pause(random: 1) == .zero)
    let pauses = (0..<6).map { _ in
      backoff.failed()
      return backoff.pause
    }
    #expect(pauses == [100, 200, 400, 800, 1000, 1000].map { Duration.milliseconds($0) })
    #expect(backoff.failures == 6)
    backoff.succeeded()
    #expect(backoff.failures == 0 && backoff.pause == .zero)
    backoff.failed()
    #expect(backoff.pause == .milliseconds(100))
  }

  @Test func `a million failures are no trap`() {
    var backoff = Backoff(from: .seconds(1), upTo: .seconds(60))
    for _ in 0..<1_000_000 { backoff.failed() }
    #expect(backoff.pause == .seconds(60))
  }

  @Test func `of many who fail together they are spread between half and all of it`() {
    var backoff = Backoff(from: .milliseconds(100), upTo: .seconds(1))
    backoff.failed()
    for (random, pause) in [(0, 50), (0.5, 75), (1, 100)] as [(Double, Int)] {
      #expect(backoff.pause(random: random) == .milliseconds(pause))
    }
  }

  @Test func `they are shorter while somebody waits`() {
    var backoff = Backoff(from: .milliseconds(100), upTo: .seconds(10))
    let pauses = (0..<4).map { _ in
      backoff.failed()
      return backoff.pause(atMost: .milliseconds(300), random: 1)
    }
    #expect(pauses == [100, 200, 300, 300].map { Duration.milliseconds($0) })
    #expect(backoff.pause(atMost: .seconds(100), random: 1) == .milliseconds(800))
  }

  @Test func `the robot's own wish counts, up to the longest`() {
    var backoff = Backoff(from: .milliseconds(100), upTo: .seconds(5))
    backoff.failed()
    #expect(backoff.pause(retryAfter: .seconds(2), random: 1) == .seconds(2))
    #expect(backoff.pause(retryAfter: .seconds(100), random: 1) == .seconds(5))
  }
}
