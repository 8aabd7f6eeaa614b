/// The origin of a web page as browsers write it: scheme, host and port (RFC 6454 §6.2).
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
  /// A text such as `https://dash.example` or `http://localhost:3000`, in lower case and without the scheme's default
  /// port.
  package let description: String

  /// Reads an origin as people write it, with or without a slash at its end.
  ///
  /// - Returns: nil for anything else: `*`, `null`, an address with a path.
  package init?(_ text: String) {
    var text = String(decoding: text.utf8.map(ASCII.lowercased), as: UTF8.self)[...]
    if text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where text.utf8.starts(with: scheme.utf8) {
      var authority = text.dropFirst(scheme.count)
      if authority.hasSuffix(port) { authority = authority.dropLast(port.count) }
      guard !authority.isEmpty, authority.utf8.allSatisfy(Self.mayStandInAuthority) else { return nil }
      description = scheme + authority
      return
    }
    return nil
  }

  /// Returns true for a character of a host name, an address or a port.
  private static func mayStandInAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// True if nobody on the network path can inject content into its pages, because they come by TLS or from the
  /// browser's own machine (Secure Contexts §3.1).
  package var isTrustworthy: Bool {
    let plain = "http://"
    guard description.utf8.starts(with: plain.utf8) else { return true }
    let authority = description.dropFirst(plain.count)
    if authority.hasPrefix("[::1]") { return true }
    let host = authority.prefix { $0 != ":" }
    return host == "localhost" || host.hasSuffix(".localhost") || Self.isLoopback(host)
  }

  /// Returns true for 127.0.0.0/8 as browsers write it: four numbers. A host name that begins with `127.` does not
  /// count.
  private static func isLoopback(_ host: Substring) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
  }

  /// Returns true if the request comes from a page of this origin.
  func isOrigin(of request: RequestHead) -> Bool {
    request.combinedValue(of: .origin)?.elementsEqual(description.utf8) ?? false
  }
}

/// The other origins whose pages may read the answers (Fetch standard, §3.3), and the fields that permit it.
///
/// Credentials are allowed, because the only credential is the browser's client certificate: the server uses no
/// cookies.
package struct CrossOriginPolicy: Sendable {
  private let admitted: [(origin: WebOrigin, fields: [UInt8])]
  private let others: [UInt8]

  /// - Parameter origins: the origins whose pages may read the answers.
  /// - Returns: nil if there are none.
  package init?(_ origins: [WebOrigin]) {
    guard !origins.isEmpty else { return nil }
    admitted = origins.map { origin in
      var fields: [UInt8] = []
      fields.append(field: "Access-Control-Allow-Origin", origin.description)
      fields.append(literal: "Access-Control-Allow-Credentials: true\r\n")
      fields.append(field: "Access-Control-Expose-Headers", Self.exposed)
      // An origin that identifies itself may embed the answers as well.
      fields.append(literal: "Cross-Origin-Resource-Policy: cross-origin\r\nVary: Origin\r\n")
      return (origin, fields)
    }
    var others: [UInt8] = []
    others.append(literal: "Cross-Origin-Resource-Policy: same-origin\r\nVary: Origin\r\n")
    self.others = others
  }

  /// The fields that scripts may read besides those that every script may read (Fetch standard, §4.4.4).
  private static let exposed =
    "Accept-Ranges, Content-Range, Date, ETag, Footage-Next, Footage-Skipped, Preference-Applied, Retry-After"

  /// Returns true if the request comes from a page of one of these origins.
  package func admits(_ request: RequestHead) -> Bool { admitted.contains { $0.origin.isOrigin(of: request) } }

  /// Returns the field lines for an answer, each with its line end.
  ///
  /// - Parameter request: the request; nil if it could not be read.
  package func fields(answering request: RequestHead?) -> ArraySlice<UInt8> {
    guard let request, let one = admitted.first(where: { $0.origin.isOrigin(of: request) }) else { return others[...] }
    return one.fields[...]
  }

  /// Returns the fields that answer a preflight; none if the page that sends it may not read the answers.
  package func preflight(_ request: RequestHead) -> [(name: StaticString, value: String)] {
    guard admits(request) else { return [] }
    return [
      ("Access-Control-Allow-Methods", "GET, HEAD"),
      (
        "Access-Control-Allow-Headers",
        "If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Prefer, Range"
      ),
      ("Access-Control-Max-Age", "7200"),
    ]
  }
}
