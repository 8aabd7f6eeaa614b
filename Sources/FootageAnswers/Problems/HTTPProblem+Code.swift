package import FootageAPI
package import FootageHTTP

extension HTTPProblem {
  /// - Parameter detail: one sentence that says what to do.
  package init(
    _ status: HTTPStatus, _ code: ProblemCode, _ detail: String,
    fields: [(name: StaticString, value: String)] = []
  ) {
    self.init(status: status, code: code.rawValue, detail: detail, fields: fields)
  }

  package init(_ error: ResourceError) {
    let status: HTTPStatus =
      switch error {
      case .unknownPath: .notFound
      case .badQuery: .badRequest
      }
    self.init(status, error.code, error.detail)
  }
}
