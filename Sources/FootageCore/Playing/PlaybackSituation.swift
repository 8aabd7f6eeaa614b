/// What a viewer is to be shown of a playback beside its picture.
public enum PlaybackSituation: Hashable, Sendable {
  /// Nothing: it plays, or it can.
  case playing
  /// It plays from what is here alone. The robot has no more of it to give, for this reason.
  case playingAlone(RobotError)
  /// There is nothing here to play at this position, and it is on its way, or being tried for; with what went wrong
  /// last.
  case waiting(RobotError?)
  /// There is nothing here to play at this position, and no more comes before somebody tries again.
  case failed(RobotError)
}

extension PlaybackState {
  /// Less than this ahead is nothing, in seconds.
  private static let leastSeconds = 0.25

  /// What a viewer is to be shown, whose player stands at a position.
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
    // While no second is known, a player that has taken its bytes plays.
    case .loading, .idle: return ahead == nil && !cachedBytes.isEmpty ? .playing : .waiting(nil)
    }
  }
}
