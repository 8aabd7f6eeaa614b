public import AVFoundation
internal import Dispatch
public import FootageCore
internal import Foundation

/// A recording in the form that AVFoundation's players, image generators and exporters accept. The asset holds its
/// playback, so the app has to hold only the asset.
///
/// Its superclass is Sendable (AVAsset.h says so), and what it adds never changes and is Sendable itself. That makes
/// `@unchecked Sendable` true.
public final class RecordingAsset: AVURLAsset, @unchecked Sendable {
  /// The playback that the bytes come from.
  public let playback: Playback
  /// The form in which players get the recording.
  public let source: PlayerSource
  /// The loader, which AVFoundation does not hold; nil for a film.
  let loader: AssetLoader?

  /// Creates the asset. For a film, it blocks while the proxy begins to listen, for a few milliseconds;
  /// `Playback.playerItem` does not.
  ///
  /// - Parameters:
  ///   - playback: held for as long as this object exists.
  ///   - source: the result of `Playback.playerSource`.
  /// - Throws: `MediaCacheError.proxy` if a film cannot be served on this device.
  public convenience init(_ playback: Playback, as source: PlayerSource) throws(MediaCacheError) {
    try self.init(playback, as: source, FeedWindow())
  }

  package init(_ playback: Playback, as source: PlayerSource, _ window: FeedWindow) throws(MediaCacheError) {
    self.playback = playback
    self.source = source
    switch source {
    case .file:
      let loader = AssetLoader(playback, window)
      self.loader = loader
      super.init(url: try Self.fileURL(of: playback), options: nil)
      resourceLoader.setDelegate(loader, queue: loader.queue)
    case .film:
      loader = nil
      super.init(url: try Self.url(try playback.filmLink()), options: nil)
    }
  }

  /// The scheme of the URL. AVFoundation must not be able to load it by itself, because then it would not ask the
  /// loader.
  private static let scheme = "footage-recording"

  private static func fileURL(of playback: Playback) throws(MediaCacheError) -> URL {
    var parts = URLComponents()
    parts.scheme = scheme
    parts.host = "playback"
    parts.path = "/\(playback.key.name).mp4"
    guard let url = parts.url else { throw .proxy("\(playback.key.name) cannot be part of a URL") }
    return url
  }

  static func url(_ text: String) throws(MediaCacheError) -> URL {
    guard let url = URL(string: text) else { throw .proxy("'\(text)' is not a valid URL") }
    return url
  }
}
