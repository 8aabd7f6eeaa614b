/// The users who may play from a URL.
extension Playback {
  /// True if players of other users of this machine are served, too. It is false unless it is set. A change applies to
  /// all requests from then on.
  ///
  /// The URL is in the command line of a player that is started with it, where every user can read it.
  public var allowsOtherUsers: Bool {
    get { letsOthersIn }
    set { letsOthersIn = newValue }
  }

  /// True if other users of this machine, except root, are refused even if they have learned the URL.
  ///
  /// It is false if `allowsOtherUsers` is set, and on a system that does not report the users of connections: in a
  /// container without `/proc` in which netlink is forbidden, and on Apple's platforms. There, only the URL's token
  /// keeps others out.
  public var keepsOtherUsersOut: Bool { isKeptFromOthers }
}

extension CameraPlayback {
  /// True if players of other users of this machine are served, too. See ``Playback/allowsOtherUsers``.
  public var allowsOtherUsers: Bool {
    get { letsOthersIn }
    set { letsOthersIn = newValue }
  }

  /// True if other users of this machine are refused. See ``Playback/keepsOtherUsersOut``.
  public var keepsOtherUsersOut: Bool { isKeptFromOthers }
}
