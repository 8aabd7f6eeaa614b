package import FootageHTTP

/// A client's request, most often for a resource or for a range of one version of it.
package struct HTTPClientRequest: Sendable {
  /// The method, any but `other`.
  package var method = HTTPMethod.get
  /// The target in origin form, percent-encoded.
  package var target: String
  /// The range that is requested: half-open and not empty. With `UInt64.max` as its end, it is everything from its
  /// start on.
  package var range: Range<UInt64>?
  /// The version to which the range belongs (RFC 9110 §13.1.5). If the server has another version, it sends all of that
  /// version, with status 200.
  package var ifRange: EntityTag?
  /// The value of the `Host` field; nil for the server's host and port.
  package var host: String?
  /// The further fields, in this order.
  package var fields: [(name: StaticString, value: String)] = []
  package var body = HTTPClientBody.none
  /// True if the body is held back until the server asks for it (RFC 9110 §10.1.1), or until `ClientLimits.continuing`
  /// has passed. This costs a round trip, but saves sending a body that the server refuses.
  package var awaitsContinue = false
  /// True if the request needs a new connection, because open ones may be broken, which can take long to notice.
  package var isOnNewConnection = false
  /// The time for finding the host and connecting to it together; nil for the times in the client's limits.
  package var connecting: Duration?

  package init(_ target: String, range: Range<UInt64>? = nil, ifRange: EntityTag? = nil) {
    self.target = target
    self.range = range
    self.ifRange = ifRange
  }

  package init(_ method: HTTPMethod, _ target: String, body: HTTPClientBody = .none) {
    self.method = method
    self.target = target
    self.body = body
  }

  /// - Parameter host: the value of the `Host` field if the request has none of its own.
  func writeHead(to host: String, into head: inout RequestHeadWriter) throws(MessageRefusal) {
    try head.begin(method, target, host: self.host ?? host)
    if let range {
      head.range(from: range.lowerBound, upTo: range.upperBound == .max ? nil : range.upperBound)
      if let ifRange { head.ifRange(ifRange) }
    }
    for field in fields { head.field(field.name, field.value) }
    if body.length > 0 || method.anticipatesBody { head.field("Content-Length", body.length) }
    if expectsContinue { head.field("Expect", "100-continue") }
    head.field("User-Agent", "footage")
    head.end()
  }

  /// True if the server is asked before the body is sent. Without a body there is nothing to ask for.
  var expectsContinue: Bool { awaitsContinue && body.length > 0 }
}

/// The body of a request. Its length is known before it is sent.
package enum HTTPClientBody: Sendable {
  case none
  case bytes([UInt8])
  case source(any HTTPBodySource)

  /// The length in bytes.
  package var length: UInt64 {
    switch self {
    case .none: 0
    case .bytes(let bytes): UInt64(bytes.count)
    case .source(let source): source.length
    }
  }
}

/// The source of a request's body while it is sent.
package protocol HTTPBodySource: Sendable {
  /// The length in bytes, which never changes.
  var length: UInt64 { get }

  /// Waits for the bytes from `offset` on, without blocking a thread. A request that is repeated begins again at 0.
  ///
  /// - Parameter count: the largest number of bytes that is wanted.
  /// - Returns: at least one byte.
  func bytes(at offset: UInt64, count: Int) async throws(HTTPBodySourceError) -> [UInt8]
}

/// The error of a request's body that can no longer be read.
package struct HTTPBodySourceError: Error, Hashable, Sendable {
  /// The reason, for a person.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}
