/// The reason why a target names no resource.
package enum ResourceError: Error, Hashable, Sendable {
  /// There is nothing at this path.
  case unknownPath
  /// The query is invalid. The text is a sentence that says what was expected.
  case badQuery(String)

  package var code: ProblemCode {
    switch self {
    case .unknownPath: .notFound
    case .badQuery: .badQuery
    }
  }

  /// A sentence that says what to do.
  package var detail: String {
    switch self {
    case .unknownPath: "There is nothing at this path: GET /recordings lists the recordings."
    case .badQuery(let detail): detail
    }
  }
}
