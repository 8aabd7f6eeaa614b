/// Starts a player that is fed, stops it where nothing is left, and has it go on; what its viewer does stays done.
package struct PlayerAttendant: Sendable {
  package enum Step: Hashable, Sendable {
    case nothing
    case play(rate: Float)
    case pause
  }

  private let policy: BufferingPolicy
  private var phase = BufferingPhase.starting
  /// Whether it stands because of this, and not because its viewer has stopped it.
  private var isHeld = true
  /// At which it ran last.
  private var rate: Float = 1
  private var position: Double?

  /// A player has jumped where it is further from its last position, in seconds: it is looked at some times a second.
  private static let leap = 2.0

  package init(_ policy: BufferingPolicy) { self.policy = policy }

  /// What to do with the player now.
  ///
  /// - Parameters:
  ///   - state: of its recording.
  ///   - position: of the player, in seconds; what is no number is its beginning.
  ///   - rate: 0 where it stands.
  ///   - isWanted: whether its viewer wants it to play at all, as far as they have said so.
  package mutating func step(
    _ state: PlaybackState, at position: Double, rate: Float, isWanted: Bool = true
  ) -> Step {
    let position = position.isFinite ? position : 0
    if let last = self.position, abs(position - last) > Self.leap * max(1, Double(rate.magnitude)) { phase = .starting }
    self.position = position
    phase = policy.phase(after: phase, state, at: position)
    if phase.isPlaying {
      guard isHeld, isWanted || rate != 0 else { return .nothing }
      isHeld = false
      return rate == 0 ? .play(rate: self.rate) : .nothing
    }
    guard rate != 0 else { return .nothing }
    self.rate = rate
    isHeld = true
    return .pause
  }
}
