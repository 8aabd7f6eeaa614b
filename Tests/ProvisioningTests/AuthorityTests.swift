/// A client CA that is not on the robot: a folder of its own, and a key that a passphrase protects.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct AuthorityTests {
  let certs: CertificateFolder

  init() throws { certs = try CertificateFolder() }

  private static let client = ["FOOTAGE_P12_PASSPHRASE": "of the client"]

  private func passphrase(_ text: String = "of the authority\n") throws -> String {
    let path = certs.folder.path("passphrase")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private var isLocked: Bool {
    get throws { try text(of: certs.path("client-ca.key")).hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n") }
  }

  private func opens(with passphrase: String) throws -> Bool {
    try certs.openssl(
      "pkey", "-in", certs.path("client-ca.key"), "-passin", "env:TEST_PASSPHRASE", "-noout",
      environment: ["TEST_PASSPHRASE": passphrase]
    ).succeeded
  }

  @Test func `a robot and its authority each have their own files, and nothing of the other`() throws {
    try certs.generate("--only", "server", "--name", "robot.local")
    #expect(try certs.names() == [".gitignore", ".lock", "server.cer", "server.key", "server.pem", "server.pin"])
    let authority = try CertificateFolder()
    #expect(try authority.generate("--only", "clients").output.isEmpty)
    // From then on the folder records its purpose.
    try authority.generate("--client", "alice", environment: Self.client)
    try authority.generate("--revoke", "alice")
    #expect(
      try authority.names() == [
        ".ca", ".gitignore", ".lock", "client-ca.crl", "client-ca.key", "client-ca.pem", "clients",
      ])
    // The files that are copied onto the robot are left unchanged there.
    for name in ["client-ca.pem", "client-ca.crl"] {
      try authority.bytes(name).write(to: URL(fileURLWithPath: certs.path(name)))
    }
    try certs.generate("--name", "another.local")
    try certs.generate("--renew")
    #expect(try certs.bytes("client-ca.pem") == authority.bytes("client-ca.pem"))
    #expect(!certs.exists("client-ca.key") && !certs.exists(".ca"))
  }

  @Test(arguments: [
    ["--only", "server", "--client", "a"], ["--only", "clients", "--next"], ["--only", "both"], ["--renew", "--next"],
    ["--renew", "--client", "a"], ["--renew", "--name", "a"], ["--client-days", "0"], ["--client-days", "36501"],
    ["--only", "server", "--ca-passphrase-file", "x"], ["--sign"], ["--renew", "--rsa"],
  ])
  func `options that contradict each other are named, and nothing is made`(arguments: [String]) throws {
    let outcome = try certs.command(arguments).run()
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(arguments[0]), "\(outcome.errors)")
    #expect(!certs.exists(""))
  }

  @Test func `a passphrase locks the authority's key as PKCS 8, from the first or later`() throws {
    try certs.generate("--client", "alice", environment: Self.client)
    #expect(try !isLocked)
    let before = try certs.contents()
    try certs.generate("--ca-passphrase-file", passphrase())
    #expect(try isLocked)
    #expect(try opens(with: "of the authority") && !opens(with: "") && !opens(with: "of the client"))
    #expect(try certs.mode("client-ca.key") == 0o600)
    let after = try certs.contents()
    #expect(Set(before.keys).union(after.keys).filter { before[$0] != after[$0] } == ["client-ca.key"])
    let other = try CertificateFolder()
    try other.generate("--only", "clients", "--ca-passphrase-file", passphrase())
    let first = try text(of: other.path("client-ca.key"))
    #expect(first.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
    #expect(try certs.openssl("asn1parse", "-in", other.path("client-ca.key")).output.contains("PBES2"))
  }

  @Test func `a locked key signs, revokes and lists with its passphrase, and not without`() throws {
    let file = try passphrase()
    try certs.generate("--ca-passphrase-file", file, "--client", "alice", environment: Self.client)
    #expect(try certs.admits("alice"))
    let before = try certs.contents()
    for arguments in [["--client", "bob"], ["--revoke", "alice"], ["--client", "alice", "--force"]] {
      let outcome = try certs.command(arguments, environment: Self.client).run()
      #expect(outcome.status == 1 && outcome.errors.contains("--ca-passphrase-file"), "\(arguments)")
      let wrong = try certs.command(
        arguments + ["--ca-passphrase-file", "/dev/stdin"], environment: Self.client, input: "another\n"
      ).run()
      #expect(wrong.status == 1 && wrong.errors.contains("does not open"), "\(arguments)")
    }
    #expect(try certs.contents() == before)
    // A run that needs no signature of the authority asks for no passphrase.
    try certs.generate("--name", "another.example")
    try certs.generate("--ca-passphrase-file", file, "--revoke", "alice")
    #expect(try !certs.admits("alice"))
    try certs.remove("client-ca.crl")
    #expect(try certs.attempt().errors.contains("--ca-passphrase-file"))
    try certs.generate("--ca-passphrase-file", file)
    #expect(try certs.revocationCount() == 1)
    #expect(try isLocked)
  }

  @Test func `a terminal is asked for it, and shows nothing typed`() throws {
    try certs.generate("--ca-passphrase-file", passphrase(), "--client", "alice", environment: Self.client)
    let terminal = try Terminal(certs.command(["--revoke", "alice"]))
    try terminal.answer("Passphrase of client-ca.key: ", with: "typed wrong")
    try terminal.answer("Passphrase of client-ca.key: ", with: "of the authority")
    let (status, shown) = terminal.finish()
    #expect(status == 0, "\(shown)")
    #expect(!shown.contains("typed") && !shown.contains("of the authority"))
    #expect(try !certs.admits("alice"))
  }

  @Test(arguments: ["", "\nsecond\n"])
  func `an empty passphrase is refused before anything is made`(text: String) throws {
    let outcome = try certs.attempt("--ca-passphrase-file", passphrase(text))
    #expect(outcome.status == 1)
    #expect(!certs.exists(""))
  }

  @Test func `neither the passphrase nor the key is ever on openssl's command line, nor the key on the disk`() throws {
    let tools = try TemporaryFolder()
    let log = tools.path("log")
    let openssl = try #require(try Command("which", "openssl").run().lines.first)
    let recorder = """
      #!/bin/bash
      printf '%s\\n' "$@" >>'\(log)'
      grep -rhs 'BEGIN PRIVATE KEY' '\(certs.location)' >>'\(log)'
      exec \(openssl) "$@"
      """
    try tools.addScript("openssl", recorder)
    let path = tools.location + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    try certs.generate(
      "--only", "clients", "--ca-passphrase-file", passphrase(), "--client", "alice",
      environment: Self.client.merging(["PATH": path]) { _, new in new })
    let arguments = try text(of: log)
    #expect(arguments.contains("pkcs8") && arguments.contains("KEY_PASSPHRASE"))
    #expect(!arguments.contains("of the authority") && !arguments.contains("PRIVATE KEY"))
  }
}
