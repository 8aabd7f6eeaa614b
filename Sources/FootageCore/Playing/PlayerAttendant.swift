/// A controller of a player that is fed by a loader. It starts the player, pauses it when the buffer is empty, and
/// continues it later. It never undoes a pause or a start by the viewer.
package struct PlayerAttendant: Sendable {
  package enum Step: Hashable, Sendable {
    case nothing
    case play(rate: Float)
    case pause
  }

  private let policy: BufferingPolicy
  private var phase = BufferingPhase.starting
  /// True if the player is paused by the attendant, and not by its viewer.
  private var isHeld = true
  /// The rate at which the player ran last.
  private var rate: Float = 1
  private var position: Double?

  /// The smallest distance between two successive positions that counts as a jump, in seconds. Its position is checked
  /// several times a second.
  private static let leap = 2.0

  package init(_ policy: BufferingPolicy) { self.policy = policy }

  /// Returns the next step for the player.
  ///
  /// - Parameters:
  ///   - state: the state of its recording.
  ///   - position: the position of the player in seconds; a value that is not finite counts as the beginning.
  ///   - rate: the rate of the player; 0 if it is paused.
  ///   - isWanted: true if its viewer wants it to play, according to the app's own buttons.
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
