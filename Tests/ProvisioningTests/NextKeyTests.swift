/// The next key of the server: prepared, announced, promoted.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct NextKeyTests {
  let certs: CertificateFolder

  init() throws {
    certs = try CertificateFolder()
    try certs.generate("--name", "robot.local")
  }

  @Test func `the next key gets its own pin and leaves the present one`() throws {
    let present = try certs.bytes("server.key")
    let outcome = try certs.generate("--next")
    #expect(outcome.output == (try certs.pin(ofKey: "server-next.key")) + "\n")
    #expect(outcome.output == (try text(of: certs.path("server-next.pin"))))
    #expect(try certs.bytes("server.key") == present)
    #expect(try certs.mode("server-next.key") == 0o600)
    #expect(try certs.publicKey(ofCertificate: "server-next.pem") == certs.publicKey(ofKey: "server-next.key"))
    #expect(try certs.subjectAlternativeNames("server-next.pem") == ["DNS:robot.local"])
  }

  @Test func `asked again it prints the same pin`() throws {
    let first = try certs.generate("--next")
    let before = try certs.contents()
    #expect(try certs.generate("--next").output == first.output)
    #expect(try certs.contents() == before)
  }

  @Test func `only force replaces it, and not the present key`() throws {
    let present = try certs.bytes("server.key")
    let first = try certs.generate("--next")
    #expect(try certs.generate("--next", "--force").output != first.output)
    #expect(try certs.bytes("server.key") == present)
  }

  @Test func `it learns the names that the robot gets meanwhile`() throws {
    let first = try certs.generate("--next")
    try certs.generate("--name", "new.example")
    #expect(try certs.subjectAlternativeNames("server-next.pem") == ["DNS:robot.local", "DNS:new.example"])
    #expect(try certs.pin(ofKey: "server-next.key") + "\n" == first.output)
  }

  @Test func `promoted it takes the place of the present key, which is kept`() throws {
    let present = try certs.bytes("server.key")
    let next = try certs.generate("--next")
    let certificate = try certs.bytes("server-next.pem")
    let outcome = try certs.generate("--promote")
    #expect(outcome.output == next.output)
    // With that line, anything that a thief of the old key signs would count as the robot's.
    #expect(
      outcome.errors.contains(
        "if the previous key was stolen, remove its line from \(certs.location)/earlier.pin"), "\(outcome.errors)")
    #expect(outcome.errors.contains("The line: " + (try text(of: certs.path("earlier.pin")))))
    #expect(try text(of: certs.path("server.pin")) == next.output)
    #expect(try certs.bytes("server.pem") == certificate)
    #expect(try certs.publicKey(ofCertificate: "server.pem") == certs.publicKey(ofKey: "server.key"))
    #expect(try certs.bytes("server-old.key") == present)
    #expect(try certs.mode("server-old.key") == 0o600)
    #expect(try certs.names().filter { $0.hasPrefix("server-next") } == [])
  }

  @Test func `the pins of keys that were replaced are kept, the oldest first, each once`() throws {
    var pins: [String] = [try text(of: certs.path("server.pin"))]
    for _ in 0..<2 {
      pins.append(try certs.generate("--next").output)
      try certs.generate("--promote")
    }
    #expect(try text(of: certs.path("earlier.pin")) == pins[0] + pins[1])
    #expect(try certs.mode("earlier.pin") == 0o644)
    // A run that was interrupted between the two steps has recorded the pin of the key that is still in use.
    pins.append(try certs.generate("--next").output)
    try Data((pins[2] + pins[0] + pins[1]).utf8).write(to: URL(fileURLWithPath: certs.path("earlier.pin")))
    try certs.generate("--promote")
    #expect(try text(of: certs.path("earlier.pin")) == pins[0] + pins[1] + pins[2])
    #expect(try text(of: certs.path("server.pin")) == pins[3])
  }

  @Test func `the old key brought back gets a certificate again`() throws {
    let first = try certs.generate()
    try certs.generate("--next")
    try certs.generate("--promote")
    try FileManager.default.removeItem(atPath: certs.path("server.key"))
    try FileManager.default.moveItem(atPath: certs.path("server-old.key"), toPath: certs.path("server.key"))
    #expect(try certs.generate().output == first.output)
    #expect(try certs.publicKey(ofCertificate: "server.pem") == certs.publicKey(ofKey: "server.key"))
  }

  @Test func `nothing to promote is an error that says what comes first`() throws {
    let outcome = try certs.attempt("--promote")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("--next"))
    #expect(!certs.exists("server-old.key"))
  }
}
