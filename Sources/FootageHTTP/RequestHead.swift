/// A request up to its body: the method, the target and the conditions.

internal import FootageBase

/// The head of a request. It is immutable, with one copy of the head's bytes and one index for all queries.
package struct RequestHead: Sendable {
  /// The method (RFC 9110 §9).
  package let method: HTTPMethod
  /// The version (RFC 9112 §2.3).
  package let version: HTTPVersion
  /// True if the client wants the connection kept after the response (RFC 9112 §9.3).
  package let keepsAlive: Bool
  /// True if the client waits for 100 before it sends its body (RFC 9110 §10.1.1). It is false in HTTP/1.0 and without
  /// a body.
  package let expectsContinue: Bool
  /// The framing of the body, which is also `.none` for a `Content-Length` of 0.
  package let body: BodyFraming
  let fields: FieldSection
  private let targetPlaces: RequestTarget

  init(
    method: HTTPMethod, version: HTTPVersion, target: RequestTarget, fields: FieldSection, body: BodyFraming,
    keepsAlive: Bool, expectsContinue: Bool
  ) {
    self.method = method
    self.version = version
    self.targetPlaces = target
    self.fields = fields
    self.body = body
    self.keepsAlive = keepsAlive
    self.expectsContinue = expectsContinue
  }

  /// The whole target as it was sent.
  package var targetBytes: ArraySlice<UInt8> { fields.bytes[targetPlaces.whole] }

  /// The path without the query, still percent-encoded. It begins with `/`, or is just `*`. Every `%` in it begins a
  /// complete escape.
  package var path: ArraySlice<UInt8> { fields.bytes[targetPlaces.path] }

  /// The query without its `?`, still encoded; nil if there is none.
  package var query: ArraySlice<UInt8>? { targetPlaces.query.map { fields.bytes[$0] } }

  /// The host and port that the client addressed: the target's, or else the `Host` field's (RFC 9112 §3.2.2).
  package var authority: ArraySlice<UInt8>? {
    targetPlaces.authority.map { fields.bytes[$0] } ?? fields.value(of: .host)
  }

  /// The target for a quoted log line, with `"` and `\` escaped as `\xHH`. It allocates.
  package var target: String { LogText.escaped(fields.bytes[targetPlaces.whole]) }

  /// The method as it was sent, for a log line. It allocates.
  package var methodText: String {
    LogText.escaped(fields.bytes[..<(targetPlaces.whole.lowerBound - 1)].drop { $0 < 0x21 })
  }

  /// Returns the value of a field that may occur only once, without blanks at its ends; nil if it is missing or
  /// repeated.
  package func value(of name: FieldName) -> ArraySlice<UInt8>? { fields.value(of: name) }

  /// Returns the value of a list-based field, its lines joined by commas (RFC 9110 §5.3); nil if it is missing.
  package func combinedValue(of name: FieldName) -> ArraySlice<UInt8>? { fields.combinedValue(of: name) }

  /// Returns the value for a quoted log line, escaped; nil if it is missing. It allocates.
  package func logText(of name: FieldName) -> String? {
    fields.combinedValue(of: name).map { LogText.escaped($0) }
  }
}

/// Makes text from a peer safe for a line of a log.
package enum LogText {
  /// The most bytes of a text. A peer could otherwise fill the log; this many bytes are enough to recognize what it
  /// sent.
  static let limit = 256

  /// Returns the text with everything except printable ASCII, and `"` and `\`, as `\xHH`. A longer text than `limit` is
  /// cut and ends with `…`, which no escaped text can contain.
  package static func escaped(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(min(bytes.count, limit + 3))
    for byte in bytes {
      let isPlain =
        byte >= ASCII.space && byte < ASCII.delete && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      guard text.count + (isPlain ? 1 : 4) <= limit else {
        text.append(contentsOf: "…".utf8)
        break
      }
      if isPlain {
        text.append(byte)
      } else {
        text.append(contentsOf: "\\x".utf8)
        text.append(Hexadecimal.digit(byte >> 4))
        text.append(Hexadecimal.digit(byte & 15))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
