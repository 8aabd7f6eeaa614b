internal import FootageAPI
internal import HTTPSemantics
internal import HTTPTransport

/// What is said to who wants something changed, and asks for it in a way that a foreign page could.
extension HTTPProblem {
  static let foreignOrigin = HTTPProblem(
    .forbidden, .foreignOrigin, "A web page of another origin changes nothing here: use the robot's own page.")

  static let notJSON = HTTPProblem(
    .unsupportedMediaType, .notJSON, "Send JSON, with Content-Type: application/json.")
}
