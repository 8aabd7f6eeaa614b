public import AVFoundation
public import CoreMedia
public import FootageCore

extension Playback {
  /// Returns an item that `AVPlayer` plays from the cache and the robot together.
  ///
  /// The item holds this object. It plays the recording's file. If the bytes before the media are too many for iOS, it
  /// plays the recording's film instead; `playerSource` decides that. ``RecordingAsset/source`` of the item's asset is
  /// the form that was chosen. If an item has failed, a new one continues at the same second:
  /// `try await playback.playerItem(startingAt: player.currentTime())`.
  ///
  /// A player of a file cannot know when its bytes will arrive: ``keepPlaying(in:by:while:)`` waits for them.
  ///
  /// - Parameter time: the time at which it begins.
  /// - Throws: the errors of `playerSource`; `.proxy` if a film cannot be served on this device. The playback's `state`
  ///   does not report `.proxy`.
  @MainActor
  public func playerItem(startingAt time: CMTime = .zero) async throws(MediaCacheError) -> AVPlayerItem {
    try await playerItem(startingAt: time, largestPreamble: PlayerSource.largestPreamble)
  }

  /// - Parameters:
  ///   - time: the time at which it begins.
  ///   - largestPreamble: the largest number of bytes before the media with which the file itself is played.
  @MainActor
  package func playerItem(
    startingAt time: CMTime, largestPreamble: UInt64
  ) async throws(MediaCacheError) -> AVPlayerItem {
    let source = try await playerSource(largestPreamble: largestPreamble)
    // The main actor does not wait for a listener.
    if source == .film { try await prepareLink() }
    let item = AVPlayerItem(asset: try RecordingAsset(self, as: source))
    // Without a handler, this may be called before the item is ready. With one, it would be an exception.
    if time.isNumeric, time > .zero {
      item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: nil)
    }
    return item
  }
}
