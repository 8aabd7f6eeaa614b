/// Viewers: their PKCS#12 files, and their revocation.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ClientTests {
  let certs: CertificateFolder
  let passphrase = "correct horse"

  init() throws { certs = try CertificateFolder() }

  func generate(_ arguments: String...) throws -> Command.Outcome {
    let outcome = try certs.command(arguments, environment: ["FOOTAGE_P12_PASSPHRASE": passphrase]).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return outcome
  }

  func packaging(_ client: String) throws -> String {
    try certs.openssl(
      "pkcs12", "-in", certs.path("clients/\(client).p12"), "-info", "-noout", "-passin", "env:TEST_PASSPHRASE",
      environment: ["TEST_PASSPHRASE": passphrase]
    ).errors
  }

  @Test func `a client's file is one that every Apple importer opens`() throws {
    _ = try generate("--client", "alice")
    let packaging = try packaging("alice")
    #expect(packaging.contains("MAC: sha1,"))
    #expect(packaging.contains("Shrouded Keybag: pbeWithSHA1And3-KeyTripleDES-CBC"))
    #expect(packaging.contains("PKCS7 Encrypted data: pbeWithSHA1And3-KeyTripleDES-CBC"))
    #expect(try certs.mode("clients/alice.p12") == 0o600)
  }

  @Test(arguments: [[], ["--modern"]])
  func `each guess of a passphrase costs a hundred thousand rounds`(options: [String]) throws {
    let made = try certs.command(
      ["--client", "alice"] + options, environment: ["FOOTAGE_P12_PASSPHRASE": passphrase]
    ).run()
    try #require(made.succeeded, "\(made.errors)")
    let packaging = try packaging("alice")
    #expect(packaging.components(separatedBy: "Iteration 100000").count == 4, "\(packaging)")
  }

  @Test func `a modern file has AES-256 and SHA-256`() throws {
    _ = try generate("--client", "alice", "--modern")
    let packaging = try packaging("alice")
    #expect(packaging.contains("MAC: sha256,"))
    #expect(packaging.components(separatedBy: "AES-256-CBC").count == 3)
    #expect(!packaging.contains("TripleDES"))
  }

  @Test(arguments: [false, true])
  func `only the passphrase opens it`(modern: Bool) throws {
    _ = try modern ? generate("--client", "alice", "--modern") : generate("--client", "alice")
    #expect(try certs.opens("clients/alice.p12", passphrase: passphrase))
    #expect(try !certs.opens("clients/alice.p12", passphrase: "wrong"))
    #expect(try !certs.opens("clients/alice.p12", passphrase: ""))
  }

  @Test func `it holds the client's certificate and the key that belongs to it`() throws {
    _ = try generate("--client", "alice")
    let unpacked = certs.path("unpacked")
    _ = try certs.openssl(
      "pkcs12", "-in", certs.path("clients/alice.p12"), "-noenc", "-out", unpacked, "-passin", "env:TEST_PASSPHRASE",
      environment: ["TEST_PASSPHRASE": passphrase])
    #expect(try certs.fingerprint("unpacked") == certs.fingerprint("clients/alice.pem"))
    #expect(try certs.publicKey(ofKey: "unpacked") == certs.publicKey(ofCertificate: "clients/alice.pem"))
  }

  @Test func `the certificate is for clients alone and valid for a robot that thinks it is 1970`() throws {
    _ = try generate("--client", "alice")
    let text = try certs.certificateText("clients/alice.pem")
    #expect(text.contains("X509v3 Extended Key Usage: \n                TLS Web Client Authentication\n"))
    #expect(text.contains("Subject: CN = alice\n"))
    #expect(text.contains("CA:FALSE"))
    #expect(try certs.admits("alice"))
    let outcome = try certs.openssl(
      "verify", "-attime", "60", "-CAfile", certs.path("client-ca.pem"), "-crl_check", "-CRLfile",
      certs.path("client-ca.crl"), certs.path("clients/alice.pem"))
    #expect(outcome.succeeded, "\(outcome.errors)")
    let server = try certs.openssl(
      "verify", "-purpose", "sslserver", "-CAfile", certs.path("client-ca.pem"), certs.path("clients/alice.pem"))
    #expect(!server.succeeded)
  }

  @Test func `RSA clients get 3072 bits`() throws {
    _ = try generate("--client", "alice", "--rsa")
    #expect(try certs.certificateText("clients/alice.pem").contains("Public-Key: (3072 bit)"))
    #expect(try certs.opens("clients/alice.p12", passphrase: passphrase))
  }

  @Test func `several clients are made in one run and each once`() throws {
    _ = try generate("--client", "alice", "--client", "bob.phone", "--client", "alice", "--client", "_c-3")
    #expect(
      try certs.names(in: "clients") == [
        "_c-3.p12", "_c-3.pem", "alice.p12", "alice.pem", "bob.phone.p12", "bob.phone.pem",
      ])
    #expect(try text(of: certs.path(".ca/index.txt")).split(separator: "\n").count == 3)
  }

  @Test func `the authority may sign clients and lists, and nothing below`() throws {
    _ = try generate()
    let text = try certs.certificateText("client-ca.pem")
    #expect(text.contains("CA:TRUE, pathlen:0"))
    #expect(text.contains("Certificate Sign, CRL Sign"))
    let validity = try certs.validity("client-ca.pem")
    #expect(validity.lowerBound == 0)
  }

  @Test func `the list of the revoked is there from the first run and good for ten years`() throws {
    _ = try generate()
    let outcome = try certs.openssl(
      "crl", "-in", certs.path("client-ca.crl"), "-CAfile", certs.path("client-ca.pem"), "-noout", "-nextupdate",
      "-dateopt", "iso_8601")
    #expect(outcome.errors.contains("verify OK"))
    let year = try #require(outcome.lines.last?.split(separator: "=").last?.prefix(4))
    let thisYear = Calendar(identifier: .gregorian).component(.year, from: Date())
    #expect((thisYear + 9...thisYear + 10).contains(try #require(Int(year))))
    #expect(try certs.revocationCount() == 0)
  }

  @Test func `a revoked client is refused and the others are not`() throws {
    _ = try generate("--client", "alice", "--client", "bob")
    let key = try certs.bytes("server.key")
    let outcome = try certs.generate("--revoke", "alice")
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("copy client-ca.crl to the robot"))
    #expect(try !certs.admits("alice"))
    #expect(try certs.admits("bob"))
    #expect(try certs.bytes("server.key") == key)
    #expect(try certs.revocationCount() == 1)
  }

  @Test func `revoking again changes nothing`() throws {
    _ = try generate("--client", "alice")
    try certs.generate("--revoke", "alice")
    let before = try certs.contents()
    let outcome = try certs.generate("--revoke", "alice")
    #expect(outcome.errors.contains("alice was already revoked"))
    #expect(try certs.contents() == before)
  }

  @Test func `an unknown name among those to revoke changes nothing`() throws {
    _ = try generate("--client", "alice")
    let before = try certs.contents()
    let outcome = try certs.attempt("--revoke", "alice", "--revoke", "mallory")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("'mallory': its valid clients are alice"))
    #expect(try certs.contents() == before)
    #expect(try certs.admits("alice"))
  }

  @Test func `revoking where there is no authority makes none`() throws {
    let outcome = try certs.attempt("--revoke", "alice")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("--out"))
    #expect(!certs.exists(""))
  }

  @Test func `a revoked name comes back only by force`() throws {
    _ = try generate("--client", "alice")
    try certs.generate("--revoke", "alice")
    let refused = try certs.attempt("--client", "alice")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("add --force"))
    let key = try certs.bytes("server.key")
    _ = try generate("--client", "alice", "--force")
    #expect(try certs.admits("alice"))
    #expect(try certs.bytes("server.key") == key)
  }

  @Test func `a new key for a client shuts the old one out`() throws {
    _ = try generate("--client", "alice")
    let old = try certs.bytes("clients/alice.pem")
    _ = try generate("--client", "alice", "--force")
    #expect(try certs.bytes("clients/alice.pem") != old)
    #expect(try certs.admits("alice"))
    try old.write(to: URL(fileURLWithPath: certs.path("clients/alice.pem")))
    #expect(try !certs.admits("alice"))
  }

  @Test func `a file that was handed over and deleted is not made again`() throws {
    _ = try generate("--client", "alice")
    try certs.remove("clients/alice.p12")
    let outcome = try generate("--client", "alice")
    #expect(outcome.errors.contains("--force makes a new one"))
    #expect(!certs.exists("clients/alice.p12"))
    #expect(try certs.admits("alice"))
  }

  @Test func `an authority without its records goes no further`() throws {
    _ = try generate("--client", "alice")
    try certs.generate("--revoke", "alice")
    try certs.remove(".ca")
    let outcome = try certs.attempt("--client", "bob")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("restore it from a copy"))
    #expect(try certs.revocationCount() == 1)
  }

  @Test func `a robot's folder without the authority's key renews the server and issues nobody`() throws {
    _ = try generate("--client", "alice", "--days", "5")
    for name in ["client-ca.key", ".ca", "clients", "server.pin", "server.cer"] { try certs.remove(name) }
    let authority = try certs.bytes("client-ca.pem")
    try certs.generate()
    #expect(try certs.validity().count == 825 * 86_400)
    #expect(try certs.bytes("client-ca.pem") == authority)
    #expect(!certs.exists("client-ca.key"))
    let outcome = try certs.attempt("--client", "bob")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("where client-ca.key is kept"))
  }
}
