package import Synchronization

/// The place at which players find what is open, and the rule for which users may play it. It ends with its holder.
package final class PlayerAccess: Sendable {
  /// The link to the place; nil until it is asked for.
  package let link = Mutex<(any PlayerLink)?>(nil)
  /// True if players of other users are served.
  package let isOpenToOthers = Atomic(false)

  init() {}
}

/// A place below which players find what is open. It is given back when this object ends.
package protocol PlayerLink: AnyObject, Sendable {
  /// - Parameter path: the path below that place, with its query.
  /// - Throws: `MediaCacheError.proxy` if the place cannot be served.
  func url(of path: String) throws(MediaCacheError) -> String
}
