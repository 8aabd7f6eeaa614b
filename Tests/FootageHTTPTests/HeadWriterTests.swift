import FootageHTTP
import Testing

@Suite struct ResponseHeadWriterTests {
  private let date = DateField(unixSeconds: 784_111_777)

  @Test func `a head is written into the room of the last one`() {
    var writer = ResponseHeadWriter()
    for _ in 0..<2 {
      writer.begin(date: date, .closed)
      writer.status(.methodNotAllowed)
      writer.field("Allow", "GET, HEAD, OPTIONS")
      writer.field("Content-Length", UInt64.max)
      writer.end()
      #expect(
        text(writer.bytes) == """
          HTTP/1.1 405 Method Not Allowed\r
          Date: Sun, 06 Nov 1994 08:49:37 GMT\r
          Connection: close\r
          Allow: GET, HEAD, OPTIONS\r
          Content-Length: 18446744073709551615\r
          \r

          """)
    }
  }

  @Test(
    arguments: [
      0, 1, 9, 10, 99, 100, 9_999_999_999_999_999, 10_000_000_000_000_000, 10_000_000_000_000_001,
      12_345_678_901_234_567_890,
    ] as [UInt64])
  func `numbers are written as they are`(number: UInt64) {
    var writer = ResponseHeadWriter()
    writer.field("N", number)
    #expect(text(writer.bytes) == "N: \(number)\r\n")
  }

  @Test func `no value can end its line`() {
    var writer = ResponseHeadWriter()
    writer.field("Location", "/a\r\nSet-Cookie: b\u{0}c\td")
    #expect(text(writer.bytes) == "Location: /a  Set-Cookie: b c\td\r\n")
  }

  @Test func `a Content-Range has both its forms`() {
    var writer = ResponseHeadWriter()
    writer.contentRange(5..<10, length: 20)
    writer.contentRange(nil, length: 20)
    #expect(text(writer.bytes) == "Content-Range: bytes 5-9/20\r\nContent-Range: bytes */20\r\n")
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ResponseHeadWriter.Persistence.kept),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", .closed), ("GET / HTTP/1.0\r\n\r\n", .closed),
    ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", .keptAsAsked),
  ])
  func `the connection is answered as the client asked`(
    request: String, persistence: ResponseHeadWriter.Persistence
  ) throws {
    #expect(ResponseHeadWriter.Persistence(for: try requestHead(text: request)) == persistence)
  }

  @Test func `every named status has its words`() {
    for code in [
      100, 200, 201, 204, 206, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 410, 411, 412, 413, 414, 415,
      416, 417, 421, 429, 431, 500, 501, 502, 503, 504, 505, 507,
    ] {
      #expect(HTTPStatus(code).reasonPhrase.utf8CodeUnitCount > 0, "\(code)")
    }
    #expect(HTTPStatus.rangeNotSatisfiable.reasonPhrase.description == "Range Not Satisfiable")
    #expect(HTTPStatus(299).reasonPhrase.description == "")
  }
}

@Suite struct RequestHeadWriterTests {
  @Test func `a request for the rest of a version`() throws {
    var writer = RequestHeadWriter()
    try writer.begin(.get, "/recordings/a%20b.mp4?x", host: "[::1]:8443")
    writer.range(from: 500)
    writer.ifRange(try #require(EntityTag("\"abc\"")))
    writer.field("Accept", "video/mp4\r\nX: y")
    writer.end()
    #expect(
      text(writer.bytes) == """
        GET /recordings/a%20b.mp4?x HTTP/1.1\r
        Host: [::1]:8443\r
        Range: bytes=500-\r
        If-Range: "abc"\r
        Accept: video/mp4  X: y\r
        \r

        """)
    let head = try requestHead(text: text(writer.bytes))
    #expect(text(head.value(of: .range)) == "bytes=500-")
  }

  @Test func `a closed range is written with its last byte`() {
    var writer = RequestHeadWriter()
    writer.range(from: 0, upTo: 2)
    #expect(text(writer.bytes) == "Range: bytes=0-1\r\n")
  }

  @Test(arguments: ["", "x", "/a b", "/a\r\nX: y", "/ü", "/%", "*", "http://a/"])
  func `a target that would not be taken is refused`(target: String) {
    var writer = RequestHeadWriter()
    #expect(throws: MessageRefusal.self) { try writer.begin(.get, target, host: "a") }
    #expect(writer.bytes.isEmpty)
  }

  @Test(arguments: ["", "a b", "a\r\nX: y", "::1", "a/b"])
  func `a host that would not be taken is refused`(host: String) {
    var writer = RequestHeadWriter()
    #expect(throws: MessageRefusal(.hostMalformed, at: 0)) { try writer.begin(.get, "/", host: host) }
    #expect(writer.bytes.isEmpty)
  }
}
