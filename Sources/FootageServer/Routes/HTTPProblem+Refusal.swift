internal import FootageAnswers
internal import FootageAPI
internal import FootageHTTP
internal import FootageServing

/// What stands in every answer: that it is never to be taken for a page or a script; and, unless other origins' pages may
/// read it, not to be embedded by them, which could learn from it whether and how long there are recordings.
enum CommonFields {
  static let ofOwnPages: StaticString =
    "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n"
  static let ofOtherPages: StaticString = "X-Content-Type-Options: nosniff\r\n"
}

/// What is said to viewers in place of what they asked for, whatever that was.
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
