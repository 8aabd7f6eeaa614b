internal import FootageAPI
internal import FootageBase

extension RobotConnection {
  /// The longest film, in milliseconds: what a robot lists at once (HTTP.md), a day of 25 hours and an hour beside it.
  private static let longestFilm: Int64 = 26 * 3_600_000
  /// Of a part of what is being recorded, in bytes: ten seconds at 50 Mbit/s.
  private static let partLimit = 64 << 20

  /// Opens what a camera recorded over some time, for a player of HLS: at `CameraPlayback.filmURL()`, across recordings and
  /// the gaps between them. It begins with the segment in which the time does.
  ///
  /// The robot is asked for the list of its parts, so it has to be there; each part then comes as that of a playback
  /// does, and is kept in the cache.
  ///
  /// - Parameters:
  ///   - camera: as `cameras()` names it; nil for the recordings without a camera.
  ///   - from: the beginning of the time.
  ///   - to: its end, behind the beginning and 26 hours later at most; not included. A moment ahead of the robot's clock
  ///     goes on with what is being recorded. Nil is 26 hours after the beginning.
  /// - Throws: `RobotError`: `.notFound` with the code `no-footage`, and the nearest moments in words, where nothing was
  ///   recorded then; `.notMade` where it would be too long; `.notSupported` where the robot is older than this; `.trust`,
  ///   `.identity`, `.notAllowed`, `.malformed`, `.cancelled`; `.unreachable`, after the retries.
  public func playback(
    ofCamera camera: String?, from: UnixTime, to: UnixTime? = nil
  ) async throws(RobotError) -> CameraPlayback {
    if let to, from >= to { throw .malformed("a time from \(from) to \(to) has nothing in it") }
    let start = UnixTimestamp(from)
    // Not the present, which may be too far from the beginning, or come to be while this plays.
    let end = to.map { UnixTimestamp($0) } ?? start.advanced(byMilliseconds: Self.longestFilm)
    let film = Resource.camera(name: camera, .playlist(from: start, to: .at(end)))
    let list: FilmList
    do throws(RobotError) { list = try await filmList(film, of: camera) } catch {
      guard case .notFound(_, .notFound, _) = error else { throw error }
      // An earlier robot has no films, and says so in the same words.
      if try await cameras().contains(where: { ExactName($0.name) == ExactName(camera) }) {
        throw .notSupported("it makes no films of a camera: update it")
      }
      throw error
    }
    return CameraPlayback(
      of: film, camera, by: self, list, try await timeline(camera: camera, from: from, to: UnixTime(end)))
  }

  /// The playlist of a camera's film, as it is now.
  func filmList(_ film: Resource, of camera: String?) async throws(RobotError) -> FilmList {
    let name = Self.words(for: camera)
    let text = try await requests.answered(MediaRequest(film.target), name: name, accepting: [200]) {
      (response: MediaResponse) async throws(RobotError) in
      try response.checkEncoding(name)
      return try await RobotRequests.document(response, limit: FilmList.limit)
    }
    guard let list = FilmList(text) else { throw .malformed("the film of \(name) is no playlist") }
    return list
  }

  /// A part of a film, as the robot makes it.
  func part(_ part: Resource, of camera: String?) async throws(RobotError) -> PlaybackView {
    let name = Self.words(for: camera)
    return try await requests.answered(MediaRequest(part.target), name: name, accepting: [200]) {
      (response: MediaResponse) async throws(RobotError) in
      try response.checkEncoding(name)
      guard let tag = response.entityTag else { throw .malformed("a part of the film of \(name) has no etag") }
      let bytes = try await RobotRequests.document(response, limit: Self.partLimit)
      return PlaybackView(bytes: Composition(bytes, then: []), mediaType: "video/mp4", entityTag: tag, isForEver: true)
    }
  }

  /// What is cached opens at once; what is not is asked about, and none of its bytes is fetched yet.
  func playbackOfFilm(_ name: String) async throws(RobotError) -> Playback {
    if await cachedPart(of: name) != nil { return try await playback(of: name) }
    return try await playback(of: try await recording(name))
  }

  private static func words(for camera: String?) -> String { camera ?? "the recordings without a camera" }
}
