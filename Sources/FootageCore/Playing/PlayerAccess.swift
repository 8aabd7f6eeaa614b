package import Synchronization

/// The URL at which players find a playback, and the rule for which users may play it. The URL is valid for as long as
/// this object exists.
package final class PlayerAccess: Sendable {
  /// The link to the playback; nil until it is requested.
  package let link = Mutex<(any PlayerLink)?>(nil)
  /// True if players of other users are served.
  package let isOpenToOthers = Atomic(false)

  init() {}
}

/// A base URL below which players find a playback. It is valid for as long as this object exists.
package protocol PlayerLink: AnyObject, Sendable {
  /// - Parameter path: the path below the base URL, with its query.
  /// - Throws: `MediaCacheError.proxy` if the proxy cannot listen.
  func url(of path: String) throws(MediaCacheError) -> String
}
