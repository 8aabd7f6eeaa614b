/// The problems that keep a server from starting, with their messages and exit status 1, and those that only cause
/// warnings.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct StartTests {
  let folder: TemporaryFolder
  let recordings: String
  let certs: String

  init() throws {
    folder = try TemporaryFolder()
    recordings = folder.path("recordings")
    certs = folder.path("certs")
    try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
    try Fixtures.copyCertificates(to: certs)
  }

  private func serve(_ options: String...) -> Command {
    Command(
      FootageProgram.path,
      arguments: ["serve", "--recordings", recordings, "--certs", certs, "--listen", "127.0.0.1:0"] + options)
  }

  private func expectFailure(
    _ command: Command, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = try command.run()
    #expect(outcome.status == 1, sourceLocation: sourceLocation)
    #expect(outcome.errors == "footage: \(words)\n", sourceLocation: sourceLocation)
    #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
  }

  private func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: certs + "/" + name) }

  // MARK: The recordings folder

  @Test func `a missing folder is named`() throws {
    let missing = folder.path("missing")
    try expectFailure(
      serve("--recordings", missing),
      "cannot use the recordings folder: cannot find \(missing): No such file or directory")
  }

  @Test func `a file in the place of the folder is named`() throws {
    try Data().write(to: URL(fileURLWithPath: folder.path("file")))
    try expectFailure(
      serve("--recordings", folder.path("file")),
      "cannot use the recordings folder: cannot list \(folder.path("file")): Not a directory")
  }

  @Test func `an unreadable folder is named, with what to check`() throws {
    let command = try FootageProgram.commandWithoutPrivileges(owning: folder, serve().arguments)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: recordings)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: recordings) }
    try expectFailure(
      command,
      "cannot use the recordings folder: cannot list \(recordings): Permission denied "
        + "(check the owner and mode of it and of the folders above it)")
  }

  @Test func `a folder that cannot be written is served all the same, with a warning`() throws {
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: recordings + "/x.mp4")
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: recordings)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: recordings) }
    let owned = folder
    let server = try Server(folder: folder, certs: certs) {
      try FootageProgram.commandWithoutPrivileges(owning: owned, $0.arguments)
    }
    defer { server.kill() }
    let item = try server.waitForState("ready", of: "x")
    #expect(try server.download(item.url).count == item.size)
    let warnings = server.lines(with: " warning: cannot create \(recordings)/.footage: Permission denied")
    #expect(warnings.count == 1, "\(server.story)")
    let state = try #require(warnings.first?.firstMatch(of: /are kept in ([^ ]+)$/)).1
    #expect(FileManager.default.fileExists(atPath: String(state)))
    try server.stop()
    #expect(!FileManager.default.fileExists(atPath: String(state)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: recordings) == ["x.mp4"])
  }

  @Test func `a second server on the same folder is told, and the first goes on`() throws {
    let first = try Server(folder: folder, certs: certs)
    defer { first.kill() }
    try expectFailure(
      serve(),
      "\(recordings) is already served by another footage process: stop that one, or use a different "
        + "--recordings folder")
    #expect(try first.status("/health") == 200)
    try first.stop()
    let third = try Server(folder: folder, certs: certs)
    defer { third.kill() }
    try third.stop()
  }

  @Test func `a server that was killed does not keep the next one out`() throws {
    let first = try Server(folder: folder, certs: certs)
    try first.addClip("x.mp4")
    try first.waitForState("ready", of: "x")
    first.kill()
    let second = try Server(folder: folder, certs: certs)
    defer { second.kill() }
    try second.waitForState("ready", of: "x")
    try second.stop()
  }

  // MARK: The address

  @Test func `a port that is taken is named`() throws {
    try withServer { server in
      try expectFailure(
        serve("--listen", "127.0.0.1:\(server.port)"),
        "cannot listen on 127.0.0.1:\(server.port): another process already does "
          + "(stop it, or choose another port with --listen)")
    }
  }

  @Test func `a server that cannot listen leaves nothing among the recordings`() throws {
    try withServer { server in
      let outcome = try serve("--listen", "127.0.0.1:\(server.port)").run()
      #expect(outcome.status == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: recordings) == [])
    }
  }

  @Test func `callers of IPv4 and IPv6 reach a server that was told a port alone`() throws {
    let server = try Server(["--listen", "[::]:0"], folder: folder, certs: certs)
    defer { server.kill() }
    for host in ["127.0.0.1", "[::1]"] {
      let outcome = try Command(
        "curl", arguments: ["--silent", "--insecure", "https://\(host):\(server.port)/health"]
      ).run()
      #expect(outcome.succeeded, "\(host)")
    }
    try server.waitForLine(with: " 127.0.0.1 \"GET /health\" 200 ")
    try server.waitForLine(with: " ::1 \"GET /health\" 200 ")
    try server.stop()
  }

  @Test func `whoever forgets https is told so in a sentence`() throws {
    try withServer { server in
      let outcome = try Command(
        "curl", arguments: ["--silent", "--show-error", "--include", "http://127.0.0.1:\(server.port)/recordings"]
      ).run()
      #expect(outcome.output.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(outcome)")
      #expect(outcome.output.contains("Connection: close\r\n"))
      #expect(
        outcome.output.hasSuffix("\r\n\r\nThis server accepts only HTTPS: use https://127.0.0.1:\(server.port)/\n"))
    }
  }

  @Test func `an address of another machine is named`() throws {
    try expectFailure(
      serve("--listen", "192.0.2.1:8443"),
      "cannot listen on 192.0.2.1:8443: this machine does not have that address "
        + "(choose one of its own with --listen)")
  }

  // MARK: Certificates

  @Test(arguments: ["server.pem", "server.key", "client-ca.pem"])
  func `a missing file is named, and the script that makes it`(name: String) throws {
    try remove(name)
    try expectFailure(
      serve("--client-auth", "require"),
      "there is no \(certs)/\(name): run scripts/gen-certs.sh to create it, or name another folder with --certs")
  }

  @Test func `a key of another certificate is refused`() throws {
    try remove("server.key")
    try FileManager.default.copyItem(atPath: try Fixtures.otherCerts() + "/server.key", toPath: certs + "/server.key")
    try expectFailure(
      serve(),
      "\(certs): the private key does not belong to the certificate: put back the pair that was made together, or "
        + "make a new one")
  }

  @Test(arguments: [
    (
      "server.key",
      "the server key cannot be read: there is no private key in it, or the key is encrypted with a passphrase"
    ),
    (
      "server.pem",
      "the server certificate cannot be read: there is no certificate in it (-----BEGIN CERTIFICATE-----)"
    ),
    (
      "client-ca.pem",
      "the client authority cannot be read: there is no certificate in it (-----BEGIN CERTIFICATE-----)"
    ),
    ("client-ca.crl", "the revocation list cannot be read: there is no list in it (-----BEGIN X509 CRL-----)"),
  ])
  func `a file with something else in it is named by its purpose`(name: String, words: String) throws {
    try Data("something else\n".utf8).write(to: URL(fileURLWithPath: certs + "/" + name))
    try expectFailure(serve("--client-auth", "require"), "\(certs): \(words)")
  }

  @Test func `a certificate without names makes it warn, and the doctor as well`() throws {
    let made = try Command(
      "openssl", "req", "-x509", "-key", certs + "/server.key", "-subj", "/CN=robot", "-days", "30", "-out",
      certs + "/server.pem"
    ).run()
    try #require(made.succeeded, "\(made.errors)")
    let run = try TemporaryFolder()
    let server = try Server(folder: folder, certs: certs, environment: ["RUNTIME_DIRECTORY": run.location])
    defer { server.kill() }
    let words = "\(certs)/server.pem contains no host name or address (subjectAltName)"
    try server.waitForLine(with: " warning: \(words)")
    // The doctor examines the certificate of the answering server, wherever that is.
    let doctor = try FootageProgram.command("doctor", environment: ["RUNTIME_DIRECTORY": run.location]).run()
    #expect(doctor.output.contains("look   \(words)"), "\(doctor)")
    try server.stop()
  }

  @Test func `a key that others can read makes it warn`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: certs + "/server.key")
    let server = try Server(folder: folder, certs: certs)
    defer { server.kill() }
    try server.waitForLine(
      with: " warning: \(certs)/server.key can be read by users other than its owner: chmod 600 it")
    #expect(try server.status("/health") == 200)
    try server.stop()
  }

  @Test func `listening beyond the loopback address without client certificates makes it warn, once`() throws {
    let warning =
      /warning: everyone who can reach 0\.0\.0\.0:[0-9]+ can watch the recordings: to require certificates, use --/
    try withServer("--listen", "0.0.0.0:0") { server in
      try server.waitForLine(with: " warning: everyone who can reach")
      #expect(try server.status("/health") == 200)
      #expect(server.log.matches(of: warning).count == 1, "\(server.log)")
    }
    // If the operator has chosen this explicitly, it is no warning.
    try withServer("--listen", "0.0.0.0:0", "--client-auth", "none") { server in
      try server.waitForLine(with: "everyone who can reach")
      #expect(!server.log.contains("warning: everyone"))
    }
    try withServer { server in
      #expect(!server.log.contains("everyone who can reach"))
    }
  }

  // MARK: Addresses that are shown

  @Test func `the first line is the address and the second the pin that gen-certs showed`() throws {
    let server = try Server(folder: folder, certs: certs)
    defer { server.kill() }
    #expect(server.process.output == "https://127.0.0.1:\(server.port)/\n\(server.pin)\n")
    #expect(try text(of: certs + "/server.pin") == server.pin + "\n")
    try server.stop()
  }
}
