/// The reason why a message, or the body of one, is rejected: it breaks RFC 9112, or one of this program's limits.

/// The rejection of a message: what is wrong, where, and what to do. The connection is closed after it.
package struct MessageRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule or limit that was broken.
  package let reason: Reason
  /// The position of the fault in bytes from the start of the head or the body.
  package let offset: Int

  /// The rule or limit that the message violates. The raw value is the stable code of the problem document.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    case bareLineFeed = "bare-line-feed"
    case bareCarriageReturn = "bare-carriage-return"
    case controlByte = "control-byte"
    case requestLineMalformed = "malformed-request-line"
    case requestLineEmpty = "empty-request-line"
    case targetMalformed = "malformed-target"
    case targetTooLong = "target-too-long"
    case versionMissing = "http-0.9"
    case versionMalformed = "malformed-version"
    case versionUnsupported = "version-not-supported"
    case tunnelUnsupported = "tunnel-not-supported"
    case headTooLong = "head-too-long"
    case tooManyFields = "too-many-fields"
    case lineFolding = "line-folding"
    case fieldNameMalformed = "malformed-field-name"
    case colonMissing = "missing-colon"
    case blankBeforeColon = "blank-before-colon"
    case hostMissing = "missing-host"
    case hostRepeated = "repeated-host"
    case hostMalformed = "malformed-host"
    case contentLengthRepeated = "repeated-content-length"
    case contentLengthMalformed = "malformed-content-length"
    case contentLengthWithTransferEncoding = "content-length-with-transfer-encoding"
    case transferEncodingInHTTP10 = "transfer-encoding-in-http-1.0"
    case transferCodingUnsupported = "transfer-coding-not-supported"
    case chunkSizeMalformed = "malformed-chunk-size"
    case chunkTooLong = "chunk-too-long"
    case chunkEndMissing = "missing-chunk-end"
    case chunkExtensionsTooLong = "chunk-extensions-too-long"
    case trailersTooLong = "trailers-too-long"
    case contentTooLarge = "content-too-large"
    case statusLineMalformed = "malformed-status-line"
  }

  /// - Parameter offset: the position in bytes from the start of the head or the body.
  package init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The status with which a rejected request is answered before the connection is closed.
  package var status: HTTPStatus {
    switch reason {
    case .targetTooLong: .uriTooLong
    case .headTooLong, .tooManyFields, .trailersTooLong: .requestHeaderFieldsTooLarge
    case .tunnelUnsupported, .transferCodingUnsupported: .notImplemented
    case .versionUnsupported: .httpVersionNotSupported
    case .chunkTooLong, .chunkExtensionsTooLong, .contentTooLarge: .contentTooLarge
    default: .badRequest
    }
  }

  /// The stable code for programs.
  package var code: String { reason.rawValue }

  /// One sentence with the position and the remedy, for people.
  package var description: String { "\(reason.sentence) (seen at byte \(offset))" }
}

extension MessageRefusal.Reason {
  fileprivate var sentence: String {
    switch self {
    case .bareLineFeed: "a line ends with LF alone: end every line with CR LF"
    case .bareCarriageReturn: "a CR is not followed by LF: end every line with CR LF, and use CR nowhere else"
    case .controlByte: "the head contains a control byte: escape it, or use TLS on a TLS port and HTTP on an HTTP port"
    case .requestLineMalformed: "the request line is not \"METHOD TARGET HTTP/1.1\" with single spaces"
    case .requestLineEmpty: "more than one empty line precedes the request line: send none"
    case .targetMalformed:
      "the request target is not a path that starts with \"/\" or an http address, "
        + "in printable ASCII with complete percent escapes: percent-encode everything else"
    case .targetTooLong: "the request target is too long: shorten the address"
    case .versionMissing: "the request line has no version, as in HTTP/0.9: use HTTP/1.1"
    case .versionMalformed: "the version is not of the form \"HTTP/1.1\""
    case .versionUnsupported: "this version of HTTP is not supported: use HTTP/1.1"
    case .tunnelUnsupported: "this server is not a proxy and opens no tunnels: send the request directly"
    case .headTooLong: "the head is too long: send fewer or shorter header fields"
    case .tooManyFields: "the head has too many header fields: send fewer"
    case .lineFolding: "a header field is folded over two lines: put it on one line"
    case .fieldNameMalformed:
      "the name of a header field is empty or contains characters that are not allowed in a token"
    case .colonMissing: "a header line has no colon"
    case .blankBeforeColon: "there is whitespace between a header field's name and its colon: remove it"
    case .hostMissing: "the Host field is missing: every HTTP/1.1 request needs it"
    case .hostRepeated: "there is more than one Host field: send exactly one"
    case .hostMalformed: "the host is not a name or an address with an optional port"
    case .contentLengthRepeated: "there is more than one Content-Length field: send exactly one"
    case .contentLengthMalformed: "Content-Length is not a number of bytes below 2^64"
    case .contentLengthWithTransferEncoding:
      "the message has both Content-Length and Transfer-Encoding: send only one of them"
    case .transferEncodingInHTTP10: "an HTTP/1.0 message has Transfer-Encoding: use Content-Length or HTTP/1.1"
    case .transferCodingUnsupported: "the only supported transfer coding is \"chunked\", once"
    case .chunkSizeMalformed: "the size of a chunk is not a hexadecimal number followed by a line end"
    case .chunkTooLong: "the size of a chunk does not fit in 63 bits"
    case .chunkEndMissing: "a chunk is not followed by CR LF: its size and its bytes disagree"
    case .chunkExtensionsTooLong: "the body's chunk extensions are too long: send none"
    case .trailersTooLong: "the trailer section is too long: send fewer fields"
    case .contentTooLarge: "the body is larger than this resource accepts: send less"
    case .statusLineMalformed: "the status line is not \"HTTP/1.1 NNN REASON\""
    }
  }
}
