internal import FootageAPI
package import Formats
internal import ISOMedia

/// What a target in a playback's own place shows: a part of its film, a playlist, a clip, a picture.
package struct PlaybackView: Sendable {
  /// Source 0 is the recording as it is served.
  package let bytes: Composition
  package let mediaType: String
  /// Strong, quotes included: the robot's own, unless the index was made here.
  package let entityTag: String
  /// Whether it was asked for by its version, and is that for ever.
  package let isForEver: Bool
}

/// Why a playback has no such view.
package enum PlaybackViewError: Error, Hashable, Sendable {
  /// There is none of that name, or at that time; with the code and the words of the robot.
  case absent(code: String, String)
  /// What is asked for makes no sense; the same.
  case malformed(code: String, String)
  /// Its bytes, or its index, are not here, and do not come.
  case cache(MediaCacheError)
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
    if case .refused(_, .notFound(_, ProblemCode.noSuchView.rawValue, let detail)) = error {
      self = .absent(.noSuchView, detail)
    } else {
      self = .cache(error)
    }
  }

  static let gone = PlaybackViewError.absent(
    .gone, "This playback is of another version of the recording: open that anew, or ask without v.")
}
