/// The log lines about clients that were refused and clients that were admitted.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct RefusalLogTests {
  @Test func `who is refused is named with the reason`() throws {
    let others = try Fixtures.otherCerts()
    try withServer("--client-auth", "require") { server in
      let certs = server.certs
      for (identity, words) in [
        (nil, "no certificate"),
        (certs + "/clients/mallory-both.pem", "revoked (serial "),
        (others + "/clients/stranger-both.pem", "unknown authority (serial "),
      ] as [(String?, String)] {
        // There is one line per second, and none of these may be counted among "the others".
        try eventually("'\(words)' in \(server.story)") {
          _ = try server.sClient(arguments: identity.map { ["-cert", $0] } ?? [], request: "/health")
          return !server.lines(with: " warning: refused 127.0.0.1: " + words).isEmpty
        }
      }
      #expect(server.log.contains(/revoked \(serial [0-9A-F]+, CN mallory\)/))
      #expect(server.log.contains(/unknown authority \(serial [0-9A-F]+, CN stranger\)/))
      // The clients differ in the certificates that they send.
      #expect(server.log.contains(/CN stranger\): the certificate of its issuing authority, CN .+, was not sent/))
    }
  }

  @Test func `a handshake that fails is told with the reason`() throws {
    try withServer { server in
      for (words, visit) in [
        ("TLS 1.1, and nothing newer", { _ = try server.sClient("-tls1_1", "-cipher", "ALL:@SECLEVEL=0") }),
        (
          "plain HTTP",
          { _ = try Command("curl", "--silent", "--max-time", "20", "http://127.0.0.1:\(server.port)/").run() }
        ),
        (
          "TLS failed: ",
          {
            let socket = try BlockingSocket(to: server.port)
            socket.send([0x01] + Array("neither TLS nor HTTP".utf8))
            _ = socket.receivesEnd()
          }
        ),
      ] as [(String, () throws -> Void)] {
        try eventually("'\(words)' in \(server.story)") {
          try visit()
          return !server.lines(with: " warning: no TLS connection with 127.0.0.1: " + words).isEmpty
        }
      }
    }
  }

  @Test func `a flood of them is a line a second, with the number of the others`() throws {
    try withServer("--client-auth", "require") { server in
      let start = Date()
      for _ in 0..<20 { _ = try server.sClient(arguments: [], request: "/health") }
      let count = { (line: String) in
        line.firstMatch(of: /and ([0-9]+) more|refused ([0-9]+) more/).flatMap { Int(($0.1 ?? $0.2) ?? "") } ?? 0
      }
      try eventually("all of them in \(server.story)") {
        let lines = server.lines(with: " warning: refused ")
        return lines.map { $0.contains("more clients") ? count($0) : 1 + count($0) }.reduce(0, +) == 20
      }
      // One line per second, and one for the rest.
      let seconds = Int(Date().timeIntervalSince(start).rounded(.up))
      #expect(server.lines(with: " warning: refused ").count <= seconds + 2, "\(server.story)")
    }
  }

  @Test func `the access log names the client's certificate, and nobody where there is none`() throws {
    try withServer("--client-auth", "optional") { server in
      #expect(try server.connect(client: "alice").get("/health").status == 200)
      _ = try server.connect().get("/recordings")
      try eventually("both lines in \(server.story)") {
        server.log.contains(/"GET \/health" 200 [0-9]+ bytes [0-9.]+ ms client "alice"\n/)
          && server.log.contains(/"GET \/recordings" 200 [0-9]+ bytes [0-9.]+ ms\n/)
      }
    }
  }

  @Test func `a name that would break the line is escaped and cut`() throws {
    let (folder, certs) = try Fixtures.copiedCertificates()
    let name = "\"eve\"\u{1B}[2K\u{85}\u{202E}" + String(repeating: "é", count: 50)
    let made = try Command(
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-utf8", "-subj",
      "/CN=" + name, "-days", "30", "-keyout", folder.path("eve.key"), "-out", folder.path("eve.pem")
    ).run()
    try #require(made.succeeded, "\(made.errors)")
    try FileManager.default.removeItem(atPath: certs + "/client-ca.pem")
    try FileManager.default.copyItem(atPath: folder.path("eve.pem"), toPath: certs + "/client-ca.pem")
    try FileManager.default.removeItem(atPath: certs + "/client-ca.crl")
    try withServer("--client-auth", "require", "--no-crl", certs: certs) { server in
      _ = try server.sClient(
        "-cert", folder.path("eve.pem"), "-key", folder.path("eve.key"), request: "/health")
      try server.waitForLine(with: #"client "\x22eve\x22\x1b[2K\xc2\x85\xe2\x80\xae\xc3\xa9"#)
      let line = try #require(server.lines(with: "\"GET /health\" 200").first)
      #expect(line.allSatisfy { ($0.isASCII && $0 != "\u{1B}") || $0 == "…" })
    }
  }
}
