internal import FootageAnswers
internal import FootageAPI
internal import FootageHTTP
internal import FootageLibrary
internal import FootageSystem

/// Problems with recordings that cannot be shown.
extension HTTPProblem {
  static let storeAway = HTTPProblem(
    .badGateway, .storeAway,
    "The recording is in the robot's store, which cannot provide it at the moment: try again later.",
    fields: [("Retry-After", "10")])

  /// The answer while a manifest is being made, which is not a problem.
  static let manifestBeingMade = HTTPDocument(
    .accepted, mediaType: "application/json", bytes: Array("{\"state\":\"making\"}\n".utf8),
    fields: [("Cache-Control", "no-store"), ("Retry-After", String(LibraryLimits.manifestRetrySeconds))])

  /// Creates the problem for a recording that could not be opened.
  init(_ error: LibraryError) {
    self =
      switch error {
      case .notReady(_, let reason): HTTPProblem(.notFound, .notReady, reason)
      case .nothingToShow(_, let reason), .noManifest(_, let reason): HTTPProblem(.notFound, .noSuchView, reason)
      case .noSuchPart: .noSuchPart
      case .noSuchFilm: .gone
      case .outside: .outside
      case .tooLong(let reason): HTTPProblem(.badRequest, .tooLong, reason)
      case .noFootage(let before, let after): HTTPProblem(noFootageBefore: before, after: after)
      case .formatsDiffer(let targets): HTTPProblem(formatsDifferIn: targets)
      case .tooManyManifests: .busy
      case .changed, .headDamaged, .indexDamaged: .changed
      case .storeAway: .storeAway
      case .storage(let error) where error.isAway: .storeAway
      default:
        HTTPProblem(
          .serviceUnavailable, .unreadable,
          "The recording cannot be read at the moment: see the server's log for the reason.",
          fields: [("Retry-After", "10")])
      }
  }
}

extension LibraryError {
  /// True if a viewer can cause the error at will, so that it must not be logged each time.
  var isCausedByRequest: Bool {
    switch self {
    case .nothingToShow, .noManifest, .tooManyManifests, .noSuchPart, .noSuchFilm, .outside, .tooLong, .noFootage,
      .formatsDiffer:
      true
    default: false
    }
  }
}
