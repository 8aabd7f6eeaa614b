internal import Synchronization

/// The cache of a connection: the one that the app supplied, or else a cache that stores nothing, which is created when
/// it is first needed.
final class LazyCache: Sendable {
  private let cache: Mutex<MediaCache?>

  init(_ cache: MediaCache?) { self.cache = Mutex(cache) }

  /// The cache; nil if the app supplied none and none was created yet.
  var given: MediaCache? { cache.withLock { $0 } }

  func value() throws(RobotError) -> MediaCache {
    try cache.withLock { (cache) throws(RobotError) -> MediaCache in
      if let cache { return cache }
      do throws(MediaCacheError) {
        let made = try MediaCache(passingThrough: MediaCacheLimits())
        cache = made
        return made
      } catch { throw .cache(error) }
    }
  }
}
