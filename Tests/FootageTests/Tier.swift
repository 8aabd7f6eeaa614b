import Foundation
import LinuxTestSupport
import Testing

/// An nginx with the document's configuration, in which the names of files, the robot and the port are filled in.
final class Tier {
  let port: Int
  let folder: TemporaryFolder
  private let process: RunningProgram
  private let certs: String

  private static let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// True if nginx has the module slice, which Debian's smallest nginx does not.
  static let hasSlices: Bool = {
    guard let nginx, let outcome = try? Command(nginx, "-V").run() else { return false }
    return outcome.errors.contains("http_slice_module")
  }()

  /// - Parameters:
  ///   - robot: the robot's port.
  ///   - certs: the robot's certificates, with those of a client `tier`.
  init(robot: Int, certs: String) throws {
    let nginx = try #require(Self.nginx)
    let folder = try TemporaryFolder()
    let port = Int(try HeldPort.next())
    self.folder = folder
    self.certs = certs
    self.port = port
    let page = try String(contentsOfFile: Checkout.path("Documentation/guide/tier.md"), encoding: .utf8)
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

  /// Returns the certificates of a server with a tier in front of it.
  ///
  /// - Parameter rights: the tier's rights, in the form of `viewers.conf`.
  static func certificates(rights: String) throws -> (folder: TemporaryFolder, path: String) {
    let (folder, certs) = try Fixtures.copiedCertificates()
    try Fixtures.provision("--out", certs, "--client", "tier")
    let unpacked = try Command(
      "openssl", "pkcs12", "-in", certs + "/clients/tier.p12", "-noenc", "-passin", "env:PASSPHRASE", "-out",
      certs + "/clients/tier-both.pem", environment: ["PASSPHRASE": Fixtures.passphrase]
    ).run()
    try #require(unpacked.succeeded, "\(unpacked.errors)")
    try "tier \(rights)\n".write(toFile: certs + "/viewers.conf", atomically: true, encoding: .utf8)
    return (folder, certs)
  }

  var story: String { (try? String(contentsOfFile: folder.path("errors"), encoding: .utf8)) ?? "" }

  /// Returns a curl command for this viewer; nil for one that shows no certificate.
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

/// A robot, and the tier in front of it.
final class TierScene {
  let server: Server
  let tier: Tier
  private let folder: TemporaryFolder
  private let certs: String

  /// - Parameter rights: the tier's rights, in the form of `viewers.conf`.
  init(rights: String) throws {
    (folder, certs) = try Tier.certificates(rights: rights)
    let server = try Server(["--client-auth", "require"], folder: folder, certs: certs)
    self.server = server
    do {
      let tier = try Tier(robot: server.port, certs: certs)
      self.tier = tier
      try eventually("the tier to answer; \(tier.story)") { try tier.status("/recordings") == 200 }
    } catch {
      server.kill()
      throw error
    }
  }

  deinit { server.kill() }

  /// Gives the tier other rights.
  func give(_ rights: String) throws {
    try "tier \(rights)\n".write(toFile: certs + "/viewers.conf", atomically: true, encoding: .utf8)
    try server.waitForLine(with: "viewers.conf was reloaded")
  }

  /// Returns a viewer's certificate as PKCS#12.
  func identity(_ client: String) throws -> Data {
    try Data(contentsOf: URL(filePath: certs + "/clients/\(client).p12"))
  }

  /// Puts a recording into the folder, in place of one with the same name.
  func record(_ name: String, filler: UInt8, byteCount: UInt32 = 24 << 20) throws {
    try Fixtures.writeLargeRecording(to: folder.path("written.mp4"), filler: filler, byteCount: byteCount)
    try? FileManager.default.removeItem(atPath: server.file(name + ".mp4"))
    try FileManager.default.moveItem(atPath: folder.path("written.mp4"), toPath: server.file(name + ".mp4"))
  }

  /// Returns the number of bytes of a recording that the robot has sent to the tier.
  ///
  /// A log line comes a moment after its bytes, so this sends another request and waits for that request's line.
  func sentBytes(of name: String) throws -> Int {
    let mark = "/cameras?mark=\(UInt64.random(in: 0 ... .max))"
    _ = try tier.status(mark)
    try server.waitForLine(with: mark)
    return server.lines(with: "\"GET /recordings/\(name).mp4").filter(Server.isAboutBytes).compactMap { line in
      line.firstMatch(of: /" 20[06] ([0-9]+) bytes .*client "tier"/).flatMap { Int($0.1) }
    }.reduce(0, +)
  }
}
