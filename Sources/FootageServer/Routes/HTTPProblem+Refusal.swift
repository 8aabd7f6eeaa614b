internal import FootageAnswers
internal import FootageAPI
internal import FootageHTTP
internal import FootageServing

/// The fields of every answer. They forbid interpreting it as a page or a script. Unless pages of other origins may
/// read it, the fields also keep those pages from embedding it. From an embedded response they could learn whether
/// there are recordings, and how long they are.
enum CommonFields {
  static let ofOwnPages: StaticString =
    "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n"
  static let ofOtherPages: StaticString = "X-Content-Type-Options: nosniff\r\n"
}

/// Problems that are answered instead of the requested resource, whatever it was.
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
