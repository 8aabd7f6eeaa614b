public import CoreMedia
public import FootageCore

extension PlaybackState {
  /// What plays without the robot, on the recording's own time line: in order, with gaps between; empty while it is not
  /// known. A player's `loadedTimeRanges` are what it has taken of them.
  public var bufferedTimeRanges: [CMTimeRange] {
    (cachedSeconds ?? []).map { seconds in
      CMTimeRange(start: CMTime(ofRecording: seconds.lowerBound), end: CMTime(ofRecording: seconds.upperBound))
    }
  }
}

extension CMTime {
  /// Of most recordings' video tracks; fine enough for any.
  private static let recordingTimescale: CMTimeScale = 90_000

  /// - Parameter seconds: of a recording.
  public init(ofRecording seconds: Double) {
    self.init(seconds: seconds, preferredTimescale: Self.recordingTimescale)
  }
}
