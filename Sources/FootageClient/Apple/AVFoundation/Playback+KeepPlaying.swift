public import AVFoundation
internal import CoreMedia
public import FootageCore

extension Playback {
  /// The interval at which the library checks whether a player has enough.
  private static let pause = Duration.milliseconds(250)

  /// Plays in a player: starts it as soon as it has enough to go on with, and makes it wait when nothing is left.
  ///
  /// A player that is fed by a loader has its own waiting switched off, as AVFoundation asks for, since it cannot know
  /// what comes. A player of a film fetches by itself, and is just started. The viewer stops and continues with the
  /// player's own `pause` and `play`. While the player waits it stands anyway, and `isWanted` is asked before it goes
  /// on. A player that takes more than `readAhead` gets the rest slowly. The function goes on until its task is
  /// cancelled, or another item takes this one's place.
  ///
  /// - Parameters:
  ///   - player: has an item of this object's.
  ///   - policy: decides when the player has enough.
  ///   - isWanted: returns true if the viewer wants it to play, by the app's own buttons. A pause while the player
  ///     waits does not show in the player.
  @MainActor
  public func keepPlaying(
    in player: AVPlayer, by policy: BufferingPolicy = BufferingPolicy(),
    while isWanted: @MainActor () -> Bool = { true }
  ) async {
    guard let item = player.currentItem, let asset = item.asset as? RecordingAsset else { return }
    guard asset.source == .file else {
      player.automaticallyWaitsToMinimizeStalling = true
      if isWanted() { player.play() }
      return
    }
    player.automaticallyWaitsToMinimizeStalling = false
    var attendant = PlayerAttendant(policy)
    while !Task.isCancelled, player.currentItem === item {
      let position = player.currentTime().seconds
      asset.loader?.playerStands(at: position)
      switch attendant.step(state, at: position, rate: player.rate, isWanted: isWanted()) {
      case .nothing: break
      case .play(let rate): player.playImmediately(atRate: rate)
      case .pause: player.pause()
      }
      try? await Task.sleep(for: Self.pause)
    }
  }
}
