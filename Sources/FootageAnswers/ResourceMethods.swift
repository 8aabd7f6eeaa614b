internal import FootageAPI
internal import FootageHTTP

/// The methods that a resource has.
enum ResourceMethods {
  case reading
  /// The resource is created with `PUT` and removed with `DELETE`.
  case putting
  /// The resource is an action that is run with `POST`.
  case posting

  func contains(_ method: HTTPMethod) -> Bool {
    switch (self, method) {
    case (_, .options), (.reading, .get), (.reading, .head), (.putting, .put), (.putting, .delete), (.posting, .post):
      true
    default: false
    }
  }

  /// True if the methods change nothing (RFC 9110 §9.2.1).
  var areSafe: Bool { self == .reading }

  /// The methods as in the field `Allow`.
  var words: String {
    switch self {
    case .reading: "GET, HEAD, OPTIONS"
    case .putting: "PUT, DELETE, OPTIONS"
    case .posting: "POST, OPTIONS"
    }
  }
}

extension ResourceMethods {
  /// Returns the answer to a request with a method that the resource does not have, or to `OPTIONS`.
  func refusal(of head: RequestHead, _ policy: CrossOriginPolicy?) -> HTTPResponse {
    guard head.method == .options else { return .document(HTTPProblem.methodNotAllowed(words).document) }
    let preflight = areSafe ? policy?.preflight(head) ?? [] : []
    return .document(
      HTTPDocument(.noContent, mediaType: "", bytes: [], fields: [("Allow", words)] + preflight))
  }
}

extension Resource {
  var methods: ResourceMethods {
    switch self {
    case .page, .health, .metrics, .recordings, .cameras, .film: .reading
    case .recording(_, .protection): .putting
    case .recording: .reading
    case .camera(_, .protection): .posting
    case .camera: .reading
    }
  }
}

extension Resource {
  /// Returns true if the resource takes more than a few milliseconds to make and is loaded by a page of another origin,
  /// which may not read the answer anyway. Such a page could otherwise request the resource again and again with the
  /// certificate of the person who views the page.
  func isRefused(to head: RequestHead, _ policy: CrossOriginPolicy?) -> Bool {
    isCostly && head.isLoadedByForeignPage && !(policy?.admits(head) ?? false)
  }

  private var isCostly: Bool {
    switch self {
    case .recordings, .cameras, .camera: true
    case .recording(_, let view):
      switch view {
      case .keyFrame, .clip, .keyFrames, .playlist, .mediaPlaylist, .keyFramePlaylist, .index, .manifest: true
      case .details, .movie, .raw, .protection: false
      }
    case .page, .health, .metrics, .film: false
    }
  }
}
