public import FootageCore
internal import Networking
internal import Synchronization

/// Who may play what a URL leads to.
extension Playback {
  /// Whether players of other users of this machine are served, too. False unless it is set; from then on it holds for
  /// whatever asks next.
  ///
  /// The URL stands in the command line of a player that is started with it, where every user can read it.
  public var allowsOtherUsers: Bool {
    get { isOpenToOthers.load(ordering: .relaxed) }
    set { isOpenToOthers.store(newValue, ordering: .relaxed) }
  }

  /// Whether whoever has learned the URL and is another user of this machine, other than root, is refused.
  ///
  /// False where `allowsOtherUsers` is set; and on a system that does not say whose a connection is (a container
  /// without `/proc`, in which netlink is forbidden, too), where the URL's token is all that keeps others out.
  public var keepsOtherUsersOut: Bool {
    guard !allowsOtherUsers else { return false }
    // Without a proxy nobody is served.
    do throws(NetworkingError) { return try LoopbackProxy.shared().knowsUsers } catch { return true }
  }
}
