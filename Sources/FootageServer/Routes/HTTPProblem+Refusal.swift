internal import FootageAnswers
internal import FootageAPI
internal import FootageHTTP
internal import FootageServing

/// The fields of every answer. They forbid interpreting it as a page or a script. Pages of other origins cannot embed
/// an answer either, unless they may read it. From an embedded answer they could learn whether recordings exist, and
/// how long they are.
enum CommonFields {
  static let ofOwnPages: StaticString =
    "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n"
  static let ofOtherPages: StaticString = "X-Content-Type-Options: nosniff\r\n"
}

/// Problems that can be the answer to a request for any resource.
extension HTTPProblem {
  static func document(for refusal: ResponseRefusal) -> HTTPDocument {
    switch refusal {
    case .message(let refusal): HTTPProblem.message(refusal).document
    case .preconditionFailed: HTTPProblem.preconditionFailed.document
    case .rangeNotSatisfiable(let length): HTTPProblem.rangeNotSatisfiable(length: length).document
    case .bodyFailed(.away): HTTPProblem.storeAway.document
    case .bodyFailed: HTTPProblem.changed.document
    case .certificateRequired(let request): CertificateRequired.document(for: request)
    case .needsTLS(let authority): HTTPProblem.needsTLS(authority: authority)
    }
  }
}
