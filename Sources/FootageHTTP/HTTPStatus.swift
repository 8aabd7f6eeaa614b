/// The status code of a response, and its phrase.

/// The status of a response (RFC 9110 §15).
package struct HTTPStatus: Hashable, Sendable {
  /// The code, 100 to 999.
  package let code: Int

  /// - Parameter code: a code from 100 to 999.
  package init(_ code: Int) { self.code = code }

  package static let ok = HTTPStatus(200)
  package static let created = HTTPStatus(201)
  package static let accepted = HTTPStatus(202)
  package static let noContent = HTTPStatus(204)
  package static let partialContent = HTTPStatus(206)
  package static let notModified = HTTPStatus(304)
  package static let temporaryRedirect = HTTPStatus(307)
  package static let badRequest = HTTPStatus(400)
  package static let forbidden = HTTPStatus(403)
  package static let notFound = HTTPStatus(404)
  package static let methodNotAllowed = HTTPStatus(405)
  package static let conflict = HTTPStatus(409)
  package static let gone = HTTPStatus(410)
  package static let preconditionFailed = HTTPStatus(412)
  package static let contentTooLarge = HTTPStatus(413)
  package static let uriTooLong = HTTPStatus(414)
  package static let unsupportedMediaType = HTTPStatus(415)
  package static let rangeNotSatisfiable = HTTPStatus(416)
  package static let misdirectedRequest = HTTPStatus(421)
  package static let tooManyRequests = HTTPStatus(429)
  package static let requestHeaderFieldsTooLarge = HTTPStatus(431)
  package static let notImplemented = HTTPStatus(501)
  package static let badGateway = HTTPStatus(502)
  package static let serviceUnavailable = HTTPStatus(503)
  package static let httpVersionNotSupported = HTTPStatus(505)

  /// The phrase for people who read the message; empty for a code that this type does not name.
  package var reasonPhrase: StaticString {
    switch code {
    case 100: "Continue"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 507: "Insufficient Storage"
    default: ""
    }
  }

  /// True for 1xx: another head follows for the same request (RFC 9110 §15.2).
  package var isInformational: Bool { code < 200 }

  /// True if a response with this status never has a body (RFC 9112 §6.3).
  package var forbidsBody: Bool { code < 200 || code == 204 || code == 304 }
}
