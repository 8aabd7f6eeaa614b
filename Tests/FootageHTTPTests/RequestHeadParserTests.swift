import FootageBase
import FootageHTTP
import Testing

@Suite struct RequestHeadParserTests {
  @Test func `a player's request is read in all its parts`() throws {
    let head = try requestHead(
      "GET /recordings/front/a%20b.mp4?start=1&end=2 HTTP/1.1", "Host: robot.local:8443",
      "RANGE:bytes=0-1", "User-Agent: \t AppleCoreMedia/1.0 (x) \t ", "X-Unknown: y", "If-None-Match: \"a\"",
      "If-None-Match:W/\"b\"")
    #expect(head.method == .get)
    #expect(head.version == .http11)
    #expect(text(head.path) == "/recordings/front/a%20b.mp4")
    #expect(text(head.query) == "start=1&end=2")
    #expect(head.target == "/recordings/front/a%20b.mp4?start=1&end=2")
    #expect(head.methodText == "GET")
    #expect(text(head.authority) == "robot.local:8443")
    #expect(text(head.value(of: .range)) == "bytes=0-1")
    #expect(text(head.value(of: .userAgent)) == "AppleCoreMedia/1.0 (x)")
    #expect(head.value(of: .ifNoneMatch) == nil)
    #expect(text(head.combinedValue(of: .ifNoneMatch)) == "\"a\",W/\"b\"")
    #expect(head.value(of: .ifMatch) == nil)
    #expect(head.combinedValue(of: .ifMatch) == nil)
    #expect(head.keepsAlive)
    #expect(!head.expectsContinue)
    #expect(head.body == .none)
  }

  @Test(arguments: [
    ("GET", HTTPMethod.get), ("HEAD", .head), ("OPTIONS", .options), ("POST", .post), ("PUT", .put),
    ("DELETE", .delete), ("PATCH", .patch), ("TRACE", .trace), ("get", .other), ("GETT", .other), ("PUSH", .other),
    ("BREW", .other), ("!#$%&'*+-.^_`|~09azAZ", .other), ("P", .other), ("X", .other),
  ])
  func `methods are told apart by their exact names`(name: String, method: HTTPMethod) throws {
    let head = try requestHead("\(name) / HTTP/1.1", "Host: robot")
    #expect(head.method == method)
    #expect(head.methodText == name)
  }

  @Test(arguments: FieldName.allCases)
  func `every field is found under its name in any case`(name: FieldName) throws {
    // A response accepts any value; in a request, some fields must be valid.
    for spelling in [name.lowercase.description, name.lowercase.description.uppercased()] {
      let value = name == .contentLength ? "5" : name == .transferEncoding ? "chunked" : "v \"x\""
      let bytes = Array("HTTP/1.1 200 OK\r\n\(spelling): \(value)\r\n\r\n".utf8)
      var parser = ResponseHeadParser()
      guard case .complete(let head, _) = parser.parse(bytes.borrowedSpan) else {
        Issue.record("\(spelling) was not taken")
        continue
      }
      #expect(head.text(of: name) == value)
      for other in FieldName.allCases where other != name { #expect(head.text(of: other) == nil) }
    }
  }

  @Test func `a field with a name like a known one is another`() throws {
    for name in ["rang", "ranges", "xange", "hos-", "if-xange", "if-match-", "content-lengtg", "accept-rangex"] {
      let head = try get(["\(name): 1"])
      for known in FieldName.allCases where known != .host { #expect(head.value(of: known) == nil, "\(name)") }
    }
  }

  // MARK: Refused heads

  @Test(arguments: [
    ("GET / HTTP/1.1\nHost: a\r\n\r\n", MessageRefusal.Reason.bareLineFeed),
    ("GET / HTTP/1.1\r\nHost: a\n\r\n", .bareLineFeed),
    ("GET / HTTP/1.1\r\nHost: a\r\n\n", .bareLineFeed),
    ("\nGET / HTTP/1.1\r\n", .bareLineFeed),
    ("GET / HTTP/1.1\rHost: a\r\n\r\n", .bareCarriageReturn),
    ("GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", .bareCarriageReturn),
    ("GET / HTTP/1.1\r\nHost: a\r\n\rX", .bareCarriageReturn),
    ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .requestLineEmpty),
    ("\r\n\r\n", .requestLineEmpty),
    (" GET / HTTP/1.1\r\n", .requestLineMalformed),
    ("GET\r\n", .requestLineMalformed),
    ("GET \r\n", .requestLineMalformed),
    ("GET  / HTTP/1.1\r\n", .requestLineMalformed),
    ("GET\t/ HTTP/1.1\r\n", .requestLineMalformed),
    ("G(T / HTTP/1.1\r\n", .requestLineMalformed),
    ("GET /\r\n", .versionMissing),
    ("GET / \r\n", .versionMalformed),
    ("GET /  HTTP/1.1\r\n", .versionMalformed),
    ("GET / HTTP/1.1 \r\n", .versionMalformed),
    ("GET / http/1.1\r\n", .versionMalformed),
    ("GET / HTTP/1\r\n", .versionMalformed),
    ("GET / HTTP/1.10\r\n", .versionMalformed),
    ("GET / HTTP/0.9\r\n", .versionMalformed),
    ("GET / HTTP/1x1\r\n", .versionMalformed),
    ("GET / FTP/1.1\r\n", .versionMalformed),
    ("GET /a b HTTP/1.1\r\n", .versionMalformed),
    ("GET / HTTP/2.0\r\n", .versionUnsupported),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .versionUnsupported),
    ("GET / HTTP/3.1\r\n", .versionUnsupported),
    ("CONNECT robot:443 HTTP/1.1\r\n", .tunnelUnsupported),
    ("GET /\u{0} HTTP/1.1\r\n", .controlByte),
    ("GET /\u{1B} HTTP/1.1\r\n", .controlByte),
    ("GET /\u{7F} HTTP/1.1\r\n", .controlByte),
    ("GET /\tx HTTP/1.1\r\n", .targetMalformed),
    ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", .controlByte),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", .controlByte),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{8}b\r\n\r\n", .controlByte),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7F}b\r\n\r\n", .controlByte),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", .lineFolding),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb: c\r\n\r\n", .lineFolding),
    ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .lineFolding),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .blankBeforeColon),
    ("GET / HTTP/1.1\r\nHost\t: a\r\n\r\n", .blankBeforeColon),
    ("GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", .colonMissing),
    ("GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", .fieldNameMalformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nX(y): x\r\n\r\n", .fieldNameMalformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nÜ: x\r\n\r\n", .fieldNameMalformed),
    ("GET / HTTP/1.1\r\n\r\n", .hostMissing),
    ("GET http://a/ HTTP/1.1\r\n\r\n", .hostMissing),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .hostRepeated),
    ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .hostRepeated),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", .contentLengthRepeated),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", .contentLengthRepeated),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n", .contentLengthMalformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", .contentLengthMalformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", .contentLengthMalformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n", .contentLengthMalformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n", .contentLengthMalformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5 5\r\n\r\n", .contentLengthMalformed),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n", .contentLengthMalformed),
    (
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      .contentLengthWithTransferEncoding
    ),
    (
      "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
      .contentLengthWithTransferEncoding
    ),
    ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncodingInHTTP10),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferCodingUnsupported),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", .transferCodingUnsupported),
    (
      "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      .transferCodingUnsupported
    ),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", .transferCodingUnsupported),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", .transferCodingUnsupported),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", .transferCodingUnsupported),
  ])
  func `what another parser could read differently is refused`(bytes: String, reason: MessageRefusal.Reason) {
    #expect(refusal(of: bytes) == reason)
  }

  @Test(arguments: [
    (MessageRefusal.Reason.bareLineFeed, 400), (.hostMissing, 400), (.targetTooLong, 414), (.headTooLong, 431),
    (.tooManyFields, 431), (.tunnelUnsupported, 501), (.transferCodingUnsupported, 501), (.versionUnsupported, 505),
    (.versionMissing, 400), (.transferEncodingInHTTP10, 400), (.chunkSizeMalformed, 400), (.chunkTooLong, 413),
  ])
  func `a refusal has its status`(reason: MessageRefusal.Reason, status: Int) {
    #expect(MessageRefusal(reason, at: 0).status == HTTPStatus(status))
  }

  @Test func `a refusal says what is wrong, where, and what to do`() {
    guard case .refused(let refusal) = parse("GET / HTTP/1.1\r\nHost: a\n\r\n") else {
      Issue.record("not refused")
      return
    }
    #expect(refusal.description == "a line ends with LF alone: end every line with CR LF (seen at byte 23)")
    #expect(refusal.code == "bare-line-feed")
    #expect(Set(MessageRefusal.Reason.allCases.map(\.rawValue)).count == MessageRefusal.Reason.allCases.count)
  }

  // MARK: Accepted heads

  @Test func `one empty line before the request line is passed over`() throws {
    let head = try requestHead("", "GET / HTTP/1.1", "Host: a")
    #expect(head.method == .get)
    #expect(head.methodText == "GET")
  }

  @Test(arguments: [
    ("HTTP/1.0", HTTPVersion.http10), ("HTTP/1.1", .http11), ("HTTP/1.2", .http11), ("HTTP/1.9", .http11),
  ])
  func `a later 1.x is taken for 1.1`(text: String, version: HTTPVersion) throws {
    #expect(try requestHead("GET / \(text)", "Host: a").version == version)
  }

  @Test(
    arguments: [
      ("/", "/", nil), ("/a?", "/a", ""), ("/a?b?c", "/a", "b?c"), ("/%C3%BC%2f", "/%C3%BC%2f", nil),
      ("/a|b^c{d}\"", "/a|b^c{d}\"", nil), ("//x", "//x", nil), ("/a?50%", "/a", "50%"),
      ("http://h/p?q", "/p", "q"), ("HTTPS://h:1/p", "/p", nil), ("http://h", "/", nil), ("http://h?q", "/", "q"),
      ("http://[::1]:80/x", "/x", nil), ("https://h/", "/", nil),
    ] as [(String, String, String?)])
  func `a target is cut into path and query`(target: String, path: String, query: String?) throws {
    let head = try requestHead("GET \(target) HTTP/1.1", "Host: a")
    #expect(text(head.path) == path)
    #expect(text(head.query) == query)
  }

  @Test func `the authority of an absolute target outranks Host`() throws {
    let head = try requestHead("GET http://robot:80/x HTTP/1.1", "Host: other")
    #expect(text(head.authority) == "robot:80")
    #expect(try requestHead("GET /x HTTP/1.0").authority == nil)
  }

  @Test func `an asterisk is for OPTIONS alone`() throws {
    let head = try requestHead("OPTIONS * HTTP/1.1", "Host: a")
    #expect(text(head.path) == "*")
    #expect(head.query == nil)
    #expect(refusal(of: "GET * HTTP/1.1\r\n") == .targetMalformed)
    #expect(refusal(of: "OPTIONS ** HTTP/1.1\r\n") == .targetMalformed)
  }

  @Test(arguments: [
    "x", "robot:443", "*", "?q", "/a#b", "/ü", "/%", "/%4", "/%zz", "/a%2", "/%%41", "ftp://a/", "http:/a", "http:a",
    "/x?#", "/x?ü",
  ])
  func `other targets are refused`(target: String) {
    #expect(refusal(of: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == .targetMalformed)
  }

  @Test(arguments: [
    "http:///x", "http://", "http://u@h/", "http://h:x/", "http://h:65536/", "http://[::1/", "https://[]/",
  ])
  func `an absolute target needs a valid authority`(target: String) {
    #expect(refusal(of: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == .hostMalformed)
  }

  @Test(arguments: ["", "a b", "u@h", "h:8443x", "h:-1", "h:65536", "[::1", "::1", "[::1]x", ":80", "a/b", "[]", "ü"])
  func `these are no hosts`(host: String) {
    #expect(refusal(of: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == .hostMalformed)
    #expect(refusal(of: "GET / HTTP/1.0\r\nHost: \(host)\r\n\r\n") == .hostMalformed)
  }

  @Test(
    arguments: [
      ("HTTP/1.1", [], true), ("HTTP/1.1", ["close"], false), ("HTTP/1.1", ["Upgrade, CLOSE"], false),
      ("HTTP/1.1", ["foo", "close"], false), ("HTTP/1.1", ["keep-alive, close"], false), ("HTTP/1.1", ["closed"], true),
      ("HTTP/1.1", [",, ,"], true), ("HTTP/1.0", [], false), ("HTTP/1.0", ["Keep-Alive"], true),
      ("HTTP/1.0", ["keep-alive", "close"], false), ("HTTP/1.0", ["x,\tkeep-alive ,"], true),
    ] as [(String, [String], Bool)])
  func `the connection is kept as RFC 9112 §9.3 says`(version: String, connection: [String], keeps: Bool) throws {
    let fields = connection.map { "Connection: \($0)\r\n" }.joined()
    #expect(try requestHead(text: "GET / \(version)\r\nHost: a\r\n\(fields)\r\n").keepsAlive == keeps)
  }

  @Test(arguments: [
    ("Content-Length: 5", BodyFraming.length(5)), ("Content-Length: 00005", .length(5)), ("Content-Length: 0", .none),
    ("Content-Length: 18446744073709551615", .length(.max)), ("Transfer-Encoding: Chunked", .chunked), ("X: y", .none),
  ])
  func `the body's framing is read`(field: String, body: BodyFraming) throws {
    #expect(try get([field]).body == body)
  }

  @Test func `100-continue is waited for only in 1.1 and with a body`() throws {
    #expect(try get(["Expect: 100-Continue", "Content-Length: 1"]).expectsContinue)
    #expect(try get(["Expect: 100-continue", "Transfer-Encoding: chunked"]).expectsContinue)
    #expect(try !get(["Expect: 100-continue"]).expectsContinue)
    #expect(try !get(["Expect: other", "Content-Length: 1"]).expectsContinue)
    #expect(try !requestHead("PUT / HTTP/1.0", "Expect: 100-continue", "Content-Length: 1").expectsContinue)
  }

  @Test func `bytes above ASCII may stand in a value, and a log line escapes them`() throws {
    let head = try requestHead("GET /\"\\x HTTP/1.1", "Host: a", "User-Agent: ü\t\"q\"")
    #expect(head.target == "/\\x22\\x5cx")
    #expect(head.logText(of: .userAgent) == "\\xc3\\xbc\\x09\\x22q\\x22")
    #expect(text(head.value(of: .userAgent)) == "ü\t\"q\"")
  }
}
