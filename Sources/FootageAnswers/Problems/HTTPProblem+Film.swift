internal import FootageAPI
package import FootageBase
package import FootageHTTP

/// The answers if there is no such film or clip.
extension HTTPProblem {
  /// - Parameters:
  ///   - before: the end of the last recording before that time; nil if there is none.
  ///   - after: the beginning of the first recording after that time; nil if there is none.
  package init(noFootageBefore before: UnixTimestamp?, after: UnixTimestamp?) {
    let moments: String =
      switch (before, after) {
      case (let before?, let after?):
        "the last before it ended at \(before.rfc3339), the next begins at \(after.rfc3339)"
      case (let before?, nil): "the last before it ended at \(before.rfc3339)"
      case (nil, let after?): "the first begins at \(after.rfc3339)"
      case (nil, nil): "GET /cameras says when each camera recorded"
      }
    self.init(.notFound, .noFootage, "Nothing that plays was recorded in that time: \(moments).")
  }

  /// - Parameter targets: the targets of the parts, each as a clip of its own.
  package init(formatsDifferIn targets: [String]) {
    self.init(
      .conflict, .formatsDiffer,
      "The recordings of that time are of different formats, which one movie cannot hold. Ask for its parts: "
        + targets.prefix(8).joined(separator: " ") + (targets.count > 8 ? " and \(targets.count - 8) more." : ""))
  }

  package static let noSuchPart = HTTPProblem(
    .notFound, .noSuchView, "The film has no such part: ask for those that its playlist lists.")

  package static let outside = HTTPProblem(
    .badRequest, .outside, "The recording ends before that: ask for a time in it; the list says how long it is.")

  package static let noSuchCursor = HTTPProblem(
    .badRequest, .badQuery, "The parameter after has to be the field Footage-Next of an earlier answer of this film.")

  package static let filmIsClosed = HTTPProblem(
    .gone, .closed, "The recording has ended, and nothing more of it will come: ask for it by its name.")
}
