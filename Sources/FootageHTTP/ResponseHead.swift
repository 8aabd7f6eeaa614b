internal import FootageBase

/// A response up to its body, as the client's side receives it.

/// Immutable; one copy of the head's bytes and one index.
package struct ResponseHead: Sendable {
  /// How the body ends (RFC 9112 §6.3).
  package enum Body: Hashable, Sendable {
    case none
    /// In bytes, at least 1.
    case length(UInt64)
    case chunked
    /// Where the connection ends, so that a cut cannot be told from an end: never to be trusted as complete.
    case untilClose
  }

  /// RFC 9110 §15.
  package let status: HTTPStatus
  /// RFC 9112 §2.3.
  package let version: HTTPVersion
  /// Whether the server keeps the connection (RFC 9112 §9.3). Nobody does after a body that ends with it.
  package let keepsAlive: Bool
  /// `Content-Length` as it stands there, in bytes, also where no body follows.
  package let contentLength: UInt64?
  private let framing: BodyFraming?
  private let fields: FieldSection

  init(status: HTTPStatus, version: HTTPVersion, fields: FieldSection, framing: BodyFraming?, keepsAlive: Bool) {
    self.status = status
    self.version = version
    self.fields = fields
    self.framing = framing
    self.keepsAlive = keepsAlive
    contentLength = if case .length(let length)? = framing { length } else { nil }
  }

  /// The body that follows when this answers a request with `method`.
  package func body(answering method: HTTPMethod) -> Body {
    if method == .head || status.forbidsBody { return .none }
    return switch framing {
    case .chunked?: .chunked
    case .length(0)?, BodyFraming.none?: .none
    case .length(let length)?: .length(length)
    case nil: .untilClose
    }
  }

  /// The value of a field that may stand only once, without blanks at its ends; nil when it is missing or repeated.
  package func value(of name: FieldName) -> ArraySlice<UInt8>? { fields.value(of: name) }

  /// The value of a list-based field, its lines joined by commas (RFC 9110 §5.3); nil when it is missing.
  package func combinedValue(of name: FieldName) -> ArraySlice<UInt8>? { fields.combinedValue(of: name) }

  /// The value as text, bytes outside UTF-8 replaced; nil when it is missing or repeated.
  package func text(of name: FieldName) -> String? {
    fields.value(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The `ETag` field; nil when it is missing, repeated or malformed.
  package var entityTag: EntityTag? { fields.value(of: .etag).flatMap { EntityTag($0.span) } }

  /// The `Content-Range` field; nil when it is missing, repeated or malformed.
  package var contentRange: ContentRange? { fields.value(of: .contentRange).flatMap { ContentRange($0.span) } }

  /// The `Content-Encoding` field in lower case, its lines joined; nil when it is missing.
  package var contentEncoding: String? {
    fields.combinedValue(of: .contentEncoding).map { String(decoding: $0.map(ASCII.lowercased), as: UTF8.self) }
  }

  /// How long to wait before the next request, in seconds, by `Retry-After`; nil when it is missing, repeated or
  /// malformed.
  ///
  /// A moment counts from the response's own `Date`: a robot's clock may be years from ours (RFC 9110 §10.2.3).
  ///
  /// - Parameter now: in Unix seconds; for a response without a date.
  package func retryAfterSeconds(now: Int64) -> UInt32? {
    guard let field = fields.value(of: .retryAfter) else { return nil }
    if !field.isEmpty, field.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // RFC 9110 §10.2.3: delay-seconds have no limit.
      return UInt32(String(decoding: field, as: UTF8.self)) ?? .max
    }
    guard let moment = HTTPDate.unixSeconds(field.span, now: now) else { return nil }
    let sent = fields.value(of: .date).flatMap { HTTPDate.unixSeconds($0.span, now: now) } ?? now
    return UInt32(clamping: moment - sent)
  }
}
