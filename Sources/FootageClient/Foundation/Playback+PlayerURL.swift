public import FootageCore
public import Foundation

extension Playback {
  /// Where any player of this user finds the recording: `http://127.0.0.1:PORT/TOKEN/NAME.mp4`. The first call gives it a
  /// place there, and starts the process's proxy where no playback has needed that yet. Nobody can guess the URL, and
  /// other users of this machine are refused, as far as ``keepsOtherUsersOut`` says.
  ///
  /// It blocks while the proxy begins to listen: some milliseconds, and at the very worst, on a device in trouble, five
  /// seconds.
  ///
  /// The port is listened on for as long as the process runs. Where the system ends that, as it does to apps that it
  /// suspends, it is listened on anew within about a second of running on, and a player goes on where it was; only if
  /// somebody else has taken the port meanwhile this URL becomes another one. So have a player that cannot connect open
  /// the URL of that moment.
  ///
  /// It is good **for as long as this object lives**, and answers 404 from then on: hold the playback where the player
  /// is held. `try await robot.playback(of: name).playerURL()` gives a URL that has ended already. The name is
  /// percent-encoded.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  public func playerURL() throws(MediaCacheError) -> URL { try playerLink().asURL() }

  /// Where a player of HLS finds the recording's film: `http://127.0.0.1:PORT/TOKEN/recordings/NAME.m3u8`. It begins
  /// with the first second of a recording of any length, and seeks by fetching a few seconds.
  ///
  /// Everything else of the recording lies beside it as on the robot: `NAME.media.m3u8`, `NAME.iframes.m3u8`, clips
  /// (`NAME.mp4?start=&end=`), pictures (`NAME.mp4?keyframe=`), time lapses (`NAME.mp4?keys=&speed=`), with the same
  /// bytes, types and ranges; they come out of the cache as far as it holds their samples, without a robot as well. The
  /// recording's sample index is fetched once for all of them, and kept with what is cached; without it, it is made
  /// from the recording's own tables where those are cached. What no film can be made of answers 404 `no-such-view`.
  ///
  /// Good for as long as ``playerURL()`` is, and under the same token.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  public func filmURL() throws(MediaCacheError) -> URL { try filmLink().asURL() }
}

extension CameraPlayback {
  /// Where a player of HLS finds the film: `http://127.0.0.1:PORT/TOKEN/cameras/CAM.m3u8?from=&to=`, with a segment of
  /// some six seconds at a time. Across recordings it has a discontinuity, with the wall clock's time.
  ///
  /// Good for as long as this object lives, and for this user's players, as ``Playback/playerURL()`` is.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  public func filmURL() throws(MediaCacheError) -> URL { try filmLink().asURL() }
}

extension String {
  /// The proxy's own, whose names are percent-encoded.
  fileprivate func asURL() throws(MediaCacheError) -> URL {
    guard let url = URL(string: self) else { throw .proxy("its address \(self) is none") }
    return url
  }
}
