public import AVFoundation
internal import CoreMedia
public import FootageCore

extension Playback {
  /// The interval at which the library checks whether a player has enough bytes to play.
  private static let pause = Duration.milliseconds(250)

  /// Controls a player: starts it as soon as enough is buffered to play on, and pauses it when the buffer is empty.
  ///
  /// For a player that gets its bytes from a loader, the function switches off the player's own waiting, as
  /// AVFoundation requires: such a player cannot know which bytes will arrive. A player of a film fetches by itself, so
  /// it is only started. The viewer stops and continues with the player's own `pause` and `play`. While the player
  /// waits, it is paused already, so `isWanted` decides if it goes on. A player that requests more than `readAhead`
  /// receives the rest slowly. The function runs until its task is canceled, or until the player has another item.
  ///
  /// - Parameters:
  ///   - player: a player with an item that this object made.
  ///   - policy: decides when the player has enough.
  ///   - isWanted: returns true if the viewer wants the recording to play, according to the app's own buttons. If the
  ///     viewer pauses while the player waits, the player itself does not show it.
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
