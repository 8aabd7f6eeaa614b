public import FootageCore
public import Foundation

extension Playback {
  /// Returns the URL at which any player of this user finds the recording: `http://127.0.0.1:PORT/TOKEN/NAME.mp4`. The
  /// first call for a playback creates its URL, and starts the process's proxy if it is not running yet. Nobody can
  /// guess the URL, and other users of this machine are refused, as ``keepsOtherUsersOut`` explains.
  ///
  /// The call blocks while the proxy begins to listen: usually for a few milliseconds, and for at most five seconds if
  /// the device is overloaded.
  ///
  /// The proxy listens on the port for as long as the process runs. If the system suspends an app, it also closes the
  /// port. The proxy then listens again within about a second after the app continues, and a player goes on where it
  /// was. The URL changes only if another process has taken the port meanwhile. If a player cannot connect, have it
  /// open the current URL.
  ///
  /// The URL is valid **for as long as this object lives**, and answers 404 from then on, so hold the playback where
  /// the player is held. `try await robot.playback(of: name).playerURL()` returns a URL that is no longer valid,
  /// because nothing holds the playback. The name is percent-encoded.
  ///
  /// - Throws: `.proxy` if this machine has no port or thread left.
  public func playerURL() throws(MediaCacheError) -> URL { try playerLink().asURL() }

  /// Returns the URL at which a player of HLS finds the recording's film:
  /// `http://127.0.0.1:PORT/TOKEN/recordings/NAME.m3u8`. The film begins with the first second of a recording of any
  /// length, and seeking fetches a few seconds.
  ///
  /// All other views of the recording have URLs beside it, with the same names as on the robot: `NAME.media.m3u8`,
  /// `NAME.iframes.m3u8`, clips (`NAME.mp4?start=&end=`), pictures (`NAME.mp4?keyframe=`), time lapses
  /// (`NAME.mp4?keys=&speed=`), with the same bytes, types and ranges. Views whose samples are in the cache need no
  /// robot. The recording's sample index is fetched once for all views, and kept with the cached bytes. If it cannot be
  /// fetched, an index is made from the recording's own tables, if those are cached. A recording of which no film can
  /// be made answers 404 `no-such-view`.
  ///
  /// The URL is valid for as long as that of ``playerURL()``, and has the same token.
  ///
  /// - Throws: `.proxy` if this machine has no port or thread left.
  public func filmURL() throws(MediaCacheError) -> URL { try filmLink().asURL() }
}

extension CameraPlayback {
  /// Returns the URL at which a player of HLS finds the film: `http://127.0.0.1:PORT/TOKEN/cameras/CAM.m3u8?from=&to=`.
  /// Each segment has about six seconds. Between recordings, the film has a discontinuity, after which
  /// `EXT-X-PROGRAM-DATE-TIME` states the wall clock's time.
  ///
  /// The URL is valid for as long as this object lives, and for this user's players, as that of
  /// ``Playback/playerURL()`` is.
  ///
  /// - Throws: `.proxy` if this machine has no port or thread left.
  public func filmURL() throws(MediaCacheError) -> URL { try filmLink().asURL() }
}

extension String {
  /// Returns the proxy's address as a URL. The names in it are percent-encoded.
  fileprivate func asURL() throws(MediaCacheError) -> URL {
    guard let url = URL(string: self) else { throw .proxy("'\(self)' is not a valid URL") }
    return url
  }
}
