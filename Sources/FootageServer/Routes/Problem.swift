/// Errors as documents for programs and people (RFC 9457).

internal import Formats
internal import HTTPSemantics
internal import HTTPTransport

struct Problem {
  let status: HTTPStatus
  /// Stable, for programs: `not-ready`, `refused`, `bad-query`.
  let code: String
  /// One sentence that says what to do.
  let detail: String
  var fields: [(name: StaticString, value: String)] = []

  var document: HTTPDocument {
    var json = JSONWriter()
    json.object { json in
      json.member("type", "about:blank")
      json.member("title", status.reasonPhrase.description)
      json.member("status", status.code)
      json.member("code", code)
      json.member("detail", detail)
    }
    return HTTPDocument(
      status, mediaType: "application/problem+json", bytes: json.bytes + [UInt8(ascii: "\n")],
      fields: [("Cache-Control", "no-store")] + fields)
  }

  static func notFound(_ detail: String, code: String = "not-found") -> Problem {
    Problem(status: .notFound, code: code, detail: detail)
  }

  static func methodNotAllowed(_ allowed: String) -> Problem {
    Problem(
      status: .methodNotAllowed, code: "method-not-allowed", detail: "This resource can be read only: use \(allowed).",
      fields: [("Allow", allowed)])
  }
}
