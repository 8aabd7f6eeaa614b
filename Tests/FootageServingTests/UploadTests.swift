import Foundation
import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

/// Bodies of requests, which a handler reads piece by piece.
@Suite(.offThePool) struct UploadTests {
  private func text(_ response: RawConnection.Response) -> String { String(decoding: response.body, as: UTF8.self) }

  private func head(_ path: String, _ fields: String...) -> String {
    "PUT \(path) HTTP/1.1\r\nHost: t\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n"
  }

  private static let bytes = TestBody.pattern(1 << 20)

  /// Returns the bytes in chunks of odd sizes.
  private static func chunked(_ bytes: [UInt8]) -> [UInt8] {
    var coded: [UInt8] = []
    var start = 0
    var size = 1
    while start < bytes.count {
      let piece = bytes[start..<min(bytes.count, start + size)]
      coded += Array("\(String(piece.count, radix: 16));name=value\r\n".utf8) + piece + Array("\r\n".utf8)
      start += piece.count
      size = size * 3 % 70_001
    }
    return coded + Array("0\r\nTrailer: x\r\n\r\n".utf8)
  }

  @Test(arguments: Transport.allCases)
  func `a body of a mebibyte is read piece by piece, and the connection goes on`(transport: Transport) throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    try client.send(head("/upload", "Content-Length: \(Self.bytes.count)"))
    try client.send(Self.bytes)
    #expect(text(try client.response()) == "\(TestUploads.Digest.text(of: Self.bytes)) in pieces")
    try client.send(Array(head("/upload", "Transfer-Encoding: chunked").utf8) + Self.chunked(Self.bytes))
    #expect(text(try client.response()) == "\(TestUploads.Digest.text(of: Self.bytes)) in pieces")
    #expect(try client.get("/file").body == TestHandler.file)
  }

  @Test(arguments: [["Content-Length: 5"], ["Transfer-Encoding: chunked"]])
  func `what follows a body is the next request`(fields: [String]) throws {
    let server = try TestServer()
    let client = try server.connect()
    let body = fields[0].hasPrefix("C") ? "hello" : "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
    let next = "GET /file HTTP/1.1\r\nHost: t\r\n\r\n"
    for path in ["/upload/small", "/upload/first", "/upload/refused"] {
      try client.send(head(path, fields[0]) + body + next)
      let response = try client.response()
      #expect(response["Connection"] == nil)
      #expect(response.status == (path == "/upload/refused" ? 403 : 200))
      #expect(try client.response().body == TestHandler.file)
    }
  }

  @Test func `a body that drips in byte by byte is read`() throws {
    let server = try TestServer()
    let client = try server.connect()
    let coded = "5;x=y\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"
    for byte in (head("/upload/small", "Transfer-Encoding: chunked") + coded).utf8 { try client.send([byte]) }
    #expect(text(try client.response()) == "hello!")
    #expect(try client.get("/file").status == 200)
  }

  @Test(arguments: ["/upload/small", "/upload/careless"])
  func `a body that is too large is refused, whatever its handler says`(path: String) throws {
    let server = try TestServer()
    for body in [
      "Content-Length: 11\r\n\r\nhello, you!", "Transfer-Encoding: chunked\r\n\r\nb\r\nhello, you!\r\n0\r\n\r\n",
    ] {
      let client = try server.connect()
      try client.send("PUT \(path) HTTP/1.1\r\nHost: t\r\n\(body)")
      let response = try client.response()
      #expect(response.status == 413 && text(response) == "content-too-large")
      #expect(response["Connection"] == "close")
      #expect(client.receiveToEnd().isEmpty && client.end == .proper)
    }
  }

  @Test(arguments: ["/upload/small", "/upload/careless", "/upload/refused"])
  func `a body that breaks HTTP is refused, whether it is read or not`(path: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send(head(path, "Transfer-Encoding: chunked") + "xyz\r\n")
    let response = try client.response()
    #expect(response.status == 400 && response["Connection"] == "close")
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
  }

  @Test(arguments: ["/upload/small", "/upload/careless"], Transport.allCases)
  func `who leaves in the middle of a body gets no answer`(path: String, transport: Transport) throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    try client.send(head(path, "Content-Length: 10") + "hello")
    if transport != .plain { client.sayGoodbye() }
    client.socket.finish()
    #expect(client.receiveToEnd().isEmpty)
    server.eventually { server.server.connectionCount == 0 }
    #expect(server.log.errors == [.disconnected(nil)])
  }

  @Test func `a body that does not come has the handler's time, else the server's`() async throws {
    for (path, seconds) in [("/upload/small", 10), ("/upload/patient", 100)] {
      let server = try TestServer()
      let client = try server.connect()
      try client.send(head(path, "Content-Length: 10") + "hel")
      client.socket.waitUntilDelivered()
      await server.turn()
      // Bytes that drip in between do not extend the time.
      await server.pass(.seconds(seconds / 2))
      try client.send("l")
      client.socket.waitUntilDelivered()
      await server.turn()
      await server.pass(.seconds(seconds / 2 - 1))
      #expect(server.log.errors.isEmpty)
      await server.pass(.seconds(2))
      #expect(server.log.errors == [.deadlinePassed])
      #expect(client.receiveToEnd().isEmpty)
    }
  }

  @Test func `a client that asks before it sends is told to with the first pull`() throws {
    let server = try TestServer()
    let client = try server.connect()
    for _ in 0..<2 {
      try client.send(head("/upload/small", "Content-Length: 5", "Expect: 100-continue"))
      #expect(try client.response().status == 100)
      try client.send("hello")
      #expect(text(try client.response()) == "hello")
    }
    #expect(try client.get("/file").status == 200)
  }

  @Test(arguments: ["/upload/refused", "/upload/small"])
  func `a client that asks before it sends is spared what is refused anyway`(path: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send(head(path, "Content-Length: 11", "Expect: 100-continue"))
    let response = try client.response()
    #expect(response.status == (path == "/upload/small" ? 413 : 403) && response["Connection"] == "close")
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
  }

  /// RFC 9110 §10.1.1: the interim answer may be omitted.
  @Test func `a client that did not wait for the word gets none`() throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send(head("/upload/small", "Content-Length: 5", "Expect: 100-continue") + "hello")
    #expect(text(try client.response()) == "hello")
  }

  @Test func `what is left of a body is dropped where it is small, and else not waited for`() throws {
    let server = try TestServer()
    let client = try server.connect()
    let small = [UInt8](repeating: 1, count: 50_000)
    try client.send(Array(head("/upload/first", "Content-Length: \(small.count)").utf8) + small)
    #expect(try client.response().status == 200)
    try client.send(head("/upload/first", "Content-Length: 1000000") + "begin")
    let response = try client.response()
    #expect(response.status == 200 && response["Connection"] == "close")
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
  }
}
