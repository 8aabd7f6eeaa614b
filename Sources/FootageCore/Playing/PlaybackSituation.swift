/// The situation of a playback, to be shown to a viewer beside the picture.
public enum PlaybackSituation: Hashable, Sendable {
  /// There is nothing to report: the recording plays, or can play.
  case playing
  /// The recording plays, but only from cached bytes: the robot does not provide more of it, for this reason.
  case playingAlone(RobotError)
  /// No bytes are cached for this position, but they are being fetched, or the fetch is retried. The value is the last
  /// error, if there was one.
  case waiting(RobotError?)
  /// No bytes are cached for this position, and no more are fetched until a reader asks for them again.
  case failed(RobotError)
}

extension PlaybackState {
  /// The number of buffered seconds below which the buffer counts as empty.
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
