/// Which playback a token stands for.

internal import FootageCore
internal import Formats
internal import Networking
internal import Synchronization

/// A playback that nobody holds any more is served no longer: its players get 404.
final class ProxiedPlaybacks: Sendable {
  private struct Weak: Sendable {
    weak let playback: Playback?
  }

  private let playbacks = Mutex<[String: Weak]>([:])

  /// - Returns: the token.
  func add(_ playback: Playback) -> String {
    var random = SystemRandomNumberGenerator()
    // 128 bits, as the kernel makes them: nobody can guess them. But they stand in the command line of a player that is
    // started with the URL, where every user of this machine can read them.
    let token = Hexadecimal.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    playbacks.withLock { $0[token] = Weak(playback: playback) }
    return token
  }

  func remove(_ token: String) { playbacks.withLock { $0[token] = nil } }

  subscript(token: String) -> Playback? { playbacks.withLock { $0[token]?.playback } }
}

/// A playback's place in the proxy; ends with its object.
final class ProxyLink: PlaybackLink {
  private let token: String
  private let playbacks: ProxiedPlaybacks
  private let proxy: LoopbackProxy
  /// As it stands in URLs.
  private let name: String

  init(to playback: Playback, in playbacks: ProxiedPlaybacks, of proxy: LoopbackProxy) {
    self.playbacks = playbacks
    self.proxy = proxy
    token = playbacks.add(playback)
    name = Self.path(playback.key.name)
  }

  /// `http://127.0.0.1:PORT/TOKEN/NAME.mp4`, with the port that the proxy has now.
  var url: String { get throws(MediaCacheError) { try place("\(name).mp4") } }

  /// `http://127.0.0.1:PORT/TOKEN/recordings/NAME.m3u8`: below the token everything lies as it does on the robot, so
  /// that playlists say the same there.
  var filmURL: String { get throws(MediaCacheError) { try place("recordings/\(name).m3u8") } }

  private func place(_ path: String) throws(MediaCacheError) -> String {
    do throws(NetworkingError) { return "http://127.0.0.1:\(try proxy.port())/\(token)/\(path)" } catch {
      throw .proxy(error.description)
    }
  }

  /// The name is for people and for players that look at a URL's end; the token alone is looked up. A robot's name must
  /// neither have a player resolve the token away (RFC 3986 §5.2.4) nor be longer than the proxy takes.
  private static func path(_ name: String) -> String {
    let parts = name.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.allSatisfy { $0 == UInt8(ascii: ".") } }
    let path = PercentEncoding.encodePath(parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/"))
    return path.isEmpty || path.utf8.count > longestPath ? "recording" : path
  }

  /// In bytes; a target may have 8 KiB.
  private static let longestPath = 4096

  deinit { playbacks.remove(token) }
}
