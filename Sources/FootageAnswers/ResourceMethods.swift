internal import FootageAPI
internal import FootageHTTP

/// Which methods a resource has.
enum ResourceMethods {
  case reading
  /// Something is put there, and taken away.
  case putting
  /// Something is done.
  case posting

  func contains(_ method: HTTPMethod) -> Bool {
    switch (self, method) {
    case (_, .options), (.reading, .get), (.reading, .head), (.putting, .put), (.putting, .delete), (.posting, .post):
      true
    default: false
    }
  }

  /// Whether they change nothing (RFC 9110 §9.2.1).
  var areSafe: Bool { self == .reading }

  /// As the field `Allow` has them.
  var words: String {
    switch self {
    case .reading: "GET, HEAD, OPTIONS"
    case .putting: "PUT, DELETE, OPTIONS"
    case .posting: "POST, OPTIONS"
    }
  }
}

extension ResourceMethods {
  /// The answer to what is not one of these methods, and to the question which they are.
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
  /// True if a page of another origin loads it that may not read it anyway: what costs more than a few milliseconds to make
  /// is not made for such a page, which could ask for it with the certificate of whoever looks at that page, again and
  /// again.
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
