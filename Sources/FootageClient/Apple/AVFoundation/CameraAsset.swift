public import AVFoundation
public import FootageCore
internal import Foundation

/// A time of a camera as AVFoundation's players take it: as a film on the proxy. It holds its playback.
///
/// Its superclass is Sendable (AVAsset.h says so), and what it adds never changes and is Sendable itself. That makes
/// `@unchecked Sendable` true.
public final class CameraAsset: AVURLAsset, @unchecked Sendable {
  /// What its parts come out of.
  public let playback: CameraPlayback

  /// Blocks while the proxy begins to listen, for some milliseconds; `playerItem()` does not.
  ///
  /// - Parameter playback: held for as long as this object is.
  /// - Throws: `MediaCacheError.proxy` where a film cannot be served on this device.
  public init(_ playback: CameraPlayback) throws(MediaCacheError) {
    self.playback = playback
    super.init(url: try RecordingAsset.url(try playback.filmLink()), options: nil)
  }
}

extension CameraPlayback {
  /// What `AVPlayer` plays of a camera's time, across its recordings; the item holds this object.
  ///
  /// - Throws: `.proxy` where a film cannot be served on this device.
  @MainActor
  public func playerItem() async throws(MediaCacheError) -> AVPlayerItem {
    try await prepareLink()
    return AVPlayerItem(asset: try CameraAsset(self))
  }
}
