/// Runs that end in the middle, by SIGKILL before one of their steps, and the runs after them.
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@Suite struct CutOffRunTests {
  /// A folder's history before the interrupted run, and that run.
  struct Scenario: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var before: [[String]]
    var run: [String]
    /// The number of files that the run renames into place.
    var renames: Int
  }

  static let scenarios = [
    Scenario(testDescription: "a first run", before: [], run: ["--client", "alice"], renames: 13),
    Scenario(testDescription: "a new key", before: [["--client", "alice"]], run: ["--force"], renames: 4),
    Scenario(
      testDescription: "a new name", before: [["--client", "alice"]],
      run: ["--name", "new.example", "--next"], renames: 6),
    Scenario(
      testDescription: "a promotion", before: [["--client", "alice", "--next"]], run: ["--promote"], renames: 7),
    Scenario(
      testDescription: "a client's new key", before: [["--client", "alice"]],
      run: ["--client", "alice", "--force"], renames: 6),
    Scenario(
      testDescription: "a revocation", before: [["--client", "alice", "--client", "bob"]], run: ["--revoke", "bob"],
      renames: 3),
  ]

  /// The places at which runs are interrupted: all of them with soak, or else one place per scenario, which the seed
  /// chooses.
  static let cuts: [(Scenario, String, Int)] = {
    var generator = SeededGenerator(seed: TestRun.seed(of: "runs that are cut off"))
    return scenarios.flatMap { scenario in
      let all = (1...scenario.renames).map { (scenario, "mv", $0) } + [2, 9].map { (scenario, "openssl", $0) }
      return TestRun.isSoaking ? all : Array(all.shuffled(using: &generator).prefix(1))
    }
  }()

  static let passphrase = ["FOOTAGE_P12_PASSPHRASE": "the same each time"]

  let certs: CertificateFolder
  let tools: TemporaryFolder

  init() throws {
    certs = try CertificateFolder()
    tools = try TemporaryFolder()
  }

  private static let histories = Mutex<[[[String]]: CertificateFolder]>([:])

  /// Returns the folder as it was before the runs of a scenario. It is made once for all of them.
  private static func history(before scenario: Scenario) throws -> String {
    try histories.withLock { histories in
      if let made = histories[scenario.before] { return made.location }
      let certs = try CertificateFolder()
      for arguments in scenario.before {
        try #require(try certs.command(arguments, environment: passphrase).run().succeeded)
      }
      histories[scenario.before] = certs
      return certs.location
    }
  }

  /// Runs the script, and kills everything before the call of `program` with the number `call`.
  private func cut(_ arguments: [String], before program: String, call: Int) throws {
    let real = try #require(try Command("which", program).run().lines.first)
    let killer = """
      #!/bin/bash
      printf x >>'\(tools.path("calls"))'
      if [[ $(wc -c <'\(tools.path("calls"))') -ge \(call) ]]; then kill -9 0; fi
      exec \(real) "$@"
      """
    try tools.addScript(program, killer)
    let path = tools.location + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    var command = certs.command(
      arguments, environment: Self.passphrase.merging(["PATH": path]) { _, ours in ours })
    // The run has a session of its own, so the signal to the process group ends the run and not the test.
    command.arguments = ["-w", command.program] + command.arguments
    command.program = "setsid"
    let outcome = try command.run()
    #expect(!outcome.succeeded, "the run came through: \(outcome.errors)")
  }

  @Test(arguments: cuts)
  func `whatever the moment, no file is half made and the next run completes the set`(
    scenario: Scenario, program: String, call: Int
  ) throws {
    if !scenario.before.isEmpty {
      try FileManager.default.copyItem(atPath: Self.history(before: scenario), toPath: certs.location)
    }
    let bobWasAdmitted = try certs.exists("clients/bob.pem") && certs.admits("bob")
    try cut(scenario.run, before: program, call: call)
    try checkEveryFileIsWhole()

    // A promotion that has already used up the next key has nothing left to promote.
    let again = scenario.run == ["--promote"] && !certs.exists("server-next.key") ? [] : scenario.run
    // `--force` is not repeated: the interrupted run either did it or left the old files usable.
    let outcome = try certs.command(again.filter { $0 != "--force" }, environment: Self.passphrase).run()
    #expect(outcome.succeeded, "\(outcome.errors)")
    try checkTheSetIsConsistent()
    #expect(try certs.admits("alice"))
    #expect(try certs.opens("clients/alice.p12", passphrase: "the same each time"))
    if bobWasAdmitted { #expect(try !certs.admits("bob")) }
    let before = try certs.contents()
    #expect(try certs.command(["--client", "alice"], environment: Self.passphrase).run().succeeded)
    #expect(try certs.contents() == before)
  }

  private func checkEveryFileIsWhole() throws {
    guard certs.exists("") else { return }
    for name in try certs.contents().keys where !name.hasPrefix(".stage") {
      if name.hasSuffix(".key") { _ = try certs.publicKey(ofKey: name) }
      if name.hasSuffix(".pem") { _ = try certs.publicKey(ofCertificate: name) }
      if name.hasSuffix(".p12") { #expect(try certs.opens(name, passphrase: "the same each time")) }
      if name.hasSuffix(".key") { #expect(try certs.mode(name) == 0o600) }
    }
    if certs.exists("server.pem") { #expect(certs.exists("server.key")) }
  }

  private func checkTheSetIsConsistent() throws {
    for prefix in ["server", "server-next"] where certs.exists(prefix + ".key") {
      #expect(try certs.publicKey(ofCertificate: prefix + ".pem") == certs.publicKey(ofKey: prefix + ".key"))
      #expect(try text(of: certs.path(prefix + ".pin")) == (try certs.pin(ofKey: prefix + ".key")) + "\n")
      let fingerprint = try certs.openssl(
        "x509", "-inform", "DER", "-in", certs.path(prefix + ".cer"), "-noout", "-fingerprint", "-sha256")
      #expect(fingerprint.output == (try certs.fingerprint(prefix + ".pem")))
    }
    #expect(try certs.publicKey(ofCertificate: "client-ca.pem") == certs.publicKey(ofKey: "client-ca.key"))
    let index = try text(of: certs.path(".ca/index.txt")).split(separator: "\n")
    #expect(index.filter { $0.hasPrefix("V") && $0.hasSuffix("/CN=alice") }.count == 1)
    #expect(try certs.revocationCount() == index.filter { $0.hasPrefix("R") }.count)
    #expect(try certs.names().filter { $0.hasPrefix(".stage") } == [])
  }
}
