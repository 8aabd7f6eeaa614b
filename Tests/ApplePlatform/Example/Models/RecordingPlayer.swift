import AVFoundation
import FootageClient
import Observation

/// A recording in a player.
@MainActor @Observable
final class RecordingPlayer {
  let player = AVPlayer()
  /// Nil until it is open.
  private(set) var state: PlaybackState?
  /// What is to be shown beside the picture.
  private(set) var situation = PlaybackSituation.waiting(nil)
  /// Why it was not even opened.
  private(set) var failure: (any Error)?
  private var playback: Playback?

  /// Plays, from the second on where it was, until its task is cancelled.
  func play(_ watched: Watched, in robots: PairedRobots) async {
    defer { player.pause() }
    do {
      failure = nil
      situation = .waiting(nil)
      guard let playback = try await watched.open(in: robots) else { return }
      let start = player.currentItem == nil ? .zero : player.currentTime()
      player.replaceCurrentItem(with: try await playback.playerItem(startingAt: start))
      self.playback = playback
      async let playing: Void = playback.keepPlaying(in: player)
      while !Task.isCancelled {
        show(playback.state)
        try await Task.sleep(for: .milliseconds(500))
      }
      await playing
    } catch {
      if !Task.isCancelled { failure = error }
    }
  }

  /// Keeps all of it on this device.
  func keep() async throws { try await playback?.download() }

  private func show(_ state: PlaybackState) {
    self.state = state
    situation = state.situation(at: player.currentTime().seconds)
  }
}
