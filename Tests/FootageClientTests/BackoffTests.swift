/// How long is waited before something is tried again.
import Testing

@testable import FootageCore
@testable import FootageLoopback
@testable import FootageOpenSSL

@Suite struct BackoffTests {
  @Test func `pauses double up to the longest, and end`() {
    let policy = RetryPolicy(retries: 6, base: .milliseconds(100), maximum: .seconds(1))
    var backoff = Backoff(policy)
    let pauses = (0..<8).map { _ in backoff.pause(random: { $0.upperBound }) }
    let milliseconds = [100, 200, 400, 800, 1000, 1000].map { Duration?.some(.milliseconds($0)) }
    #expect(pauses == milliseconds + [nil, nil])
  }

  @Test func `they are spread between half and all of it`() {
    var backoff = Backoff(RetryPolicy(retries: 3, base: .milliseconds(100), maximum: .seconds(1)))
    var asked: [ClosedRange<Double>] = []
    let pause = backoff.pause { range in
      asked.append(range)
      return range.lowerBound
    }
    #expect(asked == [0.5...1])
    #expect(pause == .milliseconds(50))
  }

  @Test func `the robot's own wish counts, up to the longest`() {
    var backoff = Backoff(RetryPolicy(retries: 3, base: .milliseconds(100), maximum: .seconds(5)))
    #expect(backoff.pause(retryAfter: .seconds(2), random: { $0.upperBound }) == .seconds(2))
    #expect(backoff.pause(retryAfter: .seconds(100), random: { $0.upperBound }) == .seconds(5))
  }
}
