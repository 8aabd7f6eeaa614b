public import FootageCore
internal import Networking
internal import Synchronization

extension Playback {
  /// Where any player of this user finds the recording: `http://127.0.0.1:PORT/TOKEN/NAME.mp4`. Nobody can guess it,
  /// and other users of this machine are refused, as far as ``keepsOtherUsersOut`` says.
  ///
  /// The port is listened on for as long as the process runs. Where the system ends that, as it does to apps that it
  /// suspends, it is listened on anew within about a second of running on, and a player goes on where it was; only if
  /// somebody else has taken the port meanwhile this URL becomes another one. So have a player that cannot connect open
  /// the URL of that moment.
  ///
  /// It is good **for as long as this object lives**, and answers 404 from then on: hold the playback where the player
  /// is held. `try await robot.playback(of: name).url` gives a URL that has ended already. The name is percent-encoded.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  public var url: String {
    get throws(MediaCacheError) {
      try link.withLock { (link) throws(MediaCacheError) -> String in
        if let link { return try link.url }
        let made: ProxyLink
        do throws(NetworkingError) { made = try LoopbackProxy.shared().link(to: self) } catch {
          throw .proxy(error.description)
        }
        link = made
        return try made.url
      }
    }
  }
}
