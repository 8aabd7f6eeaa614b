internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageLibrary

/// A requested film or clip of a camera, with its end resolved to a time.
struct CameraFilmRequest: Sendable {
  let camera: String?
  let range: Range<UnixTimestamp>
  /// True if it is requested as one MP4, false if as a playlist.
  let isClip: Bool
  /// True if it includes the footage that is recorded next.
  private let isGrowing: Bool

  /// The outcome of a request.
  enum Outcome {
    case film(CameraFilmRequest)
    /// The answer to a request that needs no film or clip; nil if there is no such resource.
    case answer(HTTPResponse?)
  }

  /// - Parameters:
  ///   - view: a playlist or a clip. A view of the timeline or of protection has the outcome `.answer(nil)`.
  ///   - growingEnd: returns the end of the last fragment of the camera's current recording.
  /// - Throws: `LibraryError.noFootage` for a clip that begins in the future.
  static func read(
    _ camera: String?, _ view: CameraView, now: UnixTimestamp, growingEnd: () -> UnixTimestamp?
  ) throws(LibraryError) -> Outcome {
    let from: UnixTimestamp
    let to: ViewEnd
    let isClip: Bool
    switch view {
    case .playlist(let start, let end):
      // The default start is a minute ago. The client learns it from the redirect.
      guard let start else {
        return .answer(redirect(camera, .playlist(from: now.advanced(byMilliseconds: -60_000), to: end)))
      }
      (from, to, isClip) = (start, end, false)
    case .clip(let start, let end): (from, to, isClip) = (start, end, true)
    case .timeline, .protection: return .answer(nil)
    }
    let end: UnixTimestamp
    switch to {
    case .at(let moment) where moment <= now: end = moment
    // A time that is not over yet has no fixed length: a clip is redirected to one that ends now.
    case .now, .at:
      guard !isClip else {
        guard from < now else { throw .noFootage(before: nil, after: nil) }
        // A growing recording lasts as long as its complete fragments.
        let last = growingEnd().map { min($0, now) } ?? now
        return .answer(redirect(camera, .clip(from: from, to: .at(max(last, from.advanced(byMilliseconds: 1))))))
      }
      end = max(now, from.advanced(byMilliseconds: 1))
    }
    return .film(CameraFilmRequest(camera: camera, range: from..<end, isClip: isClip, isGrowing: end >= now))
  }

  /// Returns the playlist or the clip of a film. Blocks.
  func view(of film: CameraFilm) throws(LibraryError) -> Representation {
    isClip ? try film.clip() : try film.playlist(isGrowing: isGrowing, prefix: "../")
  }

  /// Returns the fields of the answer, which name a saved clip after the robot and the camera.
  func fields(robot: String?, camera: String?, _ zone: TimeZoneRules) -> [(name: StaticString, value: String)] {
    guard isClip else { return [] }
    return [
      ("Content-Disposition", ClipName.disposition(robot: robot, camera: camera, from: range.lowerBound, zone))
    ]
  }

  /// Returns a redirect to another target of the same camera, relative to this one (RFC 9110 §15.4.8).
  private static func redirect(_ camera: String?, _ view: CameraView) -> HTTPResponse {
    let target = Resource.camera(name: camera, view).target
    let place = target.utf8.dropFirst("/cameras/".utf8.count)
    return .document(
      HTTPDocument(
        .temporaryRedirect, mediaType: "", bytes: [],
        fields: [("Location", "./" + String(decoding: place, as: UTF8.self)), ("Cache-Control", "no-store")]))
  }
}
