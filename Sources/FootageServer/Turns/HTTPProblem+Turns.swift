internal import FootageAnswers
internal import FootageAPI
internal import FootageHTTP

/// Problems for a viewer who has as much in progress as one viewer may.
extension HTTPProblem {
  static let busy = HTTPProblem(
    .serviceUnavailable, .busy,
    "Too many views are being made, or as many of this viewer's as may be: try again in a second.",
    fields: [("Retry-After", "1")])

  static let tooManyAsked = HTTPProblem(
    .serviceUnavailable, .busy,
    "\(DocumentQueue.placesOfViewer) lists and timelines of this viewer are being made already: try again in a second.",
    fields: [("Retry-After", "1")])

  static let tooManyWait = HTTPProblem(
    .tooManyRequests, .tooManyWaiting,
    "\(ViewerPlaces.usualLimit) requests of this viewer wait already: end one of them, or ask without waiting.",
    fields: [("Retry-After", "10")])
}
