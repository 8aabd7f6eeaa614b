internal import FootageDigest
internal import FootageAPI
package import FootageBase
internal import FootageMedia

/// The content at a target below a playback's URL: a part of its film, a playlist, a clip or a picture.
package struct PlaybackView: Sendable {
  /// The bytes of the view. Source 0 is the recording as it is served.
  package let bytes: Composition
  package let mediaType: String
  /// The strong entity tag, with its quotes. It is the same as the robot's, unless the index was made on this device.
  package let entityTag: String
  /// True if the request named the version, so that the view never changes.
  package let isForEver: Bool

  package init(bytes: Composition, mediaType: String, entityTag: String, isForEver: Bool) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.entityTag = entityTag
    self.isForEver = isForEver
  }
}

extension PlaybackView {
  /// Creates the view of a playlist, with a tag that is made from its text.
  init(playlist text: [UInt8]) {
    self.init(
      bytes: Composition(text, then: []), mediaType: FilmPlaylist.mediaType,
      entityTag: "\"\(Hexadecimal.encode(SHA256.hash(text).prefix(16)))\"", isForEver: false)
  }

  /// - Parameters:
  ///   - path: the path, as a robot would receive it.
  ///   - query: the query without its `?`.
  /// - Returns: nil if a robot has no such path.
  static func resource(
    _ path: [UInt8], _ query: ArraySlice<UInt8>?
  ) throws(PlaybackViewError) -> Resource? {
    do throws(ResourceError) { return try Resource(path: path[...], query: query) } catch {
      switch error {
      case .unknownPath: return nil
      case .badQuery: throw .malformed(error.code, error.detail)
      }
    }
  }
}

/// The reason why a playback has no such view.
package enum PlaybackViewError: Error, Hashable, Sendable {
  /// There is no view of that name, or at that time. The values are the robot's code and explanation for this problem.
  case absent(code: String, String)
  /// The request is invalid. The values are the robot's code and explanation for this problem.
  case malformed(code: String, String)
  /// The bytes of the view, or its index, are not cached and cannot be fetched.
  case cache(MediaCacheError)
  /// The robot must be asked for the view, but does not provide it.
  case robot(RobotError)
}

extension PlaybackViewError {
  static func absent(_ code: ProblemCode, _ detail: String) -> Self { .absent(code: code.rawValue, detail) }
  static func malformed(_ code: ProblemCode, _ detail: String) -> Self { .malformed(code: code.rawValue, detail) }

  init(_ error: ViewError) {
    switch error {
    case .tooLong(let reason): self = .malformed(.tooLong, reason)
    case .outside:
      self = .malformed(
        .outside, "The recording ends before that: request a time within it; the robot's list shows its duration.")
    case .noSuchPart:
      self = .absent(.noSuchView, "The film has no such part: request one that its playlist lists.")
    default: self = .absent(.noSuchView, error.description)
    }
  }

  init(_ error: MediaCacheError) {
    // The robot has said that no film can be made of the recording.
    if case .refused(_, .notFound(_, .noSuchView, let detail)) = error {
      self = .absent(.noSuchView, detail)
    } else {
      self = .cache(error)
    }
  }

  init(_ error: RobotError) {
    switch error {
    case .notFound(_, let code, let detail): self = .absent(code: code.rawValue, detail)
    default: self = .robot(error)
    }
  }

  static let notHere = PlaybackViewError.absent(.notFound, "This is not the address of a playback.")
  static let gone = PlaybackViewError.absent(
    .gone, "This playback has a different version of the recording: open the recording again, or omit v.")
  static let otherTrack = PlaybackViewError.absent(
    .noSuchView, "A playback shows the video track that films show: request another one from the robot.")
  static let notListed = PlaybackViewError.absent(
    .gone, "The camera's film has no such part: request one that its playlist lists.")
}
