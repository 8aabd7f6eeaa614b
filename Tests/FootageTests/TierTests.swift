/// A cache in front of a robot: the configuration of Documentation/Tier.md, as it stands there, in a real nginx.
import FootageAPI
import Formats
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct TierTests {
  private static let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Debian's smallest nginx has no `slice`.
  static let hasSlices: Bool = {
    guard let nginx, let outcome = try? Command(nginx, "-V").run() else { return false }
    return outcome.errors.contains("http_slice_module")
  }()

  /// nginx with the document's configuration: its names of files, of the robot and of its own port are put in.
  private final class Tier {
    let port: Int
    let folder: TemporaryFolder
    private let process: RunningProgram
    private let certs: String

    init(nginx: String, robot: Int, certs: String) throws {
      let folder = try TemporaryFolder()
      let port = try Self.freePort()
      self.folder = folder
      self.certs = certs
      self.port = port
      let page = try String(contentsOfFile: Checkout.path("Documentation/Tier.md"), encoding: .utf8)
      var text = String(
        try #require(page.split(separator: "```nginx\n").dropFirst().first).split(separator: "\n```")[0])
      for (written, meant) in [
        ("/etc/footage-tier", folder.path("etc")), ("/var/cache/footage-tier", folder.path("cache")),
        ("server robot7.local:8443;", "server 127.0.0.1:\(robot);"),
        ("proxy_ssl_name robot7.local", "proxy_ssl_name localhost"),
        ("listen 8443 ssl", "listen 127.0.0.1:\(port) ssl"),
      ] {
        try #require(text.contains(written), "\(written)")
        text = text.replacingOccurrences(of: written, with: meant)
      }
      try FileManager.default.createDirectory(atPath: folder.path("etc"), withIntermediateDirectories: true)
      let files = [
        ("server.pem", try Fixtures.otherCerts() + "/server.pem"),
        ("server.key", try Fixtures.otherCerts() + "/server.key"),
        ("robot.pem", certs + "/server.pem"), ("client.pem", certs + "/clients/tier-both.pem"),
        ("client.key", certs + "/clients/tier-both.pem"), ("client-ca.pem", certs + "/client-ca.pem"),
        ("client-ca.crl", certs + "/client-ca.crl"),
      ]
      for (name, source) in files {
        try FileManager.default.copyItem(atPath: source, toPath: folder.path("etc/" + name))
      }
      let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
        "\($0)_temp_path \(folder.path($0));"
      }
      let whole = """
        daemon off;
        \(NSUserName() == "root" ? "user root;" : "")
        pid \(folder.path("pid"));
        error_log \(folder.path("errors"));
        worker_processes 1;
        events { worker_connections 1024; }
        http {
        access_log off;
        \(temporary.joined(separator: "\n"))
        \(text)
        }
        """
      try whole.write(toFile: folder.path("conf"), atomically: true, encoding: .utf8)
      process = try RunningProgram(
        Command(nginx, "-p", folder.location, "-c", folder.path("conf"), "-e", folder.path("errors")))
    }

    deinit { process.stop() }

    private static func freePort() throws -> Int {
      Int(try BlockingSocket(listeningOn: 0, backlog: 0).port)
    }

    var story: String { (try? String(contentsOfFile: folder.path("errors"), encoding: .utf8)) ?? "" }

    /// curl by this viewer; nil shows no certificate.
    func curl(_ client: String?, _ arguments: String...) -> Command {
      let shown = client.map { ["--cert", certs + "/clients/\($0)-both.pem"] } ?? []
      return Command(
        "curl",
        arguments: ["--silent", "--show-error", "--max-time", "60", "--cacert", folder.path("etc/server.pem")] + shown
          + arguments)
    }

    var url: String { "https://localhost:\(port)" }

    func status(_ path: String, as client: String? = "alice") throws -> Int {
      let asked = curl(client, "--output", "/dev/null", "--write-out", "%{http_code}", url + path)
      return Int(try asked.run().output) ?? 0
    }
  }

  /// What the robot has sent the tier of recordings, in bytes.
  private func sent(_ server: Server, _ name: String) -> Int {
    server.lines(with: "\"GET /recordings/\(name).mp4").compactMap { line in
      line.firstMatch(of: /" 20[06] ([0-9]+) bytes .*client "tier"/).flatMap { Int($0.1) }
    }.reduce(0, +)
  }

  private func item(_ tier: Tier, _ name: String) throws -> RecordingItem? {
    let outcome = try tier.curl("alice", tier.url + "/recordings/\(name).json").run()
    return JSONValue(Array(outcome.output.utf8)).flatMap { try? RecordingItem($0) }
  }

  private func download(_ tier: Tier, _ target: String) throws -> Data {
    let file = tier.folder.path(UUID().uuidString)
    let outcome = try tier.curl("alice", "--fail", "--output", file, tier.url + target).run()
    try #require(outcome.succeeded, "\(outcome.errors) \(tier.story)")
    return try Data(contentsOf: URL(filePath: file))
  }

  @Test(.enabled(if: TierTests.hasSlices, "nginx with its module slice is not installed"))
  func `twenty viewers cost the robot one transfer, a new version is right at once, and an impostor gets nothing on`()
    throws
  {
    let (folder, certs) = try Fixtures.copiedCertificates()
    try Fixtures.provision("--out", certs, "--client", "tier")
    let unpacked = try Command(
      "openssl", "pkcs12", "-in", certs + "/clients/tier.p12", "-noenc", "-passin", "env:PASSPHRASE", "-out",
      certs + "/clients/tier-both.pem", environment: ["PASSPHRASE": Fixtures.passphrase]
    ).run()
    try #require(unpacked.succeeded, "\(unpacked.errors)")
    try "tier cameras=*\n".write(toFile: certs + "/viewers.conf", atomically: true, encoding: .utf8)
    let server = try Server(["--client-auth", "require"], folder: folder, certs: certs)
    defer { server.kill() }
    let nginx = try #require(Self.nginx)
    let tier = try Tier(nginx: nginx, robot: server.port, certs: certs)
    try eventually("the tier to answer; \(tier.story)") { try tier.status("/recordings") == 200 }
    // Whom the robot would not let in, the tier does not either.
    #expect(try tier.status("/recordings", as: nil) == 400)
    #expect(try tier.status("/recordings", as: "mallory") == 400)

    try Fixtures.writeLargeRecording(to: folder.path("written.mp4"))
    try FileManager.default.moveItem(atPath: folder.path("written.mp4"), toPath: server.file("x.mp4"))
    let ready = { (was: String?) in
      try eventually("x to be another version; \(server.story)") { () -> RecordingItem? in
        let item = try self.item(tier, "x")
        return item?.versionedTarget == nil || item?.entityTag == was ? nil : item
      }
    }
    let first = try ready(nil)
    let target = try #require(first.versionedTarget)
    // Without the right to share, each viewer costs a transfer.
    let whole = try download(tier, target)
    #expect(try download(tier, target) == whole)
    #expect(sent(server, "x") >= 2 * whole.count)

    try "tier cameras=* share\n".write(toFile: certs + "/viewers.conf", atomically: true, encoding: .utf8)
    try server.waitForLine(with: "viewers.conf was read again")
    let before = sent(server, "x")
    let files = (0..<20).map { tier.folder.path("viewer-\($0)") }
    let viewers = try files.map { file in
      try RunningProgram(tier.curl("alice", "--fail", "--output", file, tier.url + target))
    }
    for viewer in viewers { #expect(viewer.waitForEnd() == 0, "\(viewer.errors) \(tier.story)") }
    for file in files { #expect(try Data(contentsOf: URL(filePath: file)) == whole) }
    #expect(sent(server, "x") - before == whole.count, "\(server.story)")

    try Fixtures.writeLargeRecording(to: folder.path("written.mp4"), filler: 0xA5)
    try FileManager.default.removeItem(atPath: server.file("x.mp4"))
    try FileManager.default.moveItem(atPath: folder.path("written.mp4"), toPath: server.file("x.mp4"))
    let second = try ready(first.entityTag)
    let newTarget = try #require(second.versionedTarget)
    let changed = sent(server, "x")
    let new = try download(tier, newTarget)
    #expect(new.count == whole.count && new != whole)
    #expect(try download(tier, newTarget) == new)
    #expect(sent(server, "x") - changed == whole.count)
    // The end of it, without what lies before.
    let end = try tier.curl("alice", "--range", "-100", "--output", tier.folder.path("end"), tier.url + newTarget).run()
    #expect(try end.succeeded && Data(contentsOf: URL(filePath: tier.folder.path("end"))) == new.suffix(100))
    #expect(try tier.status("/recordings/x.mp4?v=0000000000000000") == 404)

    let port = server.port
    try server.stop()
    let impostor = try Server(certs: try Fixtures.otherCerts(), port: port)
    defer { impostor.kill() }
    #expect(try tier.status("/recordings") == 502)
    #expect(try tier.status("/recordings/x.mp4?v=1") == 502)
    // What is kept is the robot's, and may be shown for ever.
    #expect(try tier.status(newTarget) == 200)
  }
}
