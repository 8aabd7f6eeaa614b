/// A request up to its body: what is asked for, of what, under which conditions.

internal import FootageBase

/// Immutable; one copy of the head's bytes and one index, whatever is asked of it.
package struct RequestHead: Sendable {
  /// RFC 9110 §9.
  package let method: HTTPMethod
  /// RFC 9112 §2.3.
  package let version: HTTPVersion
  /// Whether the client wants the connection kept after the response (RFC 9112 §9.3).
  package let keepsAlive: Bool
  /// Whether the client waits for 100 before it sends its body (RFC 9110 §10.1.1); never so in HTTP/1.0, or without a
  /// body.
  package let expectsContinue: Bool
  /// `.none` also for a `Content-Length` of 0.
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

  /// All of it, as it was sent.
  package var targetBytes: ArraySlice<UInt8> { fields.bytes[targetPlaces.whole] }

  /// Still percent-encoded, without the query: `/` first, or `*` alone. Every `%` in it begins a whole escape.
  package var path: ArraySlice<UInt8> { fields.bytes[targetPlaces.path] }

  /// Still encoded, without its `?`; nil when there is none.
  package var query: ArraySlice<UInt8>? { targetPlaces.query.map { fields.bytes[$0] } }

  /// Host and port that the client addressed: the target's, else the `Host` field's (RFC 9112 §3.2.2).
  package var authority: ArraySlice<UInt8>? {
    targetPlaces.authority.map { fields.bytes[$0] } ?? fields.value(of: .host)
  }

  /// The target for a quoted log line: `"` and `\` escaped as `\xHH`. Allocates.
  package var target: String { LogText.escaped(fields.bytes[targetPlaces.whole]) }

  /// The method as it was sent, for a log line. Allocates.
  package var methodText: String {
    LogText.escaped(fields.bytes[..<(targetPlaces.whole.lowerBound - 1)].drop { $0 < 0x21 })
  }

  /// The value of a field that may stand only once, without blanks at its ends; nil when it is missing or repeated.
  package func value(of name: FieldName) -> ArraySlice<UInt8>? { fields.value(of: name) }

  /// The value of a list-based field, its lines joined by commas (RFC 9110 §5.3); nil when it is missing.
  package func combinedValue(of name: FieldName) -> ArraySlice<UInt8>? { fields.combinedValue(of: name) }

  /// The value for a quoted log line, escaped; nil when it is missing. Allocates.
  package func logText(of name: FieldName) -> String? {
    fields.combinedValue(of: name).map { LogText.escaped($0) }
  }
}

/// What a peer sent, made harmless for a line of a log.
package enum LogText {
  /// In bytes: a peer may send kilobytes for free, and whoever reads the log knows by then what it was.
  static let limit = 256

  /// Everything but printable ASCII, and `"` and `\`, as `\xHH`; what is longer than `limit` is cut and ends with `…`,
  /// which nothing that was sent can look like.
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
