package import Synchronization

/// Where players find what is open, and who of them may play it; ends with what holds it.
package final class PlayerAccess: Sendable {
  /// Nil until it was asked for.
  package let link = Mutex<(any PlayerLink)?>(nil)
  /// Whether players of other users are served.
  package let isOpenToOthers = Atomic(false)

  init() {}
}

/// A place below which players find what is open, which is given back when this object goes.
package protocol PlayerLink: AnyObject, Sendable {
  /// - Parameter path: below that place, with its query.
  /// - Throws: `MediaCacheError.proxy` where there is none.
  func url(of path: String) throws(MediaCacheError) -> String
}
