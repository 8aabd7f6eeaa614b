/// The decision whether a player that is fed plays or waits.
import FootageCore
import Testing

@Suite struct BufferingPolicyTests {
  /// Returns the state of a recording of 100 seconds with 1 kB each.
  private static func state(
    _ cached: [Range<Double>]?, _ activity: PlaybackState.Activity = .loading, rate: Double = 0,
    cachedBytes: UInt64 = 0, isComplete: Bool = false
  ) -> PlaybackState {
    PlaybackState(
      activity: activity, cachedBytes: cachedBytes > 0 ? [0..<cachedBytes] : [], cachedSeconds: cached,
      length: 100_000, duration: cached == nil ? nil : 100, bytesPerSecond: rate, isComplete: isComplete)
  }

  private static let away = RobotError.unreachable("it is switched off")

  @Test(
    arguments: [
      ([0..<10], 0, 10), ([0..<10], 4.5, 5.5), ([0..<10], -1, 10), ([0..<10], 10, 0), ([0..<10, 20..<30], 15, 0),
      ([0..<10, 20..<30], 20, 10), ([], 0, 0), (nil, 0, nil),
    ] as [([Range<Double>]?, Double, Double?)])
  func `what is ahead ends at the first gap`(cached: [Range<Double>]?, position: Double, seconds: Double?) {
    #expect(Self.state(cached).bufferedSeconds(from: position) == seconds)
  }

  @Test(
    arguments: [
      ([0..<100], 0, true), ([50..<100], 50, true), ([50..<100], 49, false), ([0..<99], 0, false), ([], 100, true),
      (nil, 0, false),
    ] as [([Range<Double>]?, Double, Bool)])
  func `what is here to the end plays to the end`(cached: [Range<Double>]?, position: Double, isEnough: Bool) {
    #expect(Self.state(cached).isBufferedToEnd(from: position) == isEnough)
  }

  @Test(
    arguments: [
      // At the start, two seconds are enough.
      (.starting, [0..<1], .loading, .starting),
      (.starting, [0..<2], .loading, .playing),
      (.starting, [0..<2], .stalled, .playing),
      (.starting, [], .idle, .starting),
      // A player with a little left is not stopped.
      (.playing, [0..<1], .loading, .playing),
      (.playing, [0..<1], .retrying(away, attempt: 1), .playing),
      (.playing, [0..<0.25], .loading, .playing),
      // With nothing left it stops, whatever the fetch is doing.
      (.playing, [0..<0.2], .loading, dry),
      (.playing, [5..<9], .loading, dry),
      (.playing, [0..<0.2], .failed(away), dry),
      // Then it waits for five seconds.
      (dry, [0..<4.9], .loading, dry),
      (dry, [0..<4.9], .retrying(away, attempt: 7), dry),
      (dry, [0..<5], .loading, .playing),
      // If no more will come, the rest is played.
      (dry, [0..<3], .failed(away), .playing),
      (dry, [0..<0.2], .failed(away), dry),
      // A read-ahead of less than five seconds brings no more than that.
      (dry, [0..<1], .idle, .playing),
      (.starting, [0..<1], .idle, .playing),
    ] as [(BufferingPhase, [Range<Double>], PlaybackState.Activity, BufferingPhase)])
  func `a player starts with two seconds, stops with nothing and goes on with five`(
    phase: BufferingPhase, cached: [Range<Double>], activity: PlaybackState.Activity, next: BufferingPhase
  ) {
    let state = Self.state(cached, activity, cachedBytes: 7)
    #expect(BufferingPolicy().phase(after: phase, state, at: 0) == next)
  }

  private static let dry = BufferingPhase.stalled(cachedBytes: 7)

  @Test(
    arguments: [
      (.starting, 499_999, .loading, .starting),
      (.starting, 500_000, .loading, .playing),
      (.playing, 1, .loading, .playing),
      (.playing, 1, .stalled, .stalled(cachedBytes: 1)),
      (.stalled(cachedBytes: 1), 500_000, .loading, .stalled(cachedBytes: 1)),
      (.stalled(cachedBytes: 1), 500_001, .loading, .playing),
    ] as [(BufferingPhase, UInt64, PlaybackState.Activity, BufferingPhase)])
  func `while no second is known, bytes count`(
    phase: BufferingPhase, bytes: UInt64, activity: PlaybackState.Activity, next: BufferingPhase
  ) {
    #expect(BufferingPolicy().phase(after: phase, Self.state(nil, activity, cachedBytes: bytes), at: 0) == next)
  }

  @Test(arguments: [.starting, .playing, .stalled(cachedBytes: 0)] as [BufferingPhase])
  func `the last seconds, and what is complete, wait for nothing`(phase: BufferingPhase) {
    #expect(BufferingPolicy().phase(after: phase, Self.state([90..<100], .failed(Self.away)), at: 99.9) == .playing)
    #expect(BufferingPolicy().phase(after: phase, Self.state([], .idle), at: 100) == .playing)
    #expect(BufferingPolicy().phase(after: phase, Self.state(nil, isComplete: true), at: 50) == .playing)
  }

  @Test(
    arguments: [
      // As fast as it is played: the distance stays the same.
      ([0..<2], .loading, 1_000, false, true),
      ([0..<1.9], .loading, 1_000, false, false),
      ([0..<1.9], .loading, 1_000, true, true),
      // Half as fast: 30 seconds cost 15.
      ([0..<17], .loading, 500, false, true),
      ([0..<16], .loading, 500, false, false),
      ([0..<15], .loading, 500, true, true),
      ([0..<14], .loading, 500, true, false),
      // Much faster, with nothing cached yet.
      ([], .loading, 1_067, false, true),
      ([], .loading, 1_066, false, false),
      // Nothing arrives.
      ([0..<32], .retrying(away, attempt: 1), 1_000, false, true),
      ([0..<31], .stalled, 1_000, false, false),
      ([0..<29], .failed(away), 1_000, true, false),
      // The read-ahead is complete, and nothing is requested.
      ([0..<10], .idle, 0, false, true),
      ([0..<1], .idle, 0, false, false),
      ([0..<100], .failed(away), 0, false, true),
    ] as [([Range<Double>], PlaybackState.Activity, Double, Bool, Bool)])
  func `whether it keeps up is what is ahead and what comes, with a margin between yes and no`(
    cached: [Range<Double>], activity: PlaybackState.Activity, rate: Double, before: Bool, verdict: Bool
  ) {
    #expect(BufferingPolicy().canKeepUp(Self.state(cached, activity, rate: rate), at: 0, before: before) == verdict)
  }

  @Test func `near its end less is enough`() {
    // Ten seconds are left, four of them cached; the others arrive half as fast as they are played.
    let state = Self.state([90..<94], rate: 500)
    #expect(!BufferingPolicy().canKeepUp(state, at: 90, before: false))
    #expect(BufferingPolicy().canKeepUp(Self.state([90..<96], rate: 500), at: 90, before: false))
  }

  @Test func `while no second is known, it says what it said`() {
    #expect(BufferingPolicy().canKeepUp(Self.state(nil, rate: 9), at: 0, before: true))
    #expect(!BufferingPolicy().canKeepUp(Self.state(nil, rate: 9), at: 0, before: false))
  }
}
