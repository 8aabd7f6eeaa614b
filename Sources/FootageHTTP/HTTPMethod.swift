/// The action that a request asks for.

/// The method of a request: those of RFC 9110 §9, and `PATCH` of RFC 5789.
package enum HTTPMethod: Hashable, Sendable, CaseIterable {
  case get, head, options, post, put, delete, patch, trace, connect
  /// Any other method. A server answers it with 501.
  case other

  /// The name as in a request line; empty for `other`.
  package var name: StaticString {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .options: "OPTIONS"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .patch: "PATCH"
    case .trace: "TRACE"
    case .connect: "CONNECT"
    case .other: ""
    }
  }

  /// True if repeating a request has the same effect as sending it once (RFC 9110 §9.2.2). A client may repeat such a
  /// request even if the server may have carried it out already.
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .options, .trace, .put, .delete: true
    case .post, .patch, .connect, .other: false
    }
  }

  /// True if a request usually has a body, so that one without a body has to say so (RFC 9110 §8.6).
  package var anticipatesBody: Bool {
    switch self {
    case .post, .put, .patch: true
    case .get, .head, .options, .trace, .delete, .connect, .other: false
    }
  }

  /// Finds the method with this name. Names are case-sensitive (RFC 9110 §9.1).
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    let candidate: HTTPMethod? =
      switch bytes[range.lowerBound] {
      case UInt8(ascii: "G"): .get
      case UInt8(ascii: "H"): .head
      case UInt8(ascii: "O"): .options
      case UInt8(ascii: "D"): .delete
      case UInt8(ascii: "T"): .trace
      case UInt8(ascii: "C"): .connect
      case UInt8(ascii: "P"): range.count == 3 ? .put : range.count == 4 ? .post : .patch
      default: nil
      }
    guard let candidate, ASCII.matches(bytes, range, exactly: candidate.name) else {
      self = .other
      return
    }
    self = candidate
  }
}

/// The version of a message, as far as it changes how the message is handled (RFC 9112 §2.3).
package enum HTTPVersion: Hashable, Sendable {
  case http10
  /// HTTP/1.1, or a later 1.x, which is treated as 1.1 (RFC 9110 §2.5).
  case http11
}
