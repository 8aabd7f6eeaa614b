import FootageBase
import FootageHTTP
import Testing

@Suite struct ResponseHeadParserTests {
  private func parse(_ text: String) -> ResponseHeadParser.Outcome {
    var parser = ResponseHeadParser()
    return parser.parse(Array(text.utf8).borrowedSpan)
  }

  private func head(_ lines: String...) throws -> ResponseHead {
    let text = (lines + ["", ""]).joined(separator: "\r\n")
    guard case .complete(let head, let byteCount) = parse(text) else { throw Unexpected("\(parse(text))") }
    #expect(byteCount == text.utf8.count)
    return head
  }

  @Test func `a partial response is read in all its parts`() throws {
    let head = try head(
      "HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-1/1000", "Content-Length: 2", "ETag: \"abc\"",
      "Content-Type: video/mp4")
    #expect(head.status == .partialContent)
    #expect(head.version == .http11)
    #expect(head.keepsAlive)
    #expect(head.contentLength == 2)
    #expect(head.body(answering: .get) == .length(2))
    #expect(head.contentRange?.range == 0..<2)
    #expect(head.contentRange?.length == 1000)
    #expect(head.entityTag == EntityTag("\"abc\""))
    #expect(head.text(of: .contentType) == "video/mp4")
    #expect(head.value(of: .lastModified) == nil)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK", "Content-Length: 5", HTTPMethod.get, ResponseHead.Body.length(5)),
    ("HTTP/1.1 200 OK", "Content-Length: 0", .get, .none), ("HTTP/1.1 200 OK", "Content-Length: 5", .head, .none),
    ("HTTP/1.1 304 Not Modified", "Content-Length: 5", .get, .none), ("HTTP/1.1 204 No Content", "X: y", .get, .none),
    ("HTTP/1.1 100 Continue", "X: y", .get, .none), ("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", .get, .chunked),
    ("HTTP/1.1 200 OK", "X: y", .get, .untilClose), ("HTTP/1.0 200 OK", "X: y", .get, .untilClose),
    ("HTTP/1.1 200 OK", "X: y", .head, .none),
  ])
  func `the body is framed as RFC 9112 §6.3 says`(
    status: String, field: String, method: HTTPMethod, body: ResponseHead.Body
  ) throws {
    #expect(try head(status, field).body(answering: method) == body)
  }

  @Test(arguments: [
    ("HTTP/1.1 200\r\n", MessageRefusal.Reason.statusLineMalformed), ("HTTP/1.1 20 OK\r\n", .statusLineMalformed),
    ("HTTP/1.1 2000 OK\r\n", .statusLineMalformed), ("HTTP/1.1 099 OK\r\n", .statusLineMalformed),
    ("HTTP/1.1  200 OK\r\n", .statusLineMalformed), ("HTTP/1.1 2x0 OK\r\n", .statusLineMalformed),
    ("\r\n", .statusLineMalformed), ("HTTP/2.0 200 OK\r\n", .versionUnsupported),
    ("HTTX/1.1 200 OK\r\n", .versionMalformed),
    ("SSH-2.0-OpenSSH_9.2\r\n", .statusLineMalformed), ("HTTP/1.1 200 OK\n", .bareLineFeed),
    ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .contentLengthRepeated),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .contentLengthMalformed),
    (
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      .contentLengthWithTransferEncoding
    ),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", .transferCodingUnsupported),
    ("HTTP/1.1 200 OK\r\nX: y\r\n folded\r\n\r\n", .lineFolding),
  ])
  func `what could be read differently is refused`(bytes: String, reason: MessageRefusal.Reason) {
    guard case .refused(let refusal) = parse(bytes) else {
      Issue.record("\(parse(bytes))")
      return
    }
    #expect(refusal.reason == reason)
  }

  @Test func `an empty reason is one, its blank is not to be left out`() throws {
    #expect(try head("HTTP/1.1 200 ").status == .ok)
    #expect(try head("HTTP/1.1 599 Ü").status.code == 599)
  }

  @Test(
    arguments: [
      ("Retry-After: 120", 120), ("Retry-After: 0", 0), ("Retry-After: 99999999999999999999999", UInt32.max),
      // A minute after the robot's own date, which differs from this machine's.
      ("Date: Thu, 01 Jan 1970 00:10:00 GMT\r\nRetry-After: Thu, 01 Jan 1970 00:11:00 GMT", 60),
      ("Date: Sunday, 06-Nov-94 08:49:37 GMT\r\nRetry-After: Sun Nov  6 08:49:38 1994", 1),
      ("Date: x\r\nRetry-After: Tue, 14 Nov 2023 22:13:25 GMT", 5), ("Retry-After: Tue, 14 Nov 2023 22:13:25 GMT", 5),
      ("Retry-After: Tue, 14 Nov 2023 22:13:15 GMT", 0),
      ("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", UInt32.max),
      ("Retry-After: -1", nil), ("Retry-After: 1.5", nil), ("Retry-After: soon", nil), ("Retry-After:", nil),
      ("Retry-After: 1\r\nRetry-After: 2", nil), ("X: y", nil),
    ] as [(String, UInt32?)])
  func `when to come again is a number of seconds or a date`(fields: String, seconds: UInt32?) throws {
    #expect(try head("HTTP/1.1 503 Busy\r\n\(fields)").retryAfterSeconds(now: 1_700_000_000) == seconds)
  }

  @Test func `a head that drips in, after a 100, reads as in one piece`() throws {
    var bytes = Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nbody".utf8)
    var parser = ResponseHeadParser()
    var statuses: [Int] = []
    for _ in 0..<2 {
      for count in 0...bytes.count {
        let received = bytes[..<count]
        if case .complete(let head, let byteCount) = parser.parse(received.span) {
          #expect(byteCount == count)
          #expect(head.keepsAlive)
          statuses.append(head.status.code)
          bytes.removeFirst(byteCount)
          break
        }
      }
    }
    #expect(statuses == [100, 200])
    #expect(text(bytes) == "body")
  }

  @Test func `what the response writer writes, the parser reads`() throws {
    var writer = ResponseHeadWriter()
    for range in ["bytes=0-1", "bytes=5000-", "bytes=0-0,-1", "x"] {
      let plan = ResponsePlan(for: try get(["Range: \(range)"]), of: .sample(), now: 1_700_000_000)
      writer.begin(date: DateField(unixSeconds: 1_700_000_000), .kept)
      plan.writeHead(into: &writer)
      writer.end()
      guard case .complete(let head, let byteCount) = parse(text(writer.bytes)) else {
        Issue.record("\(text(writer.bytes))")
        continue
      }
      #expect(byteCount == writer.bytes.count)
      #expect(head.status == plan.status)
      #expect(head.contentLength == plan.contentLength)
    }
  }
}

@Suite struct ContentRangeTests {
  private func read(_ text: String) -> ContentRange? { ContentRange(Array(text.utf8).borrowedSpan) }

  @Test func `a range with its length, and a length alone`() {
    #expect(read("bytes 0-1/1000")?.range == 0..<2)
    #expect(read("bytes 0-1/1000")?.length == 1000)
    #expect(read("Bytes 999-999/1000")?.range == 999..<1000)
    #expect(read("bytes */1000")?.length == 1000)
    #expect(read("bytes */1000")?.range == nil)
    #expect(read("bytes */0")?.length == 0)
    #expect(read("bytes 0-18446744073709551613/18446744073709551615")?.range == 0..<18_446_744_073_709_551_614)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes */*", "bytes 0-1/*", "bytes 1-0/1000", "bytes 0-1000/1000", "bytes 0-1", "bytes /5",
    "bytes 0-/5", "bytes -1/5", "bytes 0 -1/5", "bytes  0-1/5", "bytes=0-1/5", "items 0-1/5", "bytes 0-1/5 ",
    "bytes 0-1/18446744073709551616", "bytes 0-99999999999999999999/5", "bytes 0-1/5/5", "bytes **/5", "bytes 0/5-1",
  ])
  func `these are no content ranges`(text: String) {
    #expect(read(text) == nil)
  }
}
