/// Who may play what a URL leads to.
extension Playback {
  /// Whether players of other users of this machine are served, too. False unless it is set; from then on it holds for
  /// whatever asks next.
  ///
  /// The URL stands in the command line of a player that is started with it, where every user can read it.
  public var allowsOtherUsers: Bool {
    get { letsOthersIn }
    set { letsOthersIn = newValue }
  }

  /// Whether whoever has learned the URL and is another user of this machine, other than root, is refused.
  ///
  /// False where `allowsOtherUsers` is set; and on a system that does not say whose a connection is (a container
  /// without `/proc`, in which netlink is forbidden, and Apple's platforms), where the URL's token is all that keeps
  /// others out.
  public var keepsOtherUsersOut: Bool { isKeptFromOthers }
}

extension CameraPlayback {
  /// As ``Playback/allowsOtherUsers``.
  public var allowsOtherUsers: Bool {
    get { letsOthersIn }
    set { letsOthersIn = newValue }
  }

  /// As ``Playback/keepsOtherUsersOut``.
  public var keepsOtherUsersOut: Bool { isKeptFromOthers }
}
