internal import FootageBase

/// The rules for when a player plays, and when it waits for more bytes.
///
/// A player that fetches by itself knows which bytes will arrive, and waits by itself. A player that is fed, such as
/// `AVPlayer` with a resource loader, cannot know that. Its own waiting is switched off
/// (`automaticallyWaitsToMinimizeStalling = false`), and this policy decides instead. The policy is a value without a
/// clock: call it with each ``PlaybackState``.
public struct BufferingPolicy: Hashable, Sendable {
  /// The number of buffered seconds with which playing begins, at the start and after a seek.
  public var startSeconds = 2.0
  /// The number of bytes with which playing begins or continues, while it is unknown which bytes belong to which
  /// second. At the start, all cached bytes count; after a stop, only newly cached ones.
  public var startBytes: UInt64 = 500_000
  /// The number of buffered seconds with which playing continues after the buffer was empty.
  public var resumeSeconds = 5.0
  /// The number of buffered seconds below which the buffer counts as empty. The player is then stopped, before it stops
  /// by itself.
  public var leastSeconds = 0.25
  /// The number of seconds that ``canKeepUp(_:at:before:)`` looks ahead.
  public var horizonSeconds = 30.0
  /// The number of seconds that must, by the prediction, still be buffered after ``horizonSeconds`` for
  /// ``canKeepUp(_:at:before:)`` to change to true. It changes to false when, by the prediction, the buffer would be
  /// empty before.
  public var marginSeconds = 2.0

  /// Creates a policy that begins to play with two seconds or 500 kB, and continues with five seconds after a stop.
  public init() {}

  /// Returns the next phase of a player.
  ///
  /// - Parameters:
  ///   - phase: its current phase; `.starting` after a seek.
  ///   - state: the state of the recording.
  ///   - position: the position of the player, in seconds of the recording.
  public func phase(after phase: BufferingPhase, _ state: PlaybackState, at position: Double) -> BufferingPhase {
    guard !state.isBufferedToEnd(from: position) else { return .playing }
    let ahead = state.bufferedSeconds(from: position)
    switch phase {
    case .playing:
      return isDry(state, ahead) ? .stalled(cachedBytes: state.cachedByteCount) : .playing
    case .starting:
      return has(ahead, startSeconds, state, since: 0) ? .playing : .starting
    case .stalled(let cachedBytes):
      return has(ahead, resumeSeconds, state, since: cachedBytes) ? .playing : phase
    }
  }

  /// Returns true if playing continues without a stop for as long as this policy looks ahead. The prediction is based
  /// on the rate at which bytes arrive, and on the number of bytes in a second of the recording.
  ///
  /// - Parameters:
  ///   - state: the state of the recording.
  ///   - position: the position of the player, in seconds of the recording.
  ///   - before: the previous answer. It gives the result hysteresis, so that it does not alternate near the limit.
  public func canKeepUp(_ state: PlaybackState, at position: Double, before: Bool) -> Bool {
    if state.isBufferedToEnd(from: position) { return true }
    let speed: Double
    switch state.activity {
    // The player has all bytes that it is to have for now.
    case .idle: speed = 1
    case .loading:
      guard let recorded = state.bytesPerRecordedSecond else { return before }
      speed = state.bytesPerSecond / recorded
    case .stalled, .retrying, .failed: speed = 0
    }
    let rest = state.duration.map { max(0, $0 - max(0, position)) } ?? .infinity
    let horizon = min(max(1, horizonSeconds), rest)
    let left = (state.bufferedSeconds(from: position) ?? 0) + (speed - 1) * horizon
    // Near the end of the recording little can go wrong.
    return left >= (before ? 0 : marginSeconds * horizon / max(1, horizonSeconds))
  }

  private func isDry(_ state: PlaybackState, _ ahead: Double?) -> Bool {
    if let ahead { return ahead < leastSeconds }
    switch state.activity {
    case .idle, .loading: return false
    case .stalled, .retrying, .failed: return true
    }
  }

  private func has(_ ahead: Double?, _ seconds: Double, _ state: PlaybackState, since bytes: UInt64) -> Bool {
    guard let ahead else { return state.cachedByteCount >= bytes.addingClamped(startBytes) }
    switch state.activity {
    // No more bytes come, or not before the player has taken some.
    case .idle, .failed: return ahead >= leastSeconds
    case .loading, .stalled, .retrying: return ahead >= seconds
    }
  }
}

/// The phase of a player, as decided by a ``BufferingPolicy``.
public enum BufferingPhase: Hashable, Sendable {
  /// The player waits for its first seconds.
  case starting
  case playing
  /// The player's buffer was empty, and it waits. The value is the number of bytes that were cached then.
  case stalled(cachedBytes: UInt64)

  /// True if the player may run, provided that its viewer wants it to.
  public var isPlaying: Bool { self == .playing }
}
