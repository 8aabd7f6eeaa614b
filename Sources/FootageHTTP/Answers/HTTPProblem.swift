internal import FootageBase

/// An error as a document for programs and people (RFC 9457).
package struct HTTPProblem: Sendable {
  private let status: HTTPStatus
  private let code: String
  private let detail: String
  private let fields: [(name: StaticString, value: String)]

  /// - Parameters:
  ///   - code: a stable code for programs, such as `not-ready`, `refused` or `bad-query`.
  ///   - detail: one sentence that says what to do.
  ///   - fields: further fields for the head.
  package init(
    status: HTTPStatus, code: String, detail: String, fields: [(name: StaticString, value: String)] = []
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.fields = fields
  }

  package var document: HTTPDocument {
    var json = JSONWriter()
    json.object { json in
      json.member("type", "about:blank")
      json.member("title", status.reasonPhrase.description)
      json.member("status", status.code)
      json.member("code", code)
      json.member("detail", NameBytes.shown(detail))
    }
    return HTTPDocument(
      status, mediaType: "application/problem+json", bytes: json.bytes + [UInt8(ascii: "\n")],
      fields: [("Cache-Control", "no-store")] + fields)
  }

  package static func notFound(_ detail: String, code: String = "not-found") -> HTTPProblem {
    HTTPProblem(status: .notFound, code: code, detail: detail)
  }

  package static func methodNotAllowed(_ allowed: String) -> HTTPProblem {
    HTTPProblem(
      status: .methodNotAllowed, code: "method-not-allowed",
      detail: "This resource does not support that method: use \(allowed).",
      fields: [("Allow", allowed)])
  }

  package static func message(_ refusal: MessageRefusal) -> HTTPProblem {
    HTTPProblem(status: refusal.status, code: refusal.code, detail: refusal.description)
  }

  /// Returns the answer to plain HTTP, in plain text that a browser or curl shows unchanged. It is for people, because
  /// programs use TLS.
  package static func needsTLS(authority: String?) -> HTTPDocument {
    let address = authority.map { "https://\($0)/" } ?? "an address that begins with https://"
    return HTTPDocument(
      .badRequest, mediaType: "text/plain; charset=utf-8",
      bytes: Array("This server accepts only HTTPS: use \(address)\n".utf8), fields: [("Cache-Control", "no-store")])
  }

  package static let preconditionFailed = HTTPProblem(
    status: .preconditionFailed, code: "precondition-failed",
    detail: "The current version is not the requested one: get it again.")

  package static func rangeNotSatisfiable(length: UInt64) -> HTTPProblem {
    HTTPProblem(
      status: .rangeNotSatisfiable, code: "range-not-satisfiable",
      detail: "This resource has \(length) bytes: request a range within them.")
  }
}
