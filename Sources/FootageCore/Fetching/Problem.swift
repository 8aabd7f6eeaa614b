internal import FootageAPI
internal import FootageBase

/// The robot's own explanation for refusing a request (RFC 9457).
enum Problem {
  private static let documentLimit = 64 << 10

  /// Returns the error for an answer with a status other than 200 and 206.
  ///
  /// - Parameter name: the name of the requested recording or view.
  static func error(of response: MediaResponse, name: String) async -> RobotError {
    // A problem without its document is still a problem.
    let bytes = (try? await RobotRequests.document(response, limit: documentLimit)) ?? []
    guard !Task.isCancelled else { return .cancelled }
    let json = JSONValue(bytes)
    let code = json?["code"]?.string ?? ""
    let detail = json?["detail"]?.string ?? "the robot gave no reason"
    return switch response.status {
    // Earlier robots reported this with an alert (RFC 8446 §6.2).
    case 403 where code == ProblemCode.certificateRequired.rawValue: .identity(.needed)
    case 400 where code == ProblemCode.unsupportedView.rawValue: .notSupported(detail)
    case 401, 403: .notAllowed(status: response.status, reason: detail)
    case 404, 410:
      .notFound(
        name: name, code: code.isEmpty ? .notFound : RobotError.Code(rawValue: code),
        reason: json == nil ? "not found" : detail)
    // Earlier robots treat the resource like any other that is only read.
    case 405: .notSupported("it is too old for this request: update it")
    case 409 where code == ProblemCode.cannotKeep.rawValue: .notKept(name: name, reason: detail)
    case 400, 409:
      [.tooLong, .outside, .formatsDiffer].contains(ProblemCode(rawValue: code))
        ? .notMade(name: name, code: RobotError.Code(rawValue: code), reason: detail)
        : .unexpected(status: response.status, reason: detail)
    case 416: .outOfRange(name: name, length: response.contentRange?.length)
    case 408, 425, 429, 500, 502, 503, 504: .unavailable(status: response.status, reason: detail)
    default: .unexpected(status: response.status, reason: detail)
    }
  }
}
