public import AVFoundation
public import CoreMedia
public import FootageCore

extension Playback {
  /// What `AVPlayer` plays: out of the cache and the robot together.
  ///
  /// The item holds this object. It is the recording as it is, or its film where what stands before the media is too
  /// large for iOS, as `playerSource` decides; ``RecordingAsset/source`` of its asset says which. Where an item has
  /// failed, a new one goes on at the same second: `try await playback.playerItem(startingAt: player.currentTime())`.
  ///
  /// A player of a file cannot know what comes: ``keepPlaying(in:by:)`` waits for it.
  ///
  /// - Parameter time: where it begins.
  /// - Throws: as `playerSource`; `.proxy` where a film cannot be served on this device.
  @MainActor
  public func playerItem(startingAt time: CMTime = .zero) async throws(MediaCacheError) -> AVPlayerItem {
    try await playerItem(startingAt: time, largestPreamble: PlayerSource.largestPreamble)
  }

  /// - Parameters:
  ///   - time: where it begins.
  ///   - largestPreamble: up to which a file is played as it is, in bytes.
  @MainActor
  package func playerItem(
    startingAt time: CMTime, largestPreamble: UInt64
  ) async throws(MediaCacheError) -> AVPlayerItem {
    let source = try await playerSource(largestPreamble: largestPreamble)
    // The actor of screens does not wait for a listener.
    if source == .film { try await prepareLink() }
    let item = AVPlayerItem(asset: try RecordingAsset(self, as: source))
    // Without a handler it may be asked for before the item is ready; with one that is an exception.
    if time.isNumeric, time > .zero {
      item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero, completionHandler: nil)
    }
    return item
  }
}
