/// The places of the script and of its output: on a robot without the rest of the sources, and in folders with unusual
/// names.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct PlaceTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs the script in a folder.
  private func run(
    _ script: String = CertificateFolder.scripts + "/gen-certs.sh", in place: String, _ arguments: String...,
    environment: [String: String] = [:]
  ) throws -> Command.Outcome {
    try FileManager.default.createDirectory(atPath: folder.path(place), withIntermediateDirectories: true)
    return try Command(
      "sh", arguments: ["-c", "cd -- \"$0\" && exec \"$@\"", folder.path(place), script] + arguments,
      environment: ["FOOTAGE_P12_PASSPHRASE": "correct horse"].merging(environment) { _, given in given }
    ).run()
  }

  private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.path(name)) }

  @Test func `CDPATH leads nowhere else`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("elsewhere/certs"), withIntermediateDirectories: true)
    let outcome = try run(in: "here", "--out", "certs", environment: ["CDPATH": folder.path("elsewhere")])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("sha256/"))
    #expect(exists("here/certs/server.pem"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("elsewhere/certs")).isEmpty)
  }

  @Test func `a configuration of the caller's changes nothing`() throws {
    let lame = try LameConfiguration.write(into: folder)
    for configuration in [lame, folder.path("missing.cnf"), ""] {
      let outcome = try run(
        in: "here", "--out", "certs", "--client", "alice", "--force", environment: ["OPENSSL_CONF": configuration])
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  @Test(arguments: ["-", "-x", "-P", "a folder", "."])
  func `a folder is the one that it is called`(name: String) throws {
    let outcome = try run(
      in: "here", "--out", name, "--client", "alice", environment: ["OLDPWD": folder.path("before")])
    #expect(outcome.status == 0, "\(outcome.errors)")
    for file in ["server.key", "client-ca.crl", "clients/alice.p12"] {
      #expect(exists("here/\(name)/\(file)"), "\(file)")
    }
    #expect(!exists("before"))
    #expect(try run(in: "here", "--out", name, "--revoke", "alice").status == 0)
  }

  @Test func `a passphrase's file may begin with a dash`() throws {
    try FileManager.default.createDirectory(atPath: folder.path("here"), withIntermediateDirectories: true)
    try Data("a phrase\n".utf8).write(to: URL(fileURLWithPath: folder.path("here/-phrase")))
    let outcome = try run(in: "here", "--client", "alice", "--passphrase-file", "-phrase")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let opened = try Command(
      "openssl", "pkcs12", "-in", folder.path("here/certs/clients/alice.p12"), "-noout", "-passin", "pass:a phrase"
    ).run()
    #expect(opened.succeeded, "\(opened.errors)")
  }

  @Test func `copied with its lib it does everything on a machine without the sources`() throws {
    let tools = folder.path("a robot/tools")
    try FileManager.default.createDirectory(atPath: tools + "/gen-certs", withIntermediateDirectories: true)
    let scripts = CertificateFolder.scripts
    // This process does not copy it, because it may be starting another process: see addScript.
    _ = try Command("cp", scripts + "/gen-certs.sh", tools + "/gen-certs.sh").successfulOutput()
    for name in try FileManager.default.contentsOfDirectory(atPath: scripts + "/gen-certs") {
      try FileManager.default.copyItem(atPath: scripts + "/gen-certs/" + name, toPath: tools + "/gen-certs/" + name)
    }
    let script = tools + "/gen-certs.sh"
    for arguments in [
      ["--name", "robot.local"], ["--client", "alice"], ["--revoke", "alice"], ["--next"], ["--promote"],
    ] {
      let outcome = try Command(
        "env",
        arguments: ["-i", "-C", "/", "PATH=/usr/bin:/bin", "FOOTAGE_P12_PASSPHRASE=correct horse", script] + arguments
          + ["--out", folder.path("certs")]
      ).run()
      #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
      #expect(!outcome.errors.contains("No such file"), "\(outcome.errors)")
    }
    try FileManager.default.removeItem(atPath: tools + "/gen-certs/keys.sh")
    let outcome = try Command(script, "--out", folder.path("others")).run()
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "gen-certs: \(tools)/gen-certs/keys.sh is missing: copy the folder gen-certs together with gen-certs.sh\n")
    #expect(!exists("others"))
  }
}
