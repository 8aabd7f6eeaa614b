internal import FootageAPI
package import FootageBase
package import FootageHTTP

/// The answers to requests for a film or a clip that cannot be made.
extension HTTPProblem {
  /// - Parameters:
  ///   - before: the end of the last recording before the requested time; nil if there is none.
  ///   - after: the beginning of the first recording after the requested time; nil if there is none.
  package init(noFootageBefore before: UnixTimestamp?, after: UnixTimestamp?) {
    let moments: String =
      switch (before, after) {
      case (let before?, let after?):
        "the last recording before it ended at \(before.rfc3339), the next one begins at \(after.rfc3339)"
      case (let before?, nil): "the last recording before it ended at \(before.rfc3339)"
      case (nil, let after?): "the first recording begins at \(after.rfc3339)"
      case (nil, nil): "GET /cameras shows when each camera recorded"
      }
    self.init(.notFound, .noFootage, "Nothing playable was recorded in that time: \(moments).")
  }

  /// - Parameter targets: the targets of the parts, each as a clip of its own.
  package init(formatsDifferIn targets: [String]) {
    self.init(
      .conflict, .formatsDiffer,
      "The recordings of that time have different formats, which one clip cannot hold. Request its parts: "
        + targets.prefix(8).joined(separator: " ") + (targets.count > 8 ? " and \(targets.count - 8) more." : ""))
  }

  package static let noSuchPart = HTTPProblem(
    .notFound, .noSuchView, "The film has no such part: request one that its playlist lists.")

  package static let outside = HTTPProblem(
    .badRequest, .outside, "The recording ends before that: request a time within it; the list shows its duration.")

  package static let noSuchCursor = HTTPProblem(
    .badRequest, .badQuery, "The parameter after must be the value of Footage-Next in an earlier answer for this film.")

  package static let filmIsClosed = HTTPProblem(
    .gone, .closed, "The recording has ended and will not grow any more: request it by its name.")
}
