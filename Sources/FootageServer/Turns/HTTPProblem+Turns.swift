internal import FootageAnswers
internal import FootageAPI
internal import FootageHTTP

/// Problems for a viewer who has as much in progress as one viewer may.
extension HTTPProblem {
  static let busy = HTTPProblem(
    .serviceUnavailable, .busy,
    "Too many views are being made, in total or for this viewer: try again in a second.",
    fields: [("Retry-After", "1")])

  static let tooManyAsked = HTTPProblem(
    .serviceUnavailable, .busy,
    "\(DocumentQueue.placesOfViewer) lists and timelines of this viewer are already being made: try again in a second.",
    fields: [("Retry-After", "1")])

  static let tooManyWait = HTTPProblem(
    .tooManyRequests, .tooManyWaiting,
    "\(ViewerPlaces.usualLimit) requests of this viewer are already waiting: cancel one of them, or send this one "
      + "without waiting.",
    fields: [("Retry-After", "10")])
}
