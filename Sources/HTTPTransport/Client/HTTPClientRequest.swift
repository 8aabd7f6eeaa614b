/// What a client asks for: a resource, or a range of one version of it.

package import HTTPSemantics

package struct HTTPClientRequest: Sendable {
  /// In origin form, percent-encoded.
  package var target: String
  /// Half-open, not empty; `UInt64.max` as its end asks for everything from its start on.
  package var range: Range<UInt64>?
  /// The version that the range is of (RFC 9110 §13.1.5): of another one the whole comes, with 200.
  package var ifRange: EntityTag?
  /// Whether none of the connections that are open will do: they may be dead, and tell of it only after long.
  package var isOnNewConnection = false
  /// How long finding the host and connecting to it may take together; nil for the client's limits.
  package var connecting: Duration?

  package init(_ target: String, range: Range<UInt64>? = nil, ifRange: EntityTag? = nil) {
    self.target = target
    self.range = range
    self.ifRange = ifRange
  }

  /// - Parameter host: as the `Host` field wants it.
  func writeHead(to host: String, into head: inout RequestHeadWriter) throws(MessageRefusal) {
    try head.begin(.get, target, host: host)
    if let range {
      head.range(from: range.lowerBound, upTo: range.upperBound == .max ? nil : range.upperBound)
      if let ifRange { head.ifRange(ifRange) }
    }
    head.field("User-Agent", "footage")
    head.end()
  }
}
