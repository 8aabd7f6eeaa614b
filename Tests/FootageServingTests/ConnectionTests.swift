import Foundation
import FootageServing
import LinuxTestSupport
import Testing

@Suite struct ConnectionTests {
  // MARK: Design §4

  @Test(
    arguments: [
      ("bytes=0-1", 206, "bytes 0-1/1000", 0..<2), ("bytes=0-", 206, "bytes 0-999/1000", 0..<1000),
      ("bytes=900-5000", 206, "bytes 900-999/1000", 900..<1000),
      ("bytes=0-99999999999999999999", 206, "bytes 0-999/1000", 0..<1000),
      ("bytes=-500", 206, "bytes 500-999/1000", 500..<1000), ("bytes=-1000", 206, "bytes 0-999/1000", 0..<1000),
      ("bytes=-5000", 206, "bytes 0-999/1000", 0..<1000), ("bytes=5-4", 200, nil, 0..<1000),
      ("bytes=abc", 200, nil, 0..<1000), ("bytes=10", 200, nil, 0..<1000), ("items=0-5", 200, nil, 0..<1000),
      ("Bytes=0-5", 206, "bytes 0-5/1000", 0..<6), ("bytes= 0-5 ,, ", 206, "bytes 0-5/1000", 0..<6),
      ("bytes=0-9,5000-", 206, "bytes 0-9/1000", 0..<10), ("bytes=0-9,10-19", 206, "bytes 0-19/1000", 0..<20),
    ] as [(String, Int, String?, Range<Int>)])
  func `a range gets exactly its bytes`(row: (range: String, status: Int, contentRange: String?, bytes: Range<Int>))
    throws
  {
    let server = try TestServer()
    let client = try server.connect()
    let response = try client.get("/file", "Range: \(row.range)")
    #expect(response.status == row.status)
    #expect(response["Content-Range"] == row.contentRange)
    #expect(response["Content-Length"] == "\(row.bytes.count)")
    #expect(response["Accept-Ranges"] == "bytes")
    #expect(response["Transfer-Encoding"] == nil)
    #expect(response.body == Array(TestHandler.file[row.bytes]))
    // The connection continues, and nothing was left in it.
    #expect(try client.get("/file").body == TestHandler.file)
  }

  @Test(arguments: ["bytes=-0", "bytes=1000-"])
  func `a range outside gets 416 and the length`(range: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    let response = try client.get("/file", "Range: \(range)")
    #expect(response.status == 416)
    #expect(response["Content-Range"] == "bytes */1000")
    #expect(response["ETag"] == nil && response["Last-Modified"] == nil && response["Accept-Ranges"] == nil)
    #expect(try client.get("/file").status == 200)
  }

  @Test func `several ranges come as multipart of exactly the promised length`() throws {
    let server = try TestServer()
    let response = try server.connect().get("/file", "Range: bytes=0-0,-1")
    #expect(response.status == 206)
    #expect(response["Content-Range"] == nil)
    let type = try #require(response["Content-Type"])
    let boundary = try #require(type.split(separator: "boundary=").last).trimmingCharacters(in: ["\""])
    var expected: [UInt8] = []
    for (index, range) in [0..<1, 999..<1000].enumerated() {
      let head =
        (index == 0 ? "" : "\r\n")
        + "--\(boundary)\r\nContent-Type: video/mp4\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/1000\r\n\r\n"
      expected += Array(head.utf8) + TestHandler.file[range]
    }
    expected += Array("\r\n--\(boundary)--\r\n".utf8)
    #expect(String(decoding: response.body, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
  }

  @Test func `HEAD is GET without a body, and knows no range`() throws {
    let server = try TestServer()
    let client = try server.connect()
    let response = try client.get("/file", "Range: bytes=0-1", method: "HEAD")
    #expect(response.status == 200)
    #expect(response["Content-Length"] == "1000")
    #expect(try client.get("/file").body == TestHandler.file)
  }

  @Test(
    arguments: [
      (["If-None-Match: \"abc\""], 304), (["If-None-Match: W/\"abc\""], 304), (["If-None-Match: *"], 304),
      (["If-None-Match: \"x\", \"abc\""], 304), (["If-None-Match: \"x\""], 200), (["If-Match: \"abc\""], 200),
      (["If-Match: W/\"abc\""], 412), (["If-Match: \"x\""], 412),
      (["If-Modified-Since: Mon, 13 Nov 2023 22:13:20 GMT"], 304),
      (["If-Modified-Since: Mon, 13 Nov 2023 22:13:19 GMT"], 200),
      (["If-Unmodified-Since: Mon, 13 Nov 2023 22:13:19 GMT"], 412),
      (["Range: bytes=0-1", "If-Range: \"abc\""], 206), (["Range: bytes=0-1", "If-Range: \"x\""], 200),
      (["Range: bytes=0-1", "If-Range: W/\"abc\""], 200),
      (["Range: bytes=0-1", "If-Range: Mon, 13 Nov 2023 22:13:20 GMT"], 206),
      (["Range: bytes=0-1", "If-None-Match: \"abc\""], 304),
    ] as [([String], Int)])
  func `conditions decide before ranges`(row: (fields: [String], status: Int)) throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send("GET /file HTTP/1.1\r\nHost: test\r\n\(row.fields.map { "\($0)\r\n" }.joined())\r\n")
    #expect(try client.response().status == row.status)
    #expect(try client.get("/file").body == TestHandler.file)
  }

  @Test func `an empty body is a 200 whatever the range`() throws {
    let server = try TestServer()
    let client = try server.connect()
    let response = try client.get("/empty", "Range: bytes=0-1")
    #expect(response.status == 200 && response["Content-Length"] == "0")
    #expect(try client.get("/file").status == 200)
  }

  @Test(
    arguments: [
      ("GET /file HTTP/1.1\nHost: t\n\n", 400), ("GET /file HTTP/1.1\r\nHost: t\r\n folded: x\r\n\r\n", 400),
      ("GET /file HTTP/1.1\r\n\r\n", 400), ("GET /file HTTP/1.1\r\nHost: t\r\nHost: t\r\n\r\n", 400),
      ("GET /file HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400),
      ("GET /file HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      ("POST /file HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
      ("GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\nHost: t\r\n\r\n", 414),
      ("GET /file HTTP/1.1\r\nHost: t\r\nX: \(String(repeating: "x", count: 17000))\r\n\r\n", 431),
      ("GET /file HTTP/2.0\r\nHost: t\r\n\r\n", 505),
    ])
  func `what is no request is refused and the connection closed`(row: (request: String, status: Int)) throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send(row.request + "GET /file HTTP/1.1\r\nHost: t\r\n\r\n")
    let response = try client.response()
    #expect(response.status == row.status)
    #expect(response["Connection"] == "close")
    #expect(client.receiveToEnd().isEmpty)
    #expect(client.end == .proper)
  }

  // MARK: Connections

  @Test func `who has not asked for anything yet gets a ticket all the same`() throws {
    let server = try TestServer(.tls13)
    let client = try server.connect()
    // TLS 1.3 sends it when the handshake is over for the client (RFC 8446 §4.6.1).
    try client.waitForBytes()
    #expect(try client.get("/file").body == TestHandler.file)
  }

  @Test(arguments: Transport.allCases)
  func `pipelined requests are answered in order`(transport: Transport) throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    let requests = (0..<200).map { "GET /file HTTP/1.1\r\nHost: t\r\nRange: bytes=\($0)-\($0)\r\n\r\n" }
    try client.send(requests.joined())
    for index in 0..<200 { #expect(try client.response().body == [TestHandler.file[index]]) }
  }

  @Test(arguments: Transport.allCases)
  func `a request that drips in byte by byte is read`(transport: Transport) throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    for byte in "GET /file HTTP/1.1\r\nHost: t\r\nRange: bytes=3-4\r\n\r\n".utf8 { try client.send([byte]) }
    #expect(try client.response().body == Array(TestHandler.file[3...4]))
  }

  @Test(arguments: Transport.allCases)
  func `a large body arrives whole, also at a reader that takes little at a time`(transport: Transport) throws {
    let server = try TestServer(transport)
    let client = try server.connect(receiveBuffer: 65536)
    #expect(try client.get("/big").body == TestHandler.big)
    #expect(
      try client.get("/big", "Range: bytes=1000000-2999999").body == Array(TestHandler.big[1_000_000..<3_000_000]))
  }

  @Test func `cold bytes are waited for without a gap`() throws {
    let server = try TestServer()
    #expect(try server.connect().get("/cold").body == TestHandler.big)
  }

  @Test(arguments: Transport.allCases)
  func `HTTP 1.0 closes unless asked to keep`(transport: Transport) throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    try client.send("GET /file HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    let kept = try client.response()
    #expect(kept["Connection"] == "keep-alive" && kept.body == TestHandler.file)
    try client.send("GET /file HTTP/1.0\r\n\r\n")
    #expect(try client.response()["Connection"] == "close")
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
  }

  @Test func `a small body of a request is dropped and the connection goes on`() throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send("POST /file HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello")
    #expect(try client.response().status == 405)
    try client.send("POST /file HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    #expect(try client.response().status == 405)
    #expect(try client.get("/file").body == TestHandler.file)
  }

  @Test func `a client that asks before it sends its body is answered at once`() throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send("POST /file HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
    let response = try client.response()
    #expect(response.status == 405 && response["Connection"] == "close")
    #expect(client.receiveToEnd().isEmpty)
  }

  @Test(arguments: Transport.allCases)
  func `an answer is not lost when the body behind the request is not read`(transport: Transport) throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    try client.send("POST /file HTTP/1.1\r\nHost: t\r\nContent-Length: 10000000\r\n\r\n")
    // If the server left bytes unread, the kernel would reset the connection and discard the answer.
    try client.send([UInt8](repeating: 1, count: 30_000))
    #expect(try client.response().status == 405)
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
  }

  // MARK: Never a short success

  @Test(arguments: ["/broken", "/changing"], Transport.allCases)
  func `a body that fails on the way is cut off, not completed`(path: String, transport: Transport) throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    try client.send("GET \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
    let received = client.receiveToEnd()
    #expect(received.count < TestHandler.big.count)
    #expect(transport == .plain || client.end == .cutOff)
    server.eventually { server.log.exchanges.last?.isCutOff == true }
    #expect(server.log.bodyErrors.count == 1)
  }

  @Test func `the fields that all responses share are in each`() throws {
    let server = try TestServer()
    let client = try server.connect()
    for (path, fields, status) in [
      ("/file", "A: b", 200), ("/file", "Range: bytes=0-1", 206), ("/kept", "Range: bytes=0-1", 206),
      ("/file", "Range: bytes=5000-", 416), ("/file", "If-None-Match: \"abc\"", 304),
      ("/file", "If-Match: \"other\"", 412), ("/nothing", "A: b", 404), ("/broken-at-once", "A: b", 503),
    ] {
      let response = try client.get(path, fields)
      #expect(response.status == status)
      #expect(response.fields.filter { $0.name == "X-Common" }.map(\.value) == ["yes"], "\(path) \(fields)")
    }
    try client.send("NONSENSE\r\n\r\n")
    #expect(try client.response()["X-Common"] == "yes")
  }

  @Test func `steady bytes are sent whatever became of the rest`() throws {
    let server = try TestServer()
    let client = try server.connect()
    #expect(try client.get("/steady", "Range: bytes=0-9").body == Array(TestHandler.file[..<10]))
    #expect(try client.get("/steady", "Range: bytes=0-10").status == 503)
  }

  @Test(arguments: ["/broken-at-once", "/changed"])
  func `a body that fails before anything left is answered honestly`(path: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    let response = try client.get(path)
    #expect(response.status == 503 && response["ETag"] == nil)
    #expect(server.log.bodyErrors.count == 1)
    #expect(try client.get("/file").status == 200)
  }
}
