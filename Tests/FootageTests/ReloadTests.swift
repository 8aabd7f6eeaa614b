/// New certificates for a running server, on a signal or because the files changed.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ReloadTests {
  let folder: TemporaryFolder
  let certs: String

  init() throws { (folder, certs) = try Fixtures.copiedCertificates() }

  /// Returns the certificate that a new connection receives.
  private func fingerprint(_ server: Server) throws -> String {
    let shown = try server.sClient("-showcerts").output
    return try Command("openssl", "x509", "-noout", "-fingerprint", "-sha256", input: shown).run().output
  }

  private func fingerprint(ofFile path: String) throws -> String {
    try Command("openssl", "x509", "-in", path, "-noout", "-fingerprint", "-sha256").run().output
  }

  @Test func `new connections get the new certificate while an old transfer goes on to its end`() throws {
    try withServer(certs: certs) { server in
      try Fixtures.writeLargeRecording(to: server.file("x.mp4"))
      try server.waitForState("ready", of: "x")
      let whole = try server.download("/recordings/x.mp4")
      let old = try fingerprint(server)
      #expect(try old == fingerprint(ofFile: certs + "/server.pem"))
      let transfer = try PausedTransfer(server, "/recordings/x.mp4")
      try Fixtures.provision("--out", certs, "--name", "localhost", "--ip", "127.0.0.1", "--force")
      let new = try fingerprint(ofFile: certs + "/server.pem")
      try #require(new != old)
      try eventually("the new certificate, without a signal") { try fingerprint(server) == new }
      #expect(try server.status("/health") == 200)
      let (status, bytes) = transfer.finish()
      #expect(status == 0)
      #expect(bytes == whole)
    }
  }

  @Test func `SIGHUP reads the files again at once, changed or not`() throws {
    try withServer(certs: certs) { server in
      server.signal(SIGHUP)
      try server.waitForLine(with: " info: certificates were reloaded: new connections use them")
      #expect(try server.status("/health") == 200)
      server.signal(SIGHUP)
      try server.waitForLine(with: "certificates were reloaded", count: 2)
    }
  }

  @Test func `a session ticket outlives a reload that changes nothing about who may come in`() throws {
    try withServer("--client-auth", "require", certs: certs) { server in
      let ticket = folder.path("ticket")
      _ = try server.sClient(
        "-sess_out", ticket, "-cert", certs + "/clients/alice-both.pem", request: "/health")
      server.signal(SIGHUP)
      try server.waitForLine(with: "certificates were reloaded")
      let outcome = try server.sClient("-sess_in", ticket, request: "/health")
      #expect(outcome.output.contains("Reused, TLSv1"), "\(outcome.errors)")
      #expect(outcome.output.contains("HTTP/1.1 200 OK"))
    }
  }

  @Test(arguments: ["garbage", "another's key", "missing"])
  func `new certificates that cannot be used leave the old ones in use, and the log says why`(fault: String) throws {
    try withServer(certs: certs) { server in
      let good = try fingerprint(server)
      let saved = folder.path("saved.key")
      try FileManager.default.moveItem(atPath: certs + "/server.key", toPath: saved)
      switch fault {
      case "garbage": try Data("garbage".utf8).write(to: URL(fileURLWithPath: certs + "/server.key"))
      case "missing": break
      default:
        try FileManager.default.copyItem(
          atPath: try Fixtures.otherCerts() + "/server.key", toPath: certs + "/server.key")
      }
      try server.waitForLine(with: " error: the new certificates cannot be used, and the current ones stay in use: ")
      #expect(try fingerprint(server) == good)
      #expect(try server.status("/health") == 200)
      try? FileManager.default.removeItem(atPath: certs + "/server.key")
      try FileManager.default.moveItem(atPath: saved, toPath: certs + "/server.key")
      try server.waitForLine(with: "certificates were reloaded")
      #expect(try server.status("/health") == 200)
    }
  }

  @Test func `an expired certificate makes it warn with the date, and is served`() throws {
    try withServer(certs: certs, environment: try FixedClock.environment(seconds: 2_200_000_000)) { server in
      let end = try Command(
        "openssl", "x509", "-in", certs + "/server.pem", "-noout", "-enddate", "-dateopt", "iso_8601"
      ).run().output
      let date = try #require(end.firstMatch(of: /notAfter=([-0-9]+) ([:0-9]+)Z/))
      try server.waitForLine(
        with: " warning: the server certificate expired on \(date.1)T\(date.2)Z: clients that check dates refuse it; "
          + "scripts/gen-certs.sh renews it and keeps its key")
      #expect(try server.status("/health") == 200)
    }
  }
}
