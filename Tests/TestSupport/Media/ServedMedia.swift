/// The check of all playlists, segments and clips that tests receive.
import Synchronization
import Testing

package enum ServedMedia {
  /// The last state of each growing playlist, by its server and target.
  private static let known = Mutex<[String: String]>([:])

  /// Fails the test if what a server has answered breaks a rule of `PlaylistChecker` or `MediaChecker`. Other answers
  /// are not looked at.
  ///
  /// - Parameters:
  ///   - target: the target of the request, which says what the answer is.
  ///   - server: a name of the server, or nil if its playlists are not compared with earlier ones.
  package static func check(
    _ target: String, _ bytes: some Collection<UInt8>, of server: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = violations(target, Array(bytes), of: server)
    if !found.isEmpty {
      Issue.record("\(target): \(found.prefix(4).joined(separator: "; "))", sourceLocation: sourceLocation)
    }
  }

  static func violations(_ target: String, _ bytes: [UInt8], of server: String?) -> [String] {
    let path = target.prefix { $0 != "?" }
    let query = target.dropFirst(path.count + 1)
    if path.hasSuffix(".m3u8") {
      let text = String(decoding: bytes, as: UTF8.self)
      return PlaylistChecker.violations(in: text) + growth(of: text, server.map { "\($0) \(target)" })
    }
    if path.contains("/hls/"), path.hasSuffix(".m4s") { return MediaChecker.violations(ofSegment: bytes) }
    let isView = ["start=", "end=", "keyframe=", "keys="].contains { query.hasPrefix($0) }
    if path.hasSuffix(".mp4"), isView || path.hasPrefix("/cameras/") { return MediaChecker.violations(ofClip: bytes) }
    return []
  }

  /// Compares a growing playlist with its earlier state, which is of the same film if it has the same init segment.
  private static func growth(of text: String, _ name: String?) -> [String] {
    let playlist = Playlist(text)
    guard let name, playlist.values("EXT-X-PLAYLIST-TYPE") == ["EVENT"], !playlist.entries.isEmpty else { return [] }
    let earlier = known.withLock { known in
      let earlier = known[name]
      known[name] = text
      return earlier
    }
    guard let earlier, Playlist(earlier).values("EXT-X-MAP").first == playlist.values("EXT-X-MAP").first else {
      return []
    }
    return PlaylistChecker.violations(in: text, after: earlier)
  }
}
