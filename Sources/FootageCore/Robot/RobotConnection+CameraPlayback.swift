internal import FootageAPI
internal import FootageBase

extension RobotConnection {
  /// The length of the longest film, in milliseconds. A robot lists at most this much at once (http.md): a 25-hour day
  /// plus one hour.
  private static let longestFilm: Int64 = 26 * 3_600_000
  /// The size limit for a part of a growing recording, in bytes: ten seconds at 50 Mbit/s.
  private static let partLimit = 64 << 20

  /// Opens what a camera recorded in a time range for an HLS player, at `CameraPlayback.filmURL()`, across recordings
  /// and the gaps between them. The film starts with the segment that contains the beginning of the range.
  ///
  /// The robot is asked for the list of the film's parts, so it has to be reachable. Each part is then fetched like the
  /// bytes of a playback, and kept in the cache.
  ///
  /// - Parameters:
  ///   - camera: as `cameras()` names it; nil for the recordings without a camera.
  ///   - from: the beginning of the range.
  ///   - to: its end, later than `from` by at most 26 hours; not included. If it is ahead of the robot's clock, the
  ///     film continues with what is being recorded. Nil means 26 hours after `from`.
  /// - Throws: `RobotError`: `.notFound` with the code `no-footage` and a text with the nearest moments if nothing was
  ///   recorded then; `.notMade` if the film would be too long; `.notSupported` if the robot is too old to make films;
  ///   `.trust`, `.identity`, `.notAllowed`, `.malformed`, `.cancelled`; `.unreachable`, after the retries.
  public func playback(
    ofCamera camera: String?, from: UnixTime, to: UnixTime? = nil
  ) async throws(RobotError) -> CameraPlayback {
    if let to, from >= to { throw .malformed("the time range from \(from) to \(to) is empty") }
    let start = UnixTimestamp(from)
    // This is not the present, which may be too far from the beginning, or become so while this plays.
    let end = to.map { UnixTimestamp($0) } ?? start.advanced(byMilliseconds: Self.longestFilm)
    let film = Resource.camera(name: camera, .playlist(from: start, to: .at(end)))
    let list: FilmList
    do throws(RobotError) { list = try await filmList(film, of: camera) } catch {
      guard case .notFound(_, .notFound, _) = error else { throw error }
      // An older robot has no films, and gives the same answer.
      if try await cameras().contains(where: { ExactName($0.name) == ExactName(camera) }) {
        throw .notSupported("it does not make films of a camera: update it")
      }
      throw error
    }
    return CameraPlayback(
      of: film, camera, by: self, list, try await timelineOfFilms(camera: camera, from: from, to: UnixTime(end)))
  }

  /// Returns the current playlist of a camera's film.
  func filmList(_ film: Resource, of camera: String?) async throws(RobotError) -> FilmList {
    let name = Self.words(for: camera)
    let text = try await requests.answered(MediaRequest(film.target), name: name, accepting: [200]) {
      (response: MediaResponse) async throws(RobotError) in
      try response.checkEncoding(name)
      return try await RobotRequests.document(response, limit: FilmList.limit)
    }
    guard let list = FilmList(text) else { throw .malformed("the film of \(name) is not a valid playlist") }
    return list
  }

  /// Returns a part of a film, from the robot, without the cache.
  func part(_ part: Resource, of camera: String?) async throws(RobotError) -> PlaybackView {
    let name = Self.words(for: camera)
    return try await requests.answered(MediaRequest(part.target), name: name, accepting: [200]) {
      (response: MediaResponse) async throws(RobotError) in
      try response.checkEncoding(name)
      guard let tag = response.entityTag else { throw .malformed("a part of the film of \(name) has no ETag") }
      let bytes = try await RobotRequests.document(response, limit: Self.partLimit)
      return PlaybackView(bytes: Composition(bytes, then: []), mediaType: "video/mp4", entityTag: tag, isForEver: true)
    }
  }

  /// Opens a recording of a film. A cached one opens at once; otherwise the robot is asked for the recording, and none
  /// of its bytes are fetched yet.
  func playbackOfFilm(_ name: String) async throws(RobotError) -> Playback {
    if await cachedPart(of: name) != nil { return try await playback(of: name) }
    return try await playback(of: try await recording(name))
  }

  private static func words(for camera: String?) -> String { camera ?? "the recordings without a camera" }
}
