internal import FootageBase

/// A response up to its body, as a client receives it.

/// The head of a response. It is immutable, with one copy of the head's bytes and one index.
package struct ResponseHead: Sendable {
  /// The rule for the end of the body (RFC 9112 §6.3).
  package enum Body: Hashable, Sendable {
    case none
    /// The body has this number of bytes, at least 1.
    case length(UInt64)
    case chunked
    /// The body ends where the connection ends. An interruption looks the same as an end, so the body must never be
    /// trusted as complete.
    case untilClose
  }

  /// The status (RFC 9110 §15).
  package let status: HTTPStatus
  /// The version (RFC 9112 §2.3).
  package let version: HTTPVersion
  /// True if the head says that the server keeps the connection (RFC 9112 §9.3). No server can keep it after a body
  /// that ends with the connection.
  package let keepsAlive: Bool
  /// The value of `Content-Length` in bytes, even if no body follows.
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

  /// Returns the body that follows if this head answers a request with `method`.
  package func body(answering method: HTTPMethod) -> Body {
    if method == .head || status.forbidsBody { return .none }
    return switch framing {
    case .chunked?: .chunked
    case .length(0)?, BodyFraming.none?: .none
    case .length(let length)?: .length(length)
    case nil: .untilClose
    }
  }

  /// Returns the value of a field that may occur only once, without blanks at its ends; nil if it is missing or
  /// repeated.
  package func value(of name: FieldName) -> ArraySlice<UInt8>? { fields.value(of: name) }

  /// Returns the value of a list-based field, its lines joined by commas (RFC 9110 §5.3); nil if it is missing.
  package func combinedValue(of name: FieldName) -> ArraySlice<UInt8>? { fields.combinedValue(of: name) }

  /// Returns the value as text, with bytes outside UTF-8 replaced; nil if it is missing or repeated.
  package func text(of name: FieldName) -> String? {
    fields.value(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The `ETag` field; nil if it is missing, repeated or malformed.
  package var entityTag: EntityTag? { fields.value(of: .etag).flatMap { EntityTag($0.span) } }

  /// The `Content-Range` field; nil if it is missing, repeated or malformed.
  package var contentRange: ContentRange? { fields.value(of: .contentRange).flatMap { ContentRange($0.span) } }

  /// The `Content-Encoding` field in lower case, its lines joined; nil if it is missing.
  package var contentEncoding: String? {
    fields.combinedValue(of: .contentEncoding).map { String(decoding: $0.map(ASCII.lowercased), as: UTF8.self) }
  }

  /// Returns the time in seconds to wait before the next request, by `Retry-After`; nil if it is missing, repeated or
  /// malformed.
  ///
  /// A date counts from the response's own `Date`, because a robot's clock may be years from this one (RFC 9110
  /// §10.2.3).
  ///
  /// - Parameter now: the present in Unix seconds, for a response without a date.
  package func retryAfterSeconds(now: Int64) -> UInt32? {
    guard let field = fields.value(of: .retryAfter) else { return nil }
    if !field.isEmpty, field.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // RFC 9110 §10.2.3 sets no limit on delay-seconds.
      return UInt32(String(decoding: field, as: UTF8.self)) ?? .max
    }
    guard let moment = HTTPDate.unixSeconds(field.span, now: now) else { return nil }
    let sent = fields.value(of: .date).flatMap { HTTPDate.unixSeconds($0.span, now: now) } ?? now
    return UInt32(clamping: moment - sent)
  }
}
