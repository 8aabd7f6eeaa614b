public import AVFoundation
public import FootageCore
internal import Foundation

/// The footage of a camera over a time range, in the form that AVFoundation's players accept: a film from the proxy.
/// The asset holds its playback.
///
/// Its superclass is Sendable (AVAsset.h says so), and what it adds never changes and is Sendable itself. That makes
/// `@unchecked Sendable` true.
public final class CameraAsset: AVURLAsset, @unchecked Sendable {
  /// The playback that the parts come from.
  public let playback: CameraPlayback

  /// Creates the asset. It blocks while the proxy begins to listen, for a few milliseconds; `playerItem()` does not.
  ///
  /// - Parameter playback: held for as long as this object exists.
  /// - Throws: `MediaCacheError.proxy` if a film cannot be served on this device.
  public init(_ playback: CameraPlayback) throws(MediaCacheError) {
    self.playback = playback
    super.init(url: try RecordingAsset.url(try playback.filmLink()), options: nil)
  }
}

extension CameraPlayback {
  /// Returns an item with which `AVPlayer` plays a camera's footage, across its recordings. The item holds this object.
  ///
  /// - Throws: `.proxy` if a film cannot be served on this device. No playback's `state` reports it.
  @MainActor
  public func playerItem() async throws(MediaCacheError) -> AVPlayerItem {
    try await prepareLink()
    return AVPlayerItem(asset: try CameraAsset(self))
  }
}
