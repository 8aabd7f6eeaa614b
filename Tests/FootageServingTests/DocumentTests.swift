import Foundation
import FootageServing
import LinuxTestSupport
import Testing

/// A document behaves like any other representation.
@Suite(.offThePool) struct DocumentTests {
  @Test func `a document is whole, conditional, and has ranges`() throws {
    let server = try TestServer()
    let client = try server.connect()
    let whole = try client.get("/document")
    #expect(whole.status == 200 && whole.body == TestHandler.big)
    #expect(whole["ETag"] == "\"document\"" && whole["Content-Security-Policy"] == "default-src 'none'")
    let same = try client.get("/document", "If-None-Match: W/\"document\"")
    #expect(same.status == 304 && same["ETag"] == "\"document\"" && same["Cache-Control"] == "no-cache")
    #expect(same["Content-Security-Policy"] == nil && same["Content-Length"] == nil)
    let part = try client.get("/document", "Range: bytes=1000000-1999999")
    #expect(part.status == 206 && part.body == Array(TestHandler.big[1_000_000..<2_000_000]))
    #expect(try client.get("/document", "Range: bytes=3145728-").status == 416)
    #expect(try client.get("/document", "If-Match: \"other\"").status == 412)
    let head = try client.get("/document", method: "HEAD")
    #expect(head.status == 200 && head["Content-Length"] == "\(TestHandler.big.count)")
  }

  @Test(arguments: ["/document", "/distant"])
  func `documents that wait for their peers are let go beyond a bound, and made again`(target: String) throws {
    let server = try TestServer()
    // The first document is kept, and a second one would exceed the limit.
    let slow = try (0..<2).map { _ in try server.connect() }
    for client in slow {
      try client.send("GET \(target) HTTP/1.1\r\nHost: t\r\n\r\n")
      try client.waitForBytes()
    }
    for client in slow { #expect(try client.response().body == TestHandler.big) }
    #expect(server.log.documentCount > 2)
  }
}
