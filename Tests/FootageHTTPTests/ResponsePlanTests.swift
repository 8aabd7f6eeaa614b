import FootageBase
import FootageHTTP
import Testing

extension RepresentationMetadata {
  /// The recording of design §4: 1000 bytes, changed one day before 2023-11-14T22:13:20Z.
  static func sample(length: UInt64 = 1000, lastModified: Int64? = 1_699_913_600) -> RepresentationMetadata {
    guard let tag = EntityTag("\"abc\"") else { preconditionFailure("not a tag") }
    return RepresentationMetadata(
      length: length, mediaType: "video/mp4", entityTag: tag, lastModified: lastModified, cacheControl: "no-cache")
  }
}

@Suite struct ResponsePlanTests {
  static let now: Int64 = 1_700_000_000

  private func plan(_ fields: [String], length: UInt64 = 1000) throws -> ResponsePlan {
    ResponsePlan(for: try get(fields), of: .sample(length: length), now: Self.now)
  }

  private func head(of plan: ResponsePlan, _ persistence: ResponseHeadWriter.Persistence = .kept) -> String {
    var writer = ResponseHeadWriter()
    writer.begin(date: DateField(unixSeconds: Self.now), persistence)
    plan.writeHead(into: &writer)
    writer.end()
    return text(writer.bytes)
  }

  private func fields(of plan: ResponsePlan) -> Set<String> {
    Set(head(of: plan).split(separator: "\r\n").dropFirst().map { String($0.prefix { $0 != ":" }) })
  }

  // MARK: Whole heads

  @Test func `the probe of a player gets exactly two bytes`() throws {
    let plan = try plan(["Range: bytes=0-1"])
    guard case .range(0..<2) = plan.content else {
      Issue.record("\(plan.content)")
      return
    }
    #expect(
      head(of: plan) == """
        HTTP/1.1 206 Partial Content\r
        Date: Tue, 14 Nov 2023 22:13:20 GMT\r
        Content-Type: video/mp4\r
        Accept-Ranges: bytes\r
        ETag: "abc"\r
        Cache-Control: no-cache\r
        Last-Modified: Mon, 13 Nov 2023 22:13:20 GMT\r
        Content-Range: bytes 0-1/1000\r
        Content-Length: 2\r
        \r

        """)
  }

  @Test func `without a range the whole is answered`() throws {
    let plan = try plan([])
    guard case .whole = plan.content else {
      Issue.record("\(plan.content)")
      return
    }
    #expect(
      head(of: plan, .closed) == """
        HTTP/1.1 200 OK\r
        Date: Tue, 14 Nov 2023 22:13:20 GMT\r
        Connection: close\r
        Content-Type: video/mp4\r
        Accept-Ranges: bytes\r
        ETag: "abc"\r
        Cache-Control: no-cache\r
        Last-Modified: Mon, 13 Nov 2023 22:13:20 GMT\r
        Content-Length: 1000\r
        \r

        """)
  }

  @Test func `what describes the bytes goes with the bytes, on one part and on several, and not on a 304`() throws {
    let metadata = RepresentationMetadata(
      length: 1000, mediaType: "text/html", entityTag: try #require(EntityTag("\"abc\"")), cacheControl: "no-cache",
      others: [("Content-Security-Policy", "default-src 'none'")])
    for (request, isSent) in [
      ([], true), (["Range: bytes=0-1"], true), (["Range: bytes=0-0,-1"], true), (["If-None-Match: \"abc\""], false),
    ] {
      let head = head(of: ResponsePlan(for: try get(request), of: metadata, now: Self.now))
      #expect(head.contains("\r\nContent-Security-Policy: default-src 'none'\r\n") == isSent)
      #expect(head.contains("\r\nETag: \"abc\"\r\nCache-Control: no-cache\r\n"))
    }
  }

  @Test func `a 304 carries the validators and no length`() throws {
    let plan = try plan(["If-None-Match: \"abc\"", "Range: bytes=0-1"])
    #expect(plan.contentLength == nil)
    #expect(
      head(of: plan, .keptAsAsked) == """
        HTTP/1.1 304 Not Modified\r
        Date: Tue, 14 Nov 2023 22:13:20 GMT\r
        Connection: keep-alive\r
        Accept-Ranges: bytes\r
        ETag: "abc"\r
        Cache-Control: no-cache\r
        Last-Modified: Mon, 13 Nov 2023 22:13:20 GMT\r
        \r

        """)
  }

  @Test func `a 416 says the length and nothing of the 200's entity`() throws {
    let plan = try plan(["Range: bytes=1000-"])
    guard case .unsatisfiable(length: 1000) = plan.content else {
      Issue.record("\(plan.content)")
      return
    }
    #expect(
      head(of: plan) == """
        HTTP/1.1 416 Range Not Satisfiable\r
        Date: Tue, 14 Nov 2023 22:13:20 GMT\r
        Content-Range: bytes */1000\r
        \r

        """)
  }

  @Test func `a 412 says nothing of the 200's entity`() throws {
    let plan = try plan(["If-Match: \"other\""])
    guard case .preconditionFailed = plan.content else {
      Issue.record("\(plan.content)")
      return
    }
    #expect(fields(of: plan) == ["Date"])
    #expect(plan.status == .preconditionFailed)
  }

  // MARK: Design §4

  @Test(
    arguments: [
      ("bytes=0-1", 206, "bytes 0-1/1000", 2), ("bytes=0-", 206, "bytes 0-999/1000", 1000),
      ("bytes=900-5000", 206, "bytes 900-999/1000", 100),
      ("bytes=0-99999999999999999999", 206, "bytes 0-999/1000", 1000), ("bytes=-500", 206, "bytes 500-999/1000", 500),
      ("bytes=-1000", 206, "bytes 0-999/1000", 1000), ("bytes=-5000", 206, "bytes 0-999/1000", 1000),
      ("bytes=-0", 416, "bytes */1000", nil), ("bytes=1000-", 416, "bytes */1000", nil),
      ("bytes=5-4", 200, nil, 1000), ("bytes=abc", 200, nil, 1000), ("bytes=10", 200, nil, 1000),
      ("items=0-5", 200, nil, 1000), ("Bytes=0-5", 206, "bytes 0-5/1000", 6),
      ("bytes= 0-5 ,, ", 206, "bytes 0-5/1000", 6), ("bytes=0-9,5000-", 206, "bytes 0-9/1000", 10),
      ("bytes=0-9,10-19", 206, "bytes 0-19/1000", 20),
    ] as [(String, Int, String?, UInt64?)])
  func `the table of design §4`(range: String, status: Int, contentRange: String?, length: UInt64?) throws {
    let plan = try plan(["Range: \(range)"])
    #expect(plan.status.code == status)
    #expect(plan.contentLength == length)
    let lines = head(of: plan).components(separatedBy: "\r\n")
    #expect(lines.first { $0.hasPrefix("Content-Range: ") } == contentRange.map { "Content-Range: \($0)" })
    #expect(lines.first { $0.hasPrefix("Content-Length: ") } == length.map { "Content-Length: \($0)" })
    #expect(lines.contains("Accept-Ranges: bytes") == (status != 416))
    #expect(!lines.contains { $0.hasPrefix("Transfer-Encoding") })
  }

  @Test func `more than sixteen parts are answered whole`() throws {
    let parts = (0..<17).map { "\($0 * 10)-\($0 * 10)" }.joined(separator: ",")
    #expect(try plan(["Range: bytes=\(parts)"]).status == .ok)
  }

  @Test func `two Range fields are no valid one`() throws {
    #expect(try plan(["Range: bytes=0-1", "Range: bytes=2-3"]).status == .ok)
  }

  @Test(arguments: ["bytes=0-", "bytes=-1", "bytes=5-", "bytes=0-0,-1"])
  func `of nothing there is no range`(range: String) throws {
    let plan = try plan(["Range: \(range)"], length: 0)
    #expect(plan.status == .ok)
    #expect(plan.contentLength == 0)
    #expect(head(of: plan).contains("Content-Length: 0\r\n"))
    guard case .none = plan.content else {
      Issue.record("\(plan.content)")
      return
    }
  }

  @Test(arguments: [[], ["Range: bytes=0-1"], ["Range: bytes=5000-"], ["Range: bytes=0-1", "If-Range: \"abc\""]])
  func `HEAD is as GET without a range and without a body`(fields: [String]) throws {
    let request = try requestHead(
      text: (["HEAD /x HTTP/1.1", "Host: a"] + fields + ["", ""]).joined(separator: "\r\n"))
    let answer = ResponsePlan(for: request, of: .sample(), now: Self.now)
    guard case .none = answer.content else {
      Issue.record("\(answer.content)")
      return
    }
    #expect(head(of: answer) == head(of: try plan([])))
  }

  @Test func `Last-Modified is left out when it is later than Date`() throws {
    for (lastModified, isShown) in [(Self.now - 1, true), (Self.now, true), (Self.now + 1, false)] {
      let plan = ResponsePlan(for: try get([]), of: .sample(lastModified: lastModified), now: Self.now)
      #expect(fields(of: plan).contains("Last-Modified") == isShown)
    }
  }

  @Test func `what the metadata does not have is not written`() throws {
    let tag = try #require(EntityTag(strong: "t"))
    let metadata = RepresentationMetadata(length: 7, mediaType: "text/plain", entityTag: tag)
    let plan = ResponsePlan(for: try get([]), of: metadata, now: Self.now)
    #expect(fields(of: plan) == ["Date", "Content-Type", "Accept-Ranges", "ETag", "Content-Length"])
  }

  // MARK: Multipart

  @Test func `several ranges are a multipart body, to the byte`() throws {
    let plan = try plan(["Range: bytes=0-0,-1"])
    guard case .multipart(let body) = plan.content else {
      Issue.record("\(plan.content)")
      return
    }
    let boundary = "footage-c6cf8fb538aadbab"
    #expect(
      Self.bytes(of: body) == """
        --\(boundary)\r
        Content-Type: video/mp4\r
        Content-Range: bytes 0-0/1000\r
        \r
        #\r
        --\(boundary)\r
        Content-Type: video/mp4\r
        Content-Range: bytes 999-999/1000\r
        \r
        #\r
        --\(boundary)--\r

        """)
    #expect(plan.contentLength == body.composition.length)
    #expect(
      head(of: plan) == """
        HTTP/1.1 206 Partial Content\r
        Date: Tue, 14 Nov 2023 22:13:20 GMT\r
        Content-Type: multipart/byteranges; boundary=\(boundary)\r
        Accept-Ranges: bytes\r
        ETag: "abc"\r
        Cache-Control: no-cache\r
        Last-Modified: Mon, 13 Nov 2023 22:13:20 GMT\r
        Content-Length: \(body.composition.length)\r
        \r

        """)
  }

  @Test(arguments: ["bytes=0-0,-1", "bytes=-1,0-0", "bytes=500-599,0-9,600-699", "bytes=0-9,11-19,100-899,-5"])
  func `the length of a multipart body is the sum of what is sent`(range: String) throws {
    guard case .multipart(let body) = try plan(["Range: \(range)"]).content else {
      Issue.record("no multipart")
      return
    }
    #expect(body.composition.length == UInt64(Self.bytes(of: body).utf8.count))
  }

  @Test func `a body too long for 64 bits is answered whole`() throws {
    #expect(try plan(["Range: bytes=0-0,2-"], length: .max).status == .ok)
  }

  /// Returns a body as text. A `#` stands for each byte of the representation.
  private static func bytes(of body: MultipartByteRanges) -> String {
    text(
      body.composition.slices.flatMap { slice -> [UInt8] in
        switch slice {
        case .literal(let bytes): Array(bytes)
        case .range(_, let range): [UInt8](repeating: UInt8(ascii: "#"), count: range.count)
        }
      })
  }
}

extension String {
  func components(separatedBy separator: String) -> [String] {
    split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
  }
}
