/// Versions, suites and renegotiation, with `openssl s_client` and everything allowed that OpenSSL still supports.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct TLSTests {
  @Test func `a client that can do TLS 1.1 alone gets an alert`() throws {
    try withServer { server in
      for version in ["-tls1", "-tls1_1"] {
        let outcome = try server.sClient(version, "-cipher", "ALL:@SECLEVEL=0")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("alert protocol version"), "\(version): \(outcome.errors)")
        #expect(outcome.output.contains("Cipher is (NONE)"))
      }
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `TLS 1.2 and 1.3 are spoken, with a suite that authenticates what it encrypts`(version: String) throws {
    try withServer { server in
      let outcome = try server.sClient(version, "-verify_return_error", "-alpn", "h2,http/1.1", request: "/health")
      #expect(outcome.output.contains("Verify return code: 0 (ok)"), "\(outcome.errors)")
      #expect(outcome.output.contains("ALPN protocol: http/1.1"))
      #expect(outcome.output.contains("HTTP/1.1 200 OK"))
      let suite = try #require(outcome.output.firstMatch(of: /Cipher is ([^\s]+)/)).1
      #expect(suite.contains("GCM") || suite.contains("POLY1305"), "\(suite)")
    }
  }

  @Test func `a client that has CBC suites alone gets an alert, and one with AEAD suites does not`() throws {
    let all = try Command("openssl", "ciphers", "-v", "-tls1_2", "ALL:@SECLEVEL=0").run()
    let lines = all.lines.map { $0.split(separator: " ").map(String.init) }.filter { !$0[0].hasPrefix("TLS_") }
    let isAEAD = { (line: [String]) in line.contains("Mac=AEAD") }
    let others = lines.filter { !isAEAD($0) }.map { $0[0] }
    let safe = lines.filter { isAEAD($0) && $0[0].hasPrefix("ECDHE-ECDSA") && !$0[0].contains("CCM") }.map { $0[0] }
    try #require(others.count > 10 && safe.contains("ECDHE-ECDSA-AES128-GCM-SHA256"))
    try withServer { server in
      let refused = try server.sClient("-tls1_2", "-cipher", others.joined(separator: ":") + ":@SECLEVEL=0")
      #expect(refused.status != 0)
      #expect(refused.errors.contains("alert handshake failure"), "\(refused.errors)")
      let accepted = try server.sClient("-tls1_2", "-cipher", safe.joined(separator: ":"), request: "/health")
      #expect(accepted.output.contains("HTTP/1.1 200 OK"), "\(accepted.errors)")
    }
  }

  @Test func `renegotiation is refused`() throws {
    try withServer { server in
      // A line `R` makes s_client request a renegotiation.
      let outcome = try server.sClient("-tls1_2", input: "R\n")
      #expect(outcome.errors.contains("RENEGOTIATING"), "\(outcome.errors)")
      #expect(outcome.errors.contains("no renegotiation"), "\(outcome.errors)")
      #expect(outcome.status != 0)
      let text = try server.sClient("-tls1_2", request: "/health").output
      #expect(text.contains("Compression: NONE"))
      #expect(text.contains("Secure Renegotiation IS supported"), "as a promise that nobody else can slip one in")
    }
  }

  @Test func `a client that wants another protocol alone is told so`() throws {
    try withServer { server in
      let outcome = try server.sClient("-alpn", "h2")
      #expect(outcome.errors.contains("alert no application protocol"), "\(outcome.errors)")
    }
  }

  @Test func `what is no TLS at all ends the connection and nothing else`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let plain = try Command("curl", "--silent", "--max-time", "20", "http://127.0.0.1:\(server.port)/").run()
      // A sentence that names https, and nothing about the server's contents.
      #expect(plain.succeeded)
      #expect(plain.output.contains("https"), "\(plain.output)")
      #expect(!plain.output.contains("<"), "\(plain.output)")
      for bytes in [
        [UInt8](repeating: 0xFF, count: 4_096), [0x16, 3, 1, 0xFF, 0xFF], Array("GET / HTTP/1.1\r\n\r\n".utf8),
      ] {
        let socket = try BlockingSocket(to: server.port)
        socket.send(bytes)
        socket.shutDown()
      }
      #expect(try server.status("/recordings/x.mp4") == 200)
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a session is resumed by its ticket`(version: String) throws {
    try withServer { server in
      let ticket = server.folder.path("ticket")
      let first = try server.sClient(version, "-sess_out", ticket, request: "/health")
      #expect(first.output.contains("New, TLSv1"), "\(first.errors)")
      let second = try server.sClient(version, "-sess_in", ticket, "-sess_out", ticket, request: "/health")
      #expect(second.output.contains("Reused, TLSv1"))
      #expect(second.output.contains("HTTP/1.1 200 OK"))
      let third = try server.sClient(version, "-sess_in", ticket, request: "/health")
      #expect(third.output.contains("Reused, TLSv1"), "a resumed session brings a fresh ticket")
    }
  }
}
