internal import FootageAPI
package import FootageHTTP

/// The answers to requests that are rejected because of their method, their origin or their media type.
extension HTTPProblem {
  package static let unknownMethod = HTTPProblem(.notImplemented, .unknownMethod, "Use GET, HEAD or OPTIONS.")

  package static let foreignOrigin = HTTPProblem(
    .forbidden, .foreignOrigin, "A web page of another origin cannot change anything here: use the robot's own page.")

  /// The answer to a page of another origin that makes a browser load a list or a view.
  package static let foreignReader = HTTPProblem(
    .forbidden, .foreignOrigin,
    "A web page of another origin cannot load lists or views unless its origin is allowed (--allow-origin): open the "
      + "link directly, or use the robot's own page.")

  package static let notJSON = HTTPProblem(
    .unsupportedMediaType, .notJSON, "Send JSON, with Content-Type: application/json.")
}
