internal import FootageBase

/// When a player plays, and when it waits for more.
///
/// A player that fetches by itself knows what comes and waits by itself. One that is fed, as `AVPlayer` by a resource
/// loader, cannot know: its own waiting is switched off (`automaticallyWaitsToMinimizeStalling = false`), and this says
/// what it would have said. It is a value without a clock: it is asked with each ``PlaybackState``.
public struct BufferingPolicy: Hashable, Sendable {
  /// Playing begins with so much ahead, at the start and after a seek, in seconds.
  public var startSeconds = 2.0
  /// The same in bytes, while it is not known which belong to which second.
  public var startBytes: UInt64 = 500_000
  /// Playing goes on with so much ahead after there was nothing left, in seconds.
  public var resumeSeconds = 5.0
  /// With less ahead there is nothing left, in seconds: a player is stopped before it stops by itself.
  public var leastSeconds = 0.25
  /// How far ``canKeepUp(_:at:before:)`` looks ahead, in seconds.
  public var horizonSeconds = 30.0
  /// How much has to be left then before it says yes, in seconds; with less than nothing left it says no.
  public var marginSeconds = 2.0

  /// Two seconds or 500 kB to begin with, and five after a stop.
  public init() {}

  /// What a player does next.
  ///
  /// - Parameters:
  ///   - phase: what it does now; `.starting` after a seek.
  ///   - state: of the recording.
  ///   - position: of the player, in seconds of the recording.
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

  /// Whether playing goes on without a stop for as long as this policy looks ahead, by how fast bytes come and how many
  /// a second of the recording has.
  ///
  /// - Parameters:
  ///   - state: of the recording.
  ///   - position: of the player, in seconds of the recording.
  ///   - before: what it said last: what is near the border does not go back and forth.
  public func canKeepUp(_ state: PlaybackState, at position: Double, before: Bool) -> Bool {
    if state.isBufferedToEnd(from: position) { return true }
    let speed: Double
    switch state.activity {
    // It has all that it is to have for now.
    case .idle: speed = 1
    case .loading:
      guard let recorded = state.bytesPerRecordedSecond else { return before }
      speed = state.bytesPerSecond / recorded
    case .stalled, .retrying, .failed: speed = 0
    }
    let rest = state.duration.map { max(0, $0 - max(0, position)) } ?? .infinity
    let horizon = min(max(1, horizonSeconds), rest)
    let left = (state.bufferedSeconds(from: position) ?? 0) + (speed - 1) * horizon
    // Near its end little can go wrong.
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
    // No more comes, or not before the player has taken some.
    case .idle, .failed: return ahead >= leastSeconds
    case .loading, .stalled, .retrying: return ahead >= seconds
    }
  }
}

/// What a player does, by a ``BufferingPolicy``.
public enum BufferingPhase: Hashable, Sendable {
  /// It waits for its first seconds.
  case starting
  case playing
  /// It had nothing left, and waits; with what was cached then, in bytes.
  case stalled(cachedBytes: UInt64)

  /// Whether the player may run, if its viewer wants it to.
  public var isPlaying: Bool { self == .playing }
}
