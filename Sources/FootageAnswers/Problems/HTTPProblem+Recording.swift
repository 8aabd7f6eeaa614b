internal import FootageAPI
package import FootageHTTP

/// The answers if a recording cannot be shown.
extension HTTPProblem {
  package static let noSuchRecording = HTTPProblem(
    .notFound, .notFound, "There is no recording with that name: GET /recordings lists the recordings.")

  package static let noSuchCamera = HTTPProblem(
    .notFound, .notFound, "There is no camera with that name: GET /cameras lists the cameras.")

  package static let notPermitted = HTTPProblem(
    .forbidden, .notPermitted,
    "This needs a right that your certificate does not have: the robot's operator grants rights in viewers.conf."
  )

  package static let gone = HTTPProblem(
    .notFound, .gone,
    """
    The recording now has a different version: request it without the parameter v, or request the version in the list.
    """)

  package static let changed = HTTPProblem(
    .serviceUnavailable, .changed, "The recording has just changed: try again in a second.",
    fields: [("Retry-After", "1")])

  package static let notReady = HTTPProblem(
    .notFound, .notReady, "This is still being recorded: try again when the recorder has closed it.")

  /// - Parameter reason: a sentence, as in the list.
  package static func refused(_ reason: String) -> HTTPProblem { HTTPProblem(.notFound, .refused, reason) }
}
