/// Where players find a playback: a place that is given back when this object goes.
package protocol PlaybackLink: AnyObject, Sendable {
  /// - Throws: `MediaCacheError.proxy` where there is none.
  var url: String { get throws(MediaCacheError) }
  /// - Throws: `MediaCacheError.proxy` where there is none.
  var filmURL: String { get throws(MediaCacheError) }
}
