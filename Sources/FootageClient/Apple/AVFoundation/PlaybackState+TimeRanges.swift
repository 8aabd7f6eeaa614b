public import CoreMedia
public import FootageCore

extension PlaybackState {
  /// The parts that play without the robot, on the recording's own time line, in order; empty while they are unknown. A
  /// player's `loadedTimeRanges` show only what the player itself has loaded.
  public var bufferedTimeRanges: [CMTimeRange] {
    (cachedSeconds ?? []).map { seconds in
      CMTimeRange(start: CMTime(ofRecording: seconds.lowerBound), end: CMTime(ofRecording: seconds.upperBound))
    }
  }
}

extension CMTime {
  /// The time scale of most recordings' video tracks, which is fine enough for any.
  private static let recordingTimescale: CMTimeScale = 90_000

  /// - Parameter seconds: a time in a recording.
  public init(ofRecording seconds: Double) {
    self.init(seconds: seconds, preferredTimescale: Self.recordingTimescale)
  }
}
