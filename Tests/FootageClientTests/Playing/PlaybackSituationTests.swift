/// The situation of a playback that a viewer is shown.
import FootageCore
import Testing

@Suite struct PlaybackSituationTests {
  private static let away = RobotError.unreachable("it is switched off")
  private static let gone = RobotError.notAllowed(status: 403, reason: "not any more")

  /// Returns the state of a recording of 60 seconds.
  private static func state(
    _ activity: PlaybackState.Activity, _ cached: [Range<Double>]?, robotSaid: RobotError? = nil
  ) -> PlaybackState {
    PlaybackState(
      activity: activity, cachedBytes: cached == [] ? [] : [0..<1_000], cachedSeconds: cached, length: 60_000,
      duration: cached == nil ? nil : 60, robotSaid: robotSaid)
  }

  @Test(
    arguments: [
      (.loading, [0..<10], nil, .playing),
      (.idle, [0..<10], nil, .playing),
      (.stalled, [0..<10], nil, .playing),
      // While there is something to play, failed attempts are not shown.
      (.retrying(away, attempt: 3), [0..<10], nil, .playing),
      (.failed(away), [0..<10], nil, .playingAlone(away)),
      (.idle, [0..<60], gone, .playingAlone(gone)),
      (.loading, [0..<10], gone, .playingAlone(gone)),
      // The alarm takes precedence over the robot's answer.
      (.failed(away), [0..<60], gone, .playingAlone(away)),
      (.loading, [], nil, .waiting(nil)),
      (.idle, [], nil, .waiting(nil)),
      (.stalled, [20..<30], nil, .waiting(nil)),
      (.retrying(away, attempt: 3), [0..<5.1], nil, .waiting(away)),
      (.failed(away), [0..<5.1], nil, .failed(away)),
      (.failed(away), [5.1..<60], nil, .failed(away)),
      (.loading, nil, nil, .playing),
      (.stalled, nil, nil, .waiting(nil)),
      (.failed(away), nil, nil, .failed(away)),
    ] as [(PlaybackState.Activity, [Range<Double>]?, RobotError?, PlaybackSituation)])
  func `what is here plays, and what is not is waited for or has failed`(
    activity: PlaybackState.Activity, cached: [Range<Double>]?, robotSaid: RobotError?, situation: PlaybackSituation
  ) {
    #expect(Self.state(activity, cached, robotSaid: robotSaid).situation(at: 5) == situation)
  }

  @Test func `at the end nothing is lacking`() {
    #expect(Self.state(.idle, [50..<60]).situation(at: 60) == .playing)
    #expect(Self.state(.failed(Self.away), [50..<60]).situation(at: 59.9) == .playingAlone(Self.away))
  }
}
