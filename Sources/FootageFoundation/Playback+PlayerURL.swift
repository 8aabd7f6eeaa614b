public import FootageCore
internal import FootageLoopback
public import Foundation

extension Playback {
  /// Where any player of this user finds the recording, as long as this object lives: see ``url``.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  public func playerURL() throws(MediaCacheError) -> URL { try url.asURL() }

  /// Where a player of HLS finds its film, as long as this object lives: see ``filmURL``.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  public func filmPlayerURL() throws(MediaCacheError) -> URL { try filmURL.asURL() }
}

extension CameraPlayback {
  /// Where a player of HLS finds the film, as long as this object lives: see ``filmURL``.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  public func filmPlayerURL() throws(MediaCacheError) -> URL { try filmURL.asURL() }
}

extension String {
  /// The proxy's own, whose names are percent-encoded.
  fileprivate func asURL() throws(MediaCacheError) -> URL {
    guard let url = URL(string: self) else { throw .proxy("its address \(self) is none") }
    return url
  }
}
