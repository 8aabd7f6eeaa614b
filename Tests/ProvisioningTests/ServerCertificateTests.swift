/// The server's key, certificate and pin, as `gen-certs.sh` makes, keeps and renews them.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ServerCertificateTests {
  let certs: CertificateFolder

  init() throws { certs = try CertificateFolder() }

  @Test func `a first run makes every file with the permissions it needs`() throws {
    try certs.generate("--name", "robot.local")
    #expect(try certs.mode("server.key") == 0o600)
    #expect(try certs.mode("client-ca.key") == 0o600)
    #expect(try certs.mode(".ca") == 0o700)
    #expect(try certs.mode("clients") == 0o700)
    for name in ["server.pem", "server.cer", "server.pin", "client-ca.pem", "client-ca.crl"] {
      #expect(try certs.mode(name) == 0o644, "\(name)")
    }
    #expect(try certs.names().filter { $0.hasPrefix(".stage") } == [])
  }

  @Test func `a new folder is kept out of any repository`() throws {
    try certs.generate()
    #expect(try text(of: certs.path(".gitignore")) == "*\n")
  }

  @Test func `the key is P-256 as PKCS 8`() throws {
    try certs.generate()
    #expect(try text(of: certs.path("server.key")).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    #expect(try certs.certificateText().contains("NIST CURVE: P-256"))
  }

  @Test func `the RSA key asked for has 3072 bits`() throws {
    try certs.generate("--rsa")
    #expect(try certs.certificateText().contains("Public-Key: (3072 bit)"))
    #expect(try text(of: certs.path("server.key")).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
  }

  @Test func `the pin is one line, the digest of the public key, and the only thing on standard output`() throws {
    let outcome = try certs.generate()
    let line = try text(of: certs.path("server.pin"))
    #expect(line == (try certs.pin(ofKey: "server.key")) + "\n")
    #expect(outcome.output == line)
  }

  @Test func `the DER file is the certificate`() throws {
    try certs.generate()
    let outcome = try certs.openssl(
      "x509", "-inform", "DER", "-in", certs.path("server.cer"), "-noout", "-fingerprint", "-sha256")
    #expect(outcome.output == (try certs.fingerprint()))
  }

  @Test func `the certificate is for servers, self-signed, and no authority`() throws {
    try certs.generate()
    let text = try certs.certificateText()
    #expect(text.contains("X509v3 Extended Key Usage: \n                TLS Web Server Authentication\n"))
    #expect(text.contains("X509v3 Basic Constraints: critical\n                CA:FALSE"))
    #expect(text.contains("ecdsa-with-SHA256"))
    let names = try certs.openssl("x509", "-in", certs.path("server.pem"), "-noout", "-subject", "-issuer").lines
    #expect(names.count == 2)
    #expect(Set(names.map { $0.split(separator: "=", maxSplits: 1)[1] }).count == 1)
  }

  @Test(arguments: [("--days", "825"), ("--days", "1"), ("--name", "no-days.example")])
  func `the certificate ends after exactly the days asked for, 825 when nothing was said`(
    option: String, value: String
  ) throws {
    try certs.generate(option, value)
    let validity = try certs.validity()
    #expect(validity.count == (Int(value) ?? 825) * 86_400)
    #expect(validity.contains(Int(Date().timeIntervalSince1970)))
  }

  @Test func `names and addresses go into the certificate in their plain form`() throws {
    try certs.generate(
      "--name", "Robot.Local.", "--name", "*.fleet.example", "--name", "robot.local", "--ip", "10.0.0.17", "--ip",
      "fe80::17", "--ip", "::ffff:1.2.3.4")
    #expect(
      try certs.subjectAlternativeNames() == [
        "DNS:robot.local", "DNS:*.fleet.example", "IP Address:10.0.0.17", "IP Address:FE80:0:0:0:0:0:0:17",
        "IP Address:0:0:0:0:0:FFFF:102:304",
      ])
  }

  @Test func `without names the certificate is for this host`() throws {
    try certs.generate()
    let names = try certs.subjectAlternativeNames()
    #expect(names.suffix(3) == ["DNS:localhost", "IP Address:127.0.0.1", "IP Address:0:0:0:0:0:0:0:1"])
  }

  @Test func `a name too long for the subject still makes a certificate`() throws {
    let name = String(repeating: "a", count: 63) + "." + String(repeating: "b", count: 63) + ".example"
    try certs.generate("--name", name)
    #expect(try certs.subjectAlternativeNames() == ["DNS:\(name)"])
  }

  @Test func `openssl takes the certificate as its own authority under strict rules`() throws {
    try certs.generate()
    let outcome = try certs.openssl(
      "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", "localhost", "-CAfile",
      certs.path("server.pem"), certs.path("server.pem"))
    #expect(outcome.succeeded, "\(outcome.errors)")
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `curl accepts the server by its certificate`(host: String) throws {
    try certs.generate()
    let server = try SampleServer(key: certs.path("server.key"), certificate: certs.path("server.pem"))
    defer { server.stop() }
    let outcome = try Command(
      "curl", "-sS", "--noproxy", "*", "--ipv4", "--cacert", certs.path("server.pem"), "https://\(host):\(server.port)/"
    ).run()
    #expect(outcome.succeeded, "\(outcome.errors)")
  }

  @Test func `a second run changes no byte`() throws {
    try certs.generate("--name", "robot.local", "--client", "alice", environment: ["FOOTAGE_P12_PASSPHRASE": "one"])
    let before = try certs.contents()
    let outcome = try certs.generate(
      "--name", "ROBOT.local", "--client", "alice", environment: ["FOOTAGE_P12_PASSPHRASE": "two"])
    #expect(try certs.contents() == before)
    #expect(outcome.output == (try text(of: certs.path("server.pin"))))
  }

  @Test(arguments: ["server.pem", "server.cer", "server.pin", "client-ca.crl"])
  func `what is missing is added and the key stays`(name: String) throws {
    try certs.generate()
    let key = try certs.bytes("server.key")
    let pin = try certs.bytes("server.pin")
    try certs.remove(name)
    try certs.generate()
    #expect(certs.exists(name))
    #expect(try certs.bytes("server.key") == key)
    #expect(try certs.bytes("server.pin") == pin)
    #expect(try certs.publicKey(ofCertificate: "server.pem") == certs.publicKey(ofKey: "server.key"))
  }

  @Test func `a new name is added to the old ones under the same pin`() throws {
    let first = try certs.generate("--name", "one.example", "--ip", "10.0.0.1")
    let before = try certs.fingerprint()
    let second = try certs.generate("--name", "two.example", "--ip", "::1")
    #expect(second.output == first.output)
    #expect(try certs.fingerprint() != before)
    #expect(
      try certs.subjectAlternativeNames() == [
        "DNS:one.example", "IP Address:10.0.0.1", "DNS:two.example", "IP Address:0:0:0:0:0:0:0:1",
      ])
  }

  @Test func `force makes a new key for exactly the names given`() throws {
    let first = try certs.generate("--name", "one.example")
    let authority = try certs.bytes("client-ca.key")
    let second = try certs.generate("--name", "two.example", "--force")
    #expect(second.output != first.output)
    #expect(second.output == (try certs.pin(ofKey: "server.key")) + "\n")
    #expect(try certs.subjectAlternativeNames() == ["DNS:two.example"])
    #expect(try certs.bytes("client-ca.key") == authority)
  }

  @Test func `force without names keeps the names`() throws {
    let first = try certs.generate("--name", "one.example")
    let second = try certs.generate("--force")
    #expect(second.output != first.output)
    #expect(try certs.subjectAlternativeNames() == ["DNS:one.example"])
  }

  @Test(arguments: [(20, true), (29, true), (31, false)])
  func `a certificate with less than 30 days left is issued again with the same key`(
    days: Int, isRenewed: Bool
  ) throws {
    let first = try certs.generate("--days", "\(days)", "--name", "one.example")
    let before = try certs.fingerprint()
    let second = try certs.generate()
    #expect(second.output == first.output)
    #expect(try (certs.fingerprint() != before) == isRenewed)
    #expect(second.errors.contains("was to expire on") == isRenewed)
    #expect(try certs.subjectAlternativeNames() == ["DNS:one.example"])
    if isRenewed { #expect(try certs.validity().count == 825 * 86_400) }
  }

  @Test func `a certificate that belongs to another key is issued again`() throws {
    try certs.generate("--name", "one.example")
    let other = try CertificateFolder()
    try other.generate("--name", "two.example")
    try other.bytes("server.pem").write(to: URL(fileURLWithPath: certs.path("server.pem")))
    let outcome = try certs.generate()
    #expect(outcome.errors.contains("belonged to another key"))
    #expect(try certs.publicKey(ofCertificate: "server.pem") == certs.publicKey(ofKey: "server.key"))
  }

  @Test func `a certificate from another authority is left alone`() throws {
    try certs.generate("--client", "alice")
    let request = certs.path("request.csr")
    let signed = certs.path("server.pem")
    #expect(
      try certs.openssl("req", "-new", "-key", certs.path("server.key"), "-subj", "/CN=robot", "-out", request)
        .succeeded)
    #expect(
      try certs.openssl(
        "x509", "-req", "-in", request, "-CA", certs.path("client-ca.pem"), "-CAkey", certs.path("client-ca.key"),
        "-days", "5", "-out", signed
      ).succeeded)
    let before = try certs.bytes("server.pem")
    let outcome = try certs.generate()
    #expect(outcome.errors.contains("issued by someone else"))
    #expect(try certs.bytes("server.pem") == before)
  }

  @Test func `a key that cannot be read is reported, not replaced`() throws {
    try certs.generate()
    try Data("half a ke".utf8).write(to: URL(fileURLWithPath: certs.path("server.key")))
    let outcome = try certs.attempt()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("server.key is not a private key"))
    #expect(outcome.errors.contains("--force"))
    #expect(try text(of: certs.path("server.key")) == "half a ke")
    try certs.generate("--force")
  }

  @Test func `a certificate whose key is gone is no reason for a new pin`() throws {
    try certs.generate()
    try certs.remove("server.key")
    let outcome = try certs.attempt()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("restore server.key"))
    #expect(!certs.exists("server.key"))
    try certs.generate("--client", "alice")
    #expect(!certs.exists("server.key"))
    try certs.generate("--force")
    #expect(certs.exists("server.key"))
  }

  @Test func `a key that everybody can read is made private`() throws {
    try certs.generate()
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: certs.path("server.key"))
    let outcome = try certs.generate()
    #expect(try certs.mode("server.key") == 0o600)
    #expect(outcome.errors.contains("everyone could read"))
  }

  @Test func `runs at the same time wait for each other and agree`() throws {
    let line = "for run in 1 2 3; do \"$0\" --out \"$1\" 2>/dev/null & done; wait"
    let outcome = try Command("bash", "-c", line, CertificateFolder.scripts + "/gen-certs.sh", certs.location).run()
    let pin = try certs.pin(ofKey: "server.key")
    #expect(outcome.lines == [pin, pin, pin])
    #expect(try certs.publicKey(ofCertificate: "server.pem") == certs.publicKey(ofKey: "server.key"))
  }

  @Test func `a folder name with blanks and signs works`() throws {
    let folder = try TemporaryFolder()
    let odd = folder.path("the robot's $certs; 100% [new]")
    let outcome = try Command(
      CertificateFolder.scripts + "/gen-certs.sh", "--out", odd, "--client", "alice", "--next"
    ).run()
    #expect(outcome.succeeded, "\(outcome.errors)")
    #expect(FileManager.default.fileExists(atPath: odd + "/clients/alice.p12"))
  }
}
