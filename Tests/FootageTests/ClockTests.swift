/// A robot without a clock battery boots in 1970, which must not lock any client out.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ClockTests {
  @Test(arguments: ["1.2", "1.3"])
  func `a clock in 1970 locks nobody out who has a certificate, and lets nobody in who is revoked`(
    version: String
  ) throws {
    let environment = try FixedClock.environment(seconds: 86_400)
    try withServer("--client-auth", "require", environment: environment) { server in
      let versions = ["--tlsv" + version, "--tls-max", version]
      let ask = { (client: String, certs: String) in
        try server.curl(
          arguments: versions + [
            "--cert-type", "P12", "--cert", certs + "/clients/\(client).p12:" + Fixtures.passphrase,
            server.url + "/health",
          ]
        ).run()
      }
      let good = try ask("alice", try Fixtures.certs())
      #expect(good.output.contains("\"code\":\"clock-not-set\""), "\(good.errors)")
      #expect(try ask("mallory", try Fixtures.certs()).errors.contains("alert certificate revoked"))
      #expect(try ask("stranger", try Fixtures.otherCerts()).errors.contains("alert unknown ca"))
      #expect(server.log.hasPrefix("1970-01-02T00:00:00Z "), "the clock is the one that was set: \(server.story)")
    }
  }

  @Test func `with a clock in 1970 dates count from the server's certificate, and an expired client stays out`() throws
  {
    let (folder, certs) = try Fixtures.copiedCertificates()
    // Ordinary clients, which unlike those of gen-certs.sh are not valid from 1970 on. Each is its own authority.
    var authorities = ""
    for (name, days) in [("veteran", "20000"), ("retired", "30")] {
      let made = try Command(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-subj",
        "/CN=\(name)", "-days", days, "-keyout", folder.path(name + ".key"), "-out", folder.path(name + ".pem"),
        environment: try FixedClock.environment(seconds: 1_700_000_000)
      ).run()
      try #require(made.succeeded, "\(made.errors)")
      authorities += try text(of: folder.path(name + ".pem"))
    }
    try Data(authorities.utf8).write(to: URL(fileURLWithPath: certs + "/client-ca.pem"))
    try FileManager.default.removeItem(atPath: certs + "/client-ca.crl")
    let environment = try FixedClock.environment(seconds: 86_400)
    try withServer("--client-auth", "require", "--no-crl", certs: certs, environment: environment) { server in
      let ask = { (client: String) in
        try server.curl(
          "--cert", folder.path(client + ".pem"), "--key", folder.path(client + ".key"), server.url + "/health"
        ).run()
      }
      let veteran = try ask("veteran")
      #expect(veteran.output.contains("\"code\":\"clock-not-set\""), "\(veteran.errors)")
      let retired = try ask("retired")
      #expect(retired.errors.contains("alert certificate expired"), "\(retired.errors)")
    }
  }

  @Test func `a session is resumed with a clock in 1970`() throws {
    let environment = try FixedClock.environment(seconds: 86_400)
    try withServer("--client-auth", "require", environment: environment) { server in
      let ticket = server.folder.path("ticket")
      _ = try server.sClient(
        "-sess_out", ticket, "-cert", server.certs + "/clients/alice-both.pem", request: "/health")
      let outcome = try server.sClient("-sess_in", ticket, request: "/health")
      #expect(outcome.output.contains("Reused, TLSv1"), "\(outcome.errors)")
      #expect(outcome.output.contains("HTTP/1.1 200 OK"))
    }
  }

  @Test func `recordings are indexed and served with a clock in 1970`() throws {
    let environment = try FixedClock.environment(seconds: 86_400)
    try withServer(environment: environment, recordings: ["x.mp4"]) { server in
      let item = try #require(try server.item("x"))
      #expect(try server.download(item.url).count == item.size)
      // A date later than the server's own is not a validator (RFC 9110 §8.8.2.1).
      let head = try server.curl("--head", server.url + item.url).run().output
      #expect(head.contains("Date: Fri, 02 Jan 1970 00:00:00 GMT"))
      #expect(!head.contains("Last-Modified"))
    }
  }
}
