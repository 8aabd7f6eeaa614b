/// The situation of a playback, as a viewer should be shown it beside the picture.
public enum PlaybackSituation: Hashable, Sendable {
  /// There is nothing to show: the recording plays, or it can.
  case playing
  /// The recording plays only from what is here. The robot has no more of it to give, for this reason.
  case playingAlone(RobotError)
  /// There is nothing here to play at this position, but bytes are on their way or being tried for. The value is the
  /// last error, if there was one.
  case waiting(RobotError?)
  /// There is nothing here to play at this position, and no more bytes come until they are asked for again.
  case failed(RobotError)
}

extension PlaybackState {
  /// The number of seconds below which nothing counts as being ahead.
  private static let leastSeconds = 0.25

  /// Returns the situation for a viewer whose player is at a position.
  ///
  /// - Parameter position: in seconds of the recording.
  public func situation(at position: Double) -> PlaybackSituation {
    let ahead = bufferedSeconds(from: position)
    let isHere = isBufferedToEnd(from: position) || (ahead ?? 0) >= Self.leastSeconds
    switch activity {
    case .failed(let error): return isHere ? .playingAlone(error) : .failed(error)
    case _ where isHere: return robotSaid.map { .playingAlone($0) } ?? .playing
    case .retrying(let error, _): return .waiting(error)
    case .stalled: return .waiting(nil)
    // While no seconds are known, a player with cached bytes is assumed to play.
    case .loading, .idle: return ahead == nil && !cachedBytes.isEmpty ? .playing : .waiting(nil)
    }
  }
}
