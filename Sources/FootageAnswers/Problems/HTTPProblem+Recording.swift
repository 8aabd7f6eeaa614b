internal import FootageAPI
package import FootageHTTP

/// The answers if a recording cannot be shown.
extension HTTPProblem {
  package static let noSuchRecording = HTTPProblem(
    .notFound, .notFound, "There is no recording of that name: GET /recordings lists what there is.")

  package static let noSuchCamera = HTTPProblem(
    .notFound, .notFound, "There is no camera of that name: GET /cameras lists those that there are.")

  package static let notPermitted = HTTPProblem(
    .forbidden, .notPermitted,
    "This needs a right that your certificate does not give: whoever looks after the robot gives rights in viewers.conf."
  )

  package static let gone = HTTPProblem(
    .notFound, .gone, "The recording is another version by now: ask for it without v, or for the version in the list.")

  package static let changed = HTTPProblem(
    .serviceUnavailable, .changed, "The recording has just changed: try again in a second.",
    fields: [("Retry-After", "1")])

  package static let notReady = HTTPProblem(
    .notFound, .notReady, "It is still being recorded: try again when the recorder has closed it.")

  /// - Parameter reason: a sentence, as in the list.
  package static func refused(_ reason: String) -> HTTPProblem { HTTPProblem(.notFound, .refused, reason) }
}
