internal import FootageDigest
internal import FootageAPI
package import FootageBase
internal import FootageMedia

/// What a target in a playback's own place shows: a part of its film, a playlist, a clip, a picture.
package struct PlaybackView: Sendable {
  /// Source 0 is the recording as it is served.
  package let bytes: Composition
  package let mediaType: String
  /// Strong, quotes included: the robot's own, unless the index was made here.
  package let entityTag: String
  /// Whether it was asked for by its version, and is that for ever.
  package let isForEver: Bool

  package init(bytes: Composition, mediaType: String, entityTag: String, isForEver: Bool) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.entityTag = entityTag
    self.isForEver = isForEver
  }
}

extension PlaybackView {
  /// A playlist, tagged by its words.
  init(playlist text: [UInt8]) {
    self.init(
      bytes: Composition(text, then: []), mediaType: FilmPlaylist.mediaType,
      entityTag: "\"\(Hexadecimal.encode(SHA256.hash(text).prefix(16)))\"", isForEver: false)
  }

  /// - Parameters:
  ///   - path: as on the robot.
  ///   - query: without its `?`.
  /// - Returns: nil where it is none of a robot's.
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

/// Why a playback has no such view.
package enum PlaybackViewError: Error, Hashable, Sendable {
  /// There is none of that name, or at that time; with the code and the words of the robot.
  case absent(code: String, String)
  /// What is asked for makes no sense; the same.
  case malformed(code: String, String)
  /// Its bytes, or its index, are not here, and do not come.
  case cache(MediaCacheError)
  /// The robot has to be asked, and does not give it.
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
        .outside, "The recording ends before that: ask for a time in it; its length is in the robot's list.")
    case .noSuchPart:
      self = .absent(.noSuchView, "The film has no such part: ask for those that its playlist lists.")
    default: self = .absent(.noSuchView, error.description)
    }
  }

  init(_ error: MediaCacheError) {
    // The robot has said that nothing can be made of it.
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

  static let notHere = PlaybackViewError.absent(.notFound, "This is no address of a playback.")
  static let gone = PlaybackViewError.absent(
    .gone, "This playback is of another version of the recording: open that anew, or ask without v.")
  static let notListed = PlaybackViewError.absent(
    .gone, "The camera's film has no such part: ask for those that its playlist lists.")
}
