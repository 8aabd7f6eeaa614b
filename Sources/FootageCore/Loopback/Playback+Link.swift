internal import FootageBase

extension Playback {
  /// Where any player of this user finds the recording: `http://127.0.0.1:PORT/TOKEN/NAME.mp4`. It has to be given a
  /// place in the proxy for that, which may have to be started.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  package func playerLink() throws(MediaCacheError) -> String { try linked().url(of: "\(place).mp4") }

  /// Where a player of HLS finds the recording's film: `http://127.0.0.1:PORT/TOKEN/recordings/NAME.m3u8`.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  package func filmLink() throws(MediaCacheError) -> String { try linked().url(of: "recordings/\(place).m3u8") }

  /// Gives it a place there on a thread of its own: making a link blocks no more from then on, but where the system has
  /// taken the port away.
  ///
  /// - Throws: as `filmLink`.
  package func prepareLink() async throws(MediaCacheError) { try await link(self) }

  /// The name is for people and for players that look at a URL's end; the token alone is looked up. A robot's name must
  /// neither have a player resolve the token away (RFC 3986 §5.2.4) nor be longer than the proxy takes.
  private var place: String {
    let parts = key.name.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.allSatisfy { $0 == UInt8(ascii: ".") } }
    let path = PercentEncoding.encodePath(parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/"))
    return path.isEmpty || path.utf8.count > Self.longestPlace ? "recording" : path
  }

  /// In bytes; a target may have 8 KiB.
  private static let longestPlace = 4096
}

extension CameraPlayback {
  /// Where a player of HLS finds the film: `http://127.0.0.1:PORT/TOKEN/cameras/CAM.m3u8?from=&to=`.
  ///
  /// - Throws: `.proxy` where this machine has no port or thread left.
  package func filmLink() throws(MediaCacheError) -> String { try linked().url(of: path) }

  /// As `Playback.prepareLink`.
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
