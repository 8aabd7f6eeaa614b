internal import FootageAPI
internal import FootageHTTP
internal import FootageLibrary
internal import FootageSystem

/// What is said where a recording cannot be shown.
extension HTTPProblem {
  static let noSuchRecording = HTTPProblem(
    .notFound, .notFound, "There is no recording of that name: GET /recordings lists what there is.")

  static let notPermitted = HTTPProblem(
    .forbidden, .notPermitted,
    "This needs a right that your certificate does not give: whoever looks after the robot gives rights in viewers.conf."
  )

  static let gone = HTTPProblem(
    .notFound, .gone, "The recording is another version by now: ask for it without v, or for the version in the list.")

  static let busy = HTTPProblem(
    .serviceUnavailable, .busy,
    "Too many views are being made, or as many of this viewer's as may be: try again in a second.",
    fields: [("Retry-After", "1")])

  static let storeAway = HTTPProblem(
    .badGateway, .storeAway, "The recording is in the robot's store, which does not give it just now: try again later.",
    fields: [("Retry-After", "10")])

  static let changed = HTTPProblem(
    .serviceUnavailable, .changed, "The recording has just changed: try again in a second.",
    fields: [("Retry-After", "1")])

  /// What is said while a manifest is being made, which is no problem.
  static let manifestBeingMade = HTTPDocument(
    .accepted, mediaType: "application/json", bytes: Array("{\"state\":\"making\"}\n".utf8),
    fields: [("Cache-Control", "no-store"), ("Retry-After", String(LibraryLimits.manifestRetrySeconds))])

  /// What is said of what could not be opened.
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
          "The recording cannot be read just now: the server's log says why.", fields: [("Retry-After", "10")])
      }
  }
}

extension LibraryError {
  /// Whether a viewer brings it about at will: it must not fill the log.
  var isCausedByRequest: Bool {
    switch self {
    case .nothingToShow, .noManifest, .tooManyManifests, .noSuchPart, .noSuchFilm, .outside, .tooLong, .noFootage,
      .formatsDiffer:
      true
    default: false
    }
  }
}
