internal import FootageBase

extension Playback {
  /// Returns the URL at which any player of this user finds the recording: `http://127.0.0.1:PORT/TOKEN/NAME.mp4`. The
  /// call registers the recording with the proxy, and starts the proxy if necessary.
  ///
  /// - Throws: `.proxy` if this machine has no port or thread left.
  package func playerLink() throws(MediaCacheError) -> String { try linked().url(of: "\(place).mp4") }

  /// Returns the URL at which a player of HLS finds the recording's film:
  /// `http://127.0.0.1:PORT/TOKEN/recordings/NAME.m3u8`.
  ///
  /// - Throws: `.proxy` if this machine has no port or thread left.
  package func filmLink() throws(MediaCacheError) -> String { try linked().url(of: "recordings/\(place).m3u8") }

  /// Registers the recording with the proxy, on a separate thread. From then on, making a link does not block unless
  /// the system has closed the proxy's port.
  ///
  /// - Throws: the errors of `filmLink`.
  package func prepareLink() async throws(MediaCacheError) { try await link(self) }

  /// The name of the recording in a URL, for people and for players that examine the end of a URL. The proxy uses only
  /// the token. The name is made safe: it must not contain dot segments, with which a player could remove the token
  /// (RFC 3986 §5.2.4), nor be longer than the proxy accepts.
  private var place: String {
    let parts = key.name.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.allSatisfy { $0 == UInt8(ascii: ".") } }
    let path = PercentEncoding.encodePath(parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/"))
    return path.isEmpty || path.utf8.count > Self.longestPlace ? "recording" : path
  }

  /// The longest name in bytes. A target may have 8 KiB.
  private static let longestPlace = 4096
}

extension CameraPlayback {
  /// Returns the URL at which a player of HLS finds the film: `http://127.0.0.1:PORT/TOKEN/cameras/CAM.m3u8?from=&to=`.
  ///
  /// - Throws: `.proxy` if this machine has no port or thread left.
  package func filmLink() throws(MediaCacheError) -> String { try linked().url(of: path) }

  /// Registers the film with the proxy. See `Playback.prepareLink`.
  package func prepareLink() async throws(MediaCacheError) { try await link(self) }
}

private func link(_ place: some ProxiedPlace) async throws(MediaCacheError) {
  let outcome: Result<Void, MediaCacheError>
  do throws(RobotError) {
    outcome = try await DetachedWork.run("player-link") {
      Result { () throws(MediaCacheError) in _ = try place.linked() }
    }
  } catch { throw .proxy("\(error)") }
  try outcome.get()
}
