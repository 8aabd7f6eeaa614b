/// A certificate that is renewed under a running server, and the apps that pin it.
import FootageClient
import Foundation
import LinuxTestSupport
import Testing

@Suite struct RenewalTests {
  private func fingerprint(_ server: Server) throws -> String {
    let shown = try server.sClient("-showcerts").output
    return try Command("openssl", "x509", "-noout", "-fingerprint", "-sha256", input: shown).run().output
  }

  private func names(_ server: Server, trusting pin: TrustPin) async throws -> [String] {
    let robot = try RobotConnection(to: FetchTests.robot(server), trusting: .pinned([pin]))
    var names: [String] = []
    for try await recording in robot.recordings() { names.append(recording.name) }
    return names
  }

  @Test func `pins of the key live on, pins of the certificate do not`() async throws {
    let folder = try TemporaryFolder()
    let certs = folder.path("certs")
    try Fixtures.provision(
      "--out", certs, "--only", "server", "--name", "localhost", "--ip", "127.0.0.1", "--days", "40")
    let server = try Server([], folder: folder, certs: certs)
    defer { server.kill() }
    try server.addClip("a.mp4")
    try server.waitForState("ready", of: "a")
    let before = try fingerprint(server)
    let pinned = try TrustPin.spki(server.pin)
    let certificate = try TrustPin.certificate(Data(contentsOf: URL(fileURLWithPath: certs + "/server.pem")))
    #expect(try await names(server, trusting: pinned) == ["a"])
    #expect(try await names(server, trusting: certificate) == ["a"])

    try Fixtures.provision("--out", certs, "--renew")
    try await eventually("the new certificate, without a signal") { () async throws -> Bool in
      try fingerprint(server) != before
    }
    #expect(try await names(server, trusting: pinned) == ["a"])
    await #expect(throws: (any Error).self) { try await names(server, trusting: certificate) }
    try server.stop()
  }
}
