/// The contents that tokens refer to.

internal import FootageBase
internal import Synchronization

/// The places that are served. A place that nothing holds any more is no longer served: its players get 404.
final class ProxiedPlaces: Sendable {
  private struct Weak: Sendable {
    weak let place: (any ProxiedPlace)?
  }

  private let places = Mutex<[String: Weak]>([:])

  /// - Returns: the token.
  func add(_ place: any ProxiedPlace) -> String {
    var random = SystemRandomNumberGenerator()
    // The 128 bits come from the kernel, so nobody can guess them. But they are in the command line of a player that is
    // started with the URL, where every user of this machine can read them.
    let token = Hexadecimal.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    places.withLock { $0[token] = Weak(place: place) }
    return token
  }

  func remove(_ token: String) { places.withLock { $0[token] = nil } }

  subscript(token: String) -> (any ProxiedPlace)? { places.withLock { $0[token]?.place } }
}

/// A token of the proxy, which is valid for as long as this object exists.
final class ProxyLink: PlayerLink {
  private let token: String
  private let places: ProxiedPlaces
  private let proxy: LoopbackProxy

  init(to place: some ProxiedPlace, in places: ProxiedPlaces, of proxy: LoopbackProxy) {
    self.places = places
    self.proxy = proxy
    token = places.add(place)
  }

  /// Returns `http://127.0.0.1:PORT/TOKEN/…`, with the port that the proxy has now. Below the token, paths are the same
  /// as on the robot, so that playlists need no changes.
  func url(of path: String) throws(MediaCacheError) -> String {
    do throws(ProxyFailure) { return "http://127.0.0.1:\(try proxy.port())/\(token)/\(path)" } catch {
      throw .proxy("\(error)")
    }
  }

  deinit { places.remove(token) }
}
