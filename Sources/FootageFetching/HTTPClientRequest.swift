package import FootageHTTP

/// What a client asks for: most often a resource, or a range of one version of it.
package struct HTTPClientRequest: Sendable {
  /// Any but `other`.
  package var method = HTTPMethod.get
  /// In origin form, percent-encoded.
  package var target: String
  /// Half-open, not empty; `UInt64.max` as its end asks for everything from its start on.
  package var range: Range<UInt64>?
  /// The version that the range is of (RFC 9110 §13.1.5): of another one the whole comes, with 200.
  package var ifRange: EntityTag?
  /// As the `Host` field wants it, of a server that has to be called by another name than its host and port; nil for
  /// those.
  package var host: String?
  /// Further fields, in this order.
  package var fields: [(name: StaticString, value: String)] = []
  package var body = HTTPClientBody.none
  /// Whether the body is kept back until the server asks for it (RFC 9110 §10.1.1), or for so long says nothing as the
  /// client's limits allow. It costs a round trip, and spares a refused body.
  package var awaitsContinue = false
  /// Whether none of the connections that are open will do: they may be dead, and tell of it only after long.
  package var isOnNewConnection = false
  /// How long finding the host and connecting to it may take together; nil for the client's limits.
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

  /// - Parameter host: as the `Host` field wants it, where the request has none of its own.
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

  /// Without a body there is nothing to ask for.
  var expectsContinue: Bool { awaitsContinue && body.length > 0 }
}

/// What a request carries, of a length that is known before it is sent.
package enum HTTPClientBody: Sendable {
  case none
  case bytes([UInt8])
  case source(any HTTPBodySource)

  /// In bytes.
  package var length: UInt64 {
    switch self {
    case .none: 0
    case .bytes(let bytes): UInt64(bytes.count)
    case .source(let source): source.length
    }
  }
}

/// Where a request's body comes from while it is sent.
package protocol HTTPBodySource: Sendable {
  /// In bytes; it never changes.
  var length: UInt64 { get }

  /// Waits for the bytes from `offset` on, and holds up no thread for them. A request that is repeated begins again at
  /// 0.
  ///
  /// - Parameter count: how many are wanted at most.
  /// - Returns: at least one byte.
  func bytes(at offset: UInt64, count: Int) async throws(HTTPBodySourceError) -> [UInt8]
}

/// The body of a request cannot be read any more.
package struct HTTPBodySourceError: Error, Hashable, Sendable {
  /// For a person.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}
