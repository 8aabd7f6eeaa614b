internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageLibrary

/// A camera's film or clip that is wanted, with the present known.
struct CameraFilmRequest: Sendable {
  let camera: String?
  let range: Range<UnixTimestamp>
  /// Whether as one MP4, and not as a playlist.
  let isClip: Bool
  /// Whether what is recorded next belongs to it.
  private let isGrowing: Bool

  /// What becomes of a request.
  enum Outcome {
    case film(CameraFilmRequest)
    /// There is nothing to be made.
    case answer(HTTPResponse?)
  }

  /// - Parameters:
  ///   - view: nothing comes of one of the timeline or of protection.
  ///   - growingEnd: when the last fragment ends of what the camera records now.
  /// - Throws: `LibraryError.noFootage` of a clip that begins in the future.
  static func read(
    _ camera: String?, _ view: CameraView, now: UnixTimestamp, growingEnd: () -> UnixTimestamp?
  ) throws(LibraryError) -> Outcome {
    let from: UnixTimestamp
    let to: ViewEnd
    let isClip: Bool
    switch view {
    case .playlist(let start, let end):
      // A minute ago, which the answer says.
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
    // What is not over yet has no length: a clip is asked for again by where it ends now.
    case .now, .at:
      guard !isClip else {
        guard from < now else { throw .noFootage(before: nil, after: nil) }
        // Of what grows there is as much as whole fragments tell.
        let last = growingEnd().map { min($0, now) } ?? now
        return .answer(redirect(camera, .clip(from: from, to: .at(max(last, from.advanced(byMilliseconds: 1))))))
      }
      end = max(now, from.advanced(byMilliseconds: 1))
    }
    return .film(CameraFilmRequest(camera: camera, range: from..<end, isClip: isClip, isGrowing: end >= now))
  }

  /// What is shown of a film. Blocks.
  func view(of film: CameraFilm) throws(LibraryError) -> Representation {
    isClip ? try film.clip() : try film.playlist(isGrowing: isGrowing, prefix: "../hls/")
  }

  /// Of the answer: what is saved is called after robot and camera.
  func fields(robot: String?, camera: String?, _ zone: TimeZoneRules) -> [(name: StaticString, value: String)] {
    guard isClip else { return [] }
    return [
      ("Content-Disposition", ClipName.disposition(robot: robot, camera: camera, from: range.lowerBound, zone))
    ]
  }

  /// To another target of the same camera, relative to this one (RFC 9110 §15.4.8).
  private static func redirect(_ camera: String?, _ view: CameraView) -> HTTPResponse {
    let target = Resource.camera(name: camera, view).target
    let place = target.utf8.dropFirst("/cameras/".utf8.count)
    return .document(
      HTTPDocument(
        .temporaryRedirect, mediaType: "", bytes: [],
        fields: [("Location", "./" + String(decoding: place, as: UTF8.self)), ("Cache-Control", "no-store")]))
  }
}
