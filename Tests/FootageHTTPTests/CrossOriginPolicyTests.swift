import FootageBase
import FootageHTTP
import Testing

/// The pages of other origins that may read answers.
@Suite struct CrossOriginPolicyTests {
  private static let origins: [(text: String, origin: String?)] = [
    ("https://dash.example", "https://dash.example"), ("https://Dash.Example/", "https://dash.example"),
    ("https://dash.example:443", "https://dash.example"), ("http://localhost:80/", "http://localhost"),
    ("http://localhost:3000", "http://localhost:3000"), ("https://[::1]:8443", "https://[::1]:8443"),
    ("*", nil), ("null", nil), ("", nil), ("https://", nil), ("dash.example", nil), ("ftp://dash.example", nil),
    ("https://dash.example/page", nil), ("https://*.example", nil), ("https://a b", nil), ("https://u@h", nil),
  ]

  @Test(arguments: origins) func `an origin is scheme, host and port`(text: String, origin: String?) {
    #expect(WebOrigin(text)?.description == origin)
  }

  @Test(
    arguments: [
      ("https://dash.example", true), ("https://10.0.0.7", true), ("http://localhost", true),
      ("http://localhost:3000", true), ("http://app.localhost:3000", true), ("http://127.0.0.1:8080", true),
      ("http://127.1.2.3", true), ("http://[::1]:3000", true), ("http://dash.example", false),
      ("http://10.0.0.7:3000", false), ("http://localhost.example", false), ("http://127.0.0.1.example", false),
      ("http://127.example", false), ("http://[::2]", false), ("http://notlocalhost", false), ("http://127.1", false),
    ])
  func `pages by plain HTTP are trustworthy on the browser's own machine alone`(text: String, isTrustworthy: Bool) {
    #expect(WebOrigin(text)?.isTrustworthy == isTrustworthy)
  }

  private func fields(_ policy: CrossOriginPolicy, _ lines: String...) throws -> String {
    let head = try #require(requestHead(lines))
    return String(decoding: policy.fields(answering: head), as: UTF8.self)
  }

  private func requestHead(_ lines: [String]) -> RequestHead? {
    let bytes = Array("GET / HTTP/1.1\r\nHost: robot\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n".utf8)
    var parser = RequestHeadParser()
    guard case .complete(let head, _) = parser.parse(bytes.borrowedSpan) else { return nil }
    return head
  }

  @Test func `a page of a named origin may read and embed, with its certificate, and no other page`() throws {
    #expect(CrossOriginPolicy([]) == nil)
    let origins = ["https://dash.example", "http://localhost:3000"].compactMap { WebOrigin($0) }
    let policy = try #require(CrossOriginPolicy(origins))
    for origin in origins {
      let said = try fields(policy, "Origin: \(origin)").split(separator: "\r\n").map(String.init)
      #expect(
        said == [
          "Access-Control-Allow-Origin: \(origin)", "Access-Control-Allow-Credentials: true",
          "Access-Control-Expose-Headers: Accept-Ranges, Content-Range, Date, ETag, Footage-Next, Footage-Skipped, "
            + "Preference-Applied, Retry-After",
          "Cross-Origin-Resource-Policy: cross-origin", "Vary: Origin",
        ])
    }
    let none = "Cross-Origin-Resource-Policy: same-origin\r\nVary: Origin\r\n"
    #expect(policy.fields(answering: nil).elementsEqual(none.utf8))
    for lines in [
      [], ["Origin: null"], ["Origin: https://dash.example.evil"], ["Origin: https://evil.dash.example"],
      ["Origin: http://dash.example"], ["Origin: https://dash.example:8443"], ["Origin: *"],
      ["Origin: https://dash.example", "Origin: https://dash.example"],
    ] {
      let head = try #require(requestHead(lines))
      #expect(policy.fields(answering: head).elementsEqual(none.utf8), "\(lines)")
      #expect(policy.preflight(head).isEmpty)
    }
    let head = try #require(requestHead(["Origin: https://dash.example", "Access-Control-Request-Method: GET"]))
    let preflight = policy.preflight(head).map { "\($0.name): \($0.value)" }
    let conditions = "If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since"
    #expect(
      preflight == [
        "Access-Control-Allow-Methods: GET, HEAD", "Access-Control-Allow-Headers: \(conditions), Prefer, Range",
        "Access-Control-Max-Age: 7200",
      ])
  }
}
