/// A site's root (`gen-certs.sh --site-ca`): the certificates that it vouches for, and the place of its key.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct SiteTests {
  let certs: CertificateFolder
  private var site: String { certs.folder.path("site") }

  init() throws { certs = try CertificateFolder() }

  private func generate(_ arguments: String...) throws {
    let outcome = try certs.command(["--site-ca", site] + arguments).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
  }

  private func verify(_ options: String..., authority: String, certificate: String) throws -> Bool {
    try Command(
      "openssl",
      arguments: ["verify", "-x509_strict", "-purpose", "sslserver"] + options + [
        "-CAfile", authority, certificate,
      ]
    ).run().succeeded
  }

  @Test func `the root vouches for local names, the names given and private addresses alone`() throws {
    try generate("--name", "robot7.local", "--name", "*.fleet.example", "--ip", "203.0.113.7")
    let text = try Command("openssl", "x509", "-in", site + "/site-ca.pem", "-noout", "-text").successfulOutput()
    #expect(text.contains("X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0"))
    #expect(text.contains("X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign"))
    #expect(text.contains("X509v3 Name Constraints: critical"))
    let permitted = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.hasPrefix("DNS:") || $0.hasPrefix("IP:") }
    #expect(
      permitted.prefix(4) == ["DNS:local", "DNS:localhost", "DNS:fleet.example", "IP:203.0.113.7/255.255.255.255"])
    #expect(
      permitted.dropFirst(4).map { $0.split(separator: "/")[0] } == [
        "IP:127.0.0.0", "IP:10.0.0.0", "IP:172.16.0.0", "IP:192.168.0.0", "IP:169.254.0.0", "IP:0:0:0:0:0:0:0:1",
        "IP:FC00:0:0:0:0:0:0:0", "IP:FE80:0:0:0:0:0:0:0",
      ])
  }

  @Test func `a robot's certificate is the root's, and its file is an authority as it was`() throws {
    try generate("--name", "robot7.local", "--ip", "192.168.1.17")
    let pem = certs.path("server.pem")
    #expect(try verify("-verify_hostname", "robot7.local", authority: site + "/site-ca.pem", certificate: pem))
    #expect(try verify("-verify_ip", "192.168.1.17", authority: pem, certificate: pem))
    #expect(try certs.publicKey(ofCertificate: "server.pem") == certs.publicKey(ofKey: "server.key"))
    #expect(try certs.validity().count == 825 * 86_400)
    let leaf = try certs.openssl("x509", "-inform", "DER", "-in", certs.path("server.cer"), "-noout", "-fingerprint")
    #expect(leaf.output == (try certs.openssl("x509", "-in", pem, "-noout", "-fingerprint").output))
    let server = try SampleServer(key: certs.path("server.key"), certificate: pem)
    defer { server.stop() }
    let resolve = "robot7.local:\(server.port):127.0.0.1"
    for authority in [pem, site + "/site-ca.pem"] {
      let outcome = try Command(
        "curl", "-sS", "--noproxy", "*", "--resolve", resolve, "--cacert", authority,
        "https://robot7.local:\(server.port)/"
      ).run()
      #expect(outcome.succeeded, "\(outcome.errors)")
    }
  }

  @Test func `the keys stay, and a second run changes no byte`() throws {
    try certs.generate("--name", "robot7.local")
    let key = try certs.bytes("server.key")
    try generate()
    #expect(try certs.bytes("server.key") == key)
    let before = try certs.contents()
    let root = try Data(contentsOf: URL(fileURLWithPath: site + "/site-ca.pem"))
    try generate("--name", "robot7.local")
    #expect(try certs.contents() == before)
    #expect(try Data(contentsOf: URL(fileURLWithPath: site + "/site-ca.pem")) == root)
    for name in ["site-ca.key", "server.key", "site-ca.pem", "server.pem"] {
      let path = (name.hasPrefix("site") ? site : certs.location) + "/" + name
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == (name.hasSuffix(".key") ? 0o600 : 0o644), "\(name)")
    }
    #expect(!certs.exists("site-ca.key"))
  }

  @Test func `a robot that keeps its key gets a certificate for its own`() throws {
    let robot = try CertificateFolder()
    try robot.generate("--only", "server", "--name", "robot7.local", "--name", "robot7", "--name", "localhost")
    try FileManager.default.createDirectory(atPath: certs.location, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: robot.path("server.pem"), toPath: certs.path("server.pem"))
    // The robot does not choose its own name, since it might claim another robot's.
    let unnamed = try certs.command(["--site-ca", site]).run()
    #expect(unnamed.status == 1)
    #expect(unnamed.errors.contains("its own certificate names robot7.local, robot7, localhost"), "\(unnamed.errors)")
    try generate("--name", "robot7.local")
    #expect(!certs.exists("server.key"))
    #expect(try certs.publicKey(ofCertificate: "server.pem") == robot.publicKey(ofKey: "server.key"))
    #expect(try certs.subjectAlternativeNames() == ["DNS:robot7.local"])
    #expect(
      try verify(authority: site + "/site-ca.pem", certificate: certs.path("server.pem")))
    // The certificate is replaced when a name is added, but not when nothing has changed.
    let before = try certs.bytes("server.pem")
    try generate()
    #expect(try certs.bytes("server.pem") == before)
    try generate("--name", "kitchen.local")
    #expect(try certs.subjectAlternativeNames() == ["DNS:robot7.local", "DNS:kitchen.local"])
    // On the robot, which does not have the root, the certificate is left unchanged.
    try FileManager.default.removeItem(atPath: robot.path("server.pem"))
    try FileManager.default.copyItem(atPath: certs.path("server.pem"), toPath: robot.path("server.pem"))
    try robot.generate("--renew", "--this-host")
    #expect(try robot.bytes("server.pem") == certs.bytes("server.pem"))
  }

  @Test func `a name that the root does not allow is an error with the remedy`() throws {
    try generate("--name", "robot7.local")
    let before = try certs.contents()
    for option in [["--name", "www.example.org"], ["--ip", "8.8.8.8"], ["--ip", "2001:db8::1"]] {
      let outcome = try certs.command(["--site-ca", site] + option).run()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("make another root in another folder"), "\(outcome.errors)")
    }
    #expect(try certs.contents() == before)
    try generate("--ip", "fd00::17", "--ip", "172.31.0.1", "--name", "deep.robot8.local")
  }

  @Test func `a certificate for another name would not be believed`() throws {
    try generate("--name", "robot7.local")
    // A person with the root's key can sign anything.
    let made = try Command(
      "bash", "-c",
      #"""
      set -e
      cd "$0"
      openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout evil.key -subj /CN=evil -out evil.csr
      printf 'subjectAltName=DNS:bank.example\nbasicConstraints=critical,CA:FALSE\nkeyUsage=digitalSignature\n%s\n' \
        authorityKeyIdentifier=keyid subjectKeyIdentifier=hash >extensions
      openssl x509 -req -in evil.csr -CA site-ca.pem -CAkey site-ca.key -days 10 -extfile extensions -out evil.pem
      """#, site
    ).run()
    try #require(made.succeeded, "\(made.errors)")
    let outcome = try Command("openssl", "verify", "-CAfile", site + "/site-ca.pem", site + "/evil.pem").run()
    #expect(!outcome.succeeded)
    #expect((outcome.output + outcome.errors).contains("permitted subtree violation"))
  }

  @Test func `the root's key lies with no robot, and opens by its passphrase`() throws {
    for arguments in [["--out", site, "--site-ca", site], ["--out", site + "/robot7", "--site-ca", site]] {
      let outcome = try Command(CertificateFolder.scripts + "/gen-certs.sh", arguments: arguments).run()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("on a machine that is not a robot"))
    }
    #expect(!FileManager.default.fileExists(atPath: site + "/site-ca.key"))
    try Data("sesame\n".utf8).write(to: URL(fileURLWithPath: certs.folder.path("passphrase")))
    try generate("--name", "robot7.local", "--ca-passphrase-file", certs.folder.path("passphrase"))
    #expect(try text(of: site + "/site-ca.key").hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
    #expect(try text(of: certs.path("server.key")).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let outcome = try certs.command(["--site-ca", site, "--name", "robot8.local"]).run()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("--ca-passphrase-file"))
  }

  @Test(arguments: [["--client", "alice"], ["--only", "clients"], ["--renew"]])
  func `a root goes with the server's certificate alone`(arguments: [String]) throws {
    let outcome = try certs.command(["--site-ca", site] + arguments).run()
    #expect(outcome.status == 64)
    #expect(!certs.exists(""))
  }
}
