/// The view of a client without a certificate if one is required: a single answer, the same for everything.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct UncertifiedClientTests {
  private static let versions = ["1.2", "1.3"]

  private func curl(_ server: Server, _ version: String, _ arguments: String...) throws -> Command.Outcome {
    try server.curl(arguments: ["--include", "--tlsv" + version, "--tls-max", version] + arguments).run()
  }

  @Test(arguments: versions)
  func `every path is answered alike, with what to do, and the connection is closed`(version: String) throws {
    // The results of the first scan are logged only at this level.
    try withServer("--client-auth", "require", "--log-level", "debug") { server in
      try server.addClip("front/secret.mp4")
      try server.waitForLine(with: "ready: front/secret")
      var answers: Set<String> = []
      for path in ["/", "/health", "/recordings", "/recordings/front/secret.mp4", "/nothing", "/recordings?limit=x"] {
        let outcome = try curl(server, version, server.url + path)
        #expect(outcome.succeeded, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(path): \(outcome.output)")
        #expect(outcome.output.contains("Content-Type: application/problem+json"))
        #expect(outcome.output.contains("Connection: close"))
        #expect(outcome.output.contains("\"code\":\"certificate-required\""))
        #expect(outcome.output.contains("gen-certs.sh --client NAME"))
        #expect(!outcome.output.contains("secret"))
        answers.insert(outcome.output.replacing(/Date: [^\r]*\r\n/, with: ""))
      }
      #expect(answers.count == 1, "\(answers)")
      for method in ["POST", "DELETE", "OPTIONS", "BREW"] {
        let outcome = try curl(server, version, "--request", method, server.url + "/recordings")
        #expect(outcome.output.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(method): \(outcome.output)")
      }
      let head = try curl(server, version, "--head", server.url + "/recordings/front/secret.mp4")
      #expect(head.output.contains("HTTP/1.1 403 Forbidden\r\n") && !head.output.contains("certificate-required"))
    }
  }

  @Test func `a browser is shown a page`() throws {
    try withServer("--client-auth", "require") { server in
      let accept = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
      let outcome = try curl(server, "1.3", "--header", accept, server.url + "/")
      #expect(outcome.output.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
      #expect(outcome.output.contains("Content-Type: text/html; charset=utf-8"))
      #expect(outcome.output.contains("<p>Ask the person who looks after the robot for your own certificate"))
      for accept in ["*/*", "application/json, text/html;q=0.5", "text/html;q=0", "text/plain"] {
        let outcome = try curl(server, "1.3", "--header", "Accept: " + accept, server.url + "/")
        #expect(outcome.output.contains("application/problem+json"), "\(accept): \(outcome.output)")
      }
    }
  }

  @Test(arguments: versions)
  func `a head that is too large, or none, is answered too, and a second request is not`(version: String) throws {
    try withServer("--client-auth", "require") { server in
      let tls = "-tls" + version.replacing(".", with: "_")
      for request in [
        "GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "x", count: 5_000) + "\r\n\r\n", "NONSENSE\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /recordings HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nxxx",
      ] {
        let outcome = try server.sClient(arguments: [tls, "-ign_eof"], input: request)
        #expect(outcome.output.components(separatedBy: "HTTP/1.1 ").count == 2, "\(outcome.output)")
        #expect(outcome.output.contains("HTTP/1.1 403 Forbidden"))
      }
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `no ticket is given, and a ticket of a client with a certificate is good for that client alone`(
    version: String
  ) throws {
    try withServer("--client-auth", "require") { server in
      let session = server.folder.path("session")
      let nobody = try server.sClient(arguments: [version, "-sess_out", session], request: "/health")
      #expect(nobody.output.contains("HTTP/1.1 403 Forbidden"))
      #expect(!nobody.output.contains("TLS session ticket:"), "\(nobody.output)")
      if FileManager.default.fileExists(atPath: session) {
        let again = try server.sClient(arguments: [version, "-sess_in", session], request: "/health")
        #expect(!again.output.contains("Reused, TLSv1"))
        #expect(again.output.contains("HTTP/1.1 403 Forbidden"), "\(again.output)")
      }
    }
  }

  @Test func `who asks nothing is closed when the handshake's time is over`() throws {
    try withServer("--client-auth", "require") { server in
      let held = try server.connect()
      // Ten seconds; a viewer with a certificate has 75.
      #expect(held.receivesEnd(), "\(server.story)")
      try server.waitForLine(with: " warning: refused 127.0.0.1: no certificate")
    }
  }
}
