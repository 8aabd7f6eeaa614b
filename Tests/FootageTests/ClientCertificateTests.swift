/// The clients that `--client-auth` admits: those with a valid certificate, but not revoked or unknown ones, or, if a
/// certificate is required, those without one.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ClientCertificateTests {
  /// Returns curl's arguments for a client: a certificate from the robot's own folder, a stranger's, or none.
  private func arguments(for client: String?) throws -> [String] {
    guard let client else { return [] }
    let certs = client == "stranger" ? try Fixtures.otherCerts() : try Fixtures.certs()
    return ["--cert-type", "P12", "--cert", certs + "/clients/\(client).p12:" + Fixtures.passphrase]
  }

  @Test(
    arguments: [
      ("none", nil, nil), ("none", "alice", nil), ("none", "mallory", nil),
      ("optional", nil, nil), ("optional", "alice", nil), ("optional", "mallory", "alert certificate revoked"),
      ("optional", "stranger", "alert unknown ca"),
      ("require", "alice", nil),
      ("require", "mallory", "alert certificate revoked"), ("require", "stranger", "alert unknown ca"),
    ] as [(String, String?, String?)])
  func `clients are let in or refused by their certificate`(mode: String, client: String?, alert: String?) throws {
    try withServer("--client-auth", mode, recordings: []) { server in
      for version in ["1.2", "1.3"] {
        let outcome = try server.curl(
          arguments: ["--fail", "--tlsv" + version, "--tls-max", version] + arguments(for: client)
            + [server.url + "/health"]
        ).run()
        guard let alert else {
          #expect(outcome.succeeded, "TLS \(version): \(outcome.errors)")
          #expect(outcome.output.contains("\"status\":\"ok\""))
          continue
        }
        #expect(!outcome.succeeded, "TLS \(version)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(alert), "TLS \(version): \(outcome.errors)")
      }
    }
  }

  @Test func `a certificate for servers is none for a client`() throws {
    try withServer("--client-auth", "require") { server in
      let outcome = try server.curl(
        "--cert", server.certs + "/server.pem", "--key", server.certs + "/server.key", server.url + "/health"
      ).run()
      #expect(!outcome.succeeded)
      #expect(outcome.output.isEmpty)
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a session of a client with a certificate is resumed`(version: String) throws {
    try withServer("--client-auth", "require") { server in
      let ticket = server.folder.path("ticket")
      let alice = ["-cert", server.certs + "/clients/alice-both.pem"]
      let first = try server.sClient(arguments: [version, "-sess_out", ticket] + alice, request: "/health")
      #expect(first.output.contains("New, TLSv1"), "\(first.errors)")
      #expect(first.output.contains("HTTP/1.1 200 OK"), "\(first.errors)")
      let second = try server.sClient(version, "-sess_in", ticket, request: "/health")
      #expect(second.output.contains("Reused, TLSv1"), "\(second.errors)")
      #expect(second.output.contains("HTTP/1.1 200 OK"))
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `a client who is revoked after it got a ticket is refused with that ticket`(version: String) throws {
    let (folder, certs) = try Fixtures.copiedCertificates()
    try withServer("--client-auth", "require", certs: certs) { server in
      let ticket = folder.path("ticket")
      let alice = ["-cert", certs + "/clients/alice-both.pem"]
      let first = try server.sClient(arguments: [version, "-sess_out", ticket] + alice, request: "/health")
      #expect(first.output.contains("HTTP/1.1 200 OK"), "\(first.errors)")
      try Fixtures.provision("--out", certs, "--revoke", "alice")
      try server.waitForLine(with: "certificates were reloaded")
      for identity in [[], alice] {
        let second = try server.sClient(arguments: [version, "-sess_in", ticket] + identity, request: "/health")
        #expect(!second.output.contains("Reused, TLSv1"))
        if identity.isEmpty {
          #expect(second.output.contains("HTTP/1.1 403 Forbidden"), "\(second.output)")
        } else {
          #expect(!second.output.contains("HTTP/1.1"), "\(second.output)")
          #expect(second.errors.contains("alert certificate revoked"), "\(second.errors)")
        }
      }
    }
  }

  @Test func `a ticket got where no certificate was asked for is worth nothing where one is required`() throws {
    let folder = try TemporaryFolder()
    let ticket = folder.path("ticket")
    try withServer { server in
      _ = try server.sClient("-sess_out", ticket, request: "/health")
      #expect(FileManager.default.fileExists(atPath: ticket))
    }
    try withServer("--client-auth", "require") { server in
      let outcome = try server.sClient("-sess_in", ticket, request: "/health")
      #expect(!outcome.output.contains("Reused, TLSv1"))
      #expect(outcome.output.contains("HTTP/1.1 403 Forbidden"), "\(outcome.output)")
    }
  }
}
