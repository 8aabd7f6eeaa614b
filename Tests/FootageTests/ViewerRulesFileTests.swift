/// `viewers.conf` of a running server: it is read with the certificates, and applied at once.
import FootageAPI
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ViewerRulesFileTests {
  let folder: TemporaryFolder
  let certs: String

  init() throws { (folder, certs) = try Fixtures.copiedCertificates() }

  private func write(_ rules: String) throws {
    try rules.write(toFile: certs + "/viewers.conf", atomically: true, encoding: .utf8)
  }

  private func pin(_ client: String) throws -> String {
    let outcome = try Command(
      "sh", "-c",
      """
      openssl x509 -in \(certs)/clients/\(client).pem -noout -pubkey | openssl pkey -pubin -outform DER \
      | openssl dgst -sha256 -binary | openssl base64 -A
      """
    ).run()
    return "sha256/" + outcome.output
  }

  private func show(_ client: String) -> [String] { ["--cert", certs + "/clients/\(client)-both.pem"] }

  private static let changed = " info: viewers.conf was reloaded"
  private static let kept = " error: the new viewer rules cannot be used, and the current ones stay in use: "

  private func withViewers(_ rules: String?, _ body: (Server) throws -> Void) throws {
    if let rules { try write(rules) }
    for name in ["front/a.mp4", "rear/b.mp4"] {
      let path = folder.path("recordings/" + name)
      try FileManager.default.createDirectory(
        atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: path)
    }
    let server = try Server(["--client-auth", "require"], folder: folder, certs: certs)
    defer { server.kill() }
    try server.waitForLine(with: " info: indexed 2 recordings in ")
    try body(server)
    try server.stop()
  }

  @Test func `a viewer is known by name or by key, whose line wins`() throws {
    try withViewers("alice cameras=front\nbob cameras=*\n\(try pin("bob")) cameras=rear status\n") { server in
      let statuses = { (client: String) in
        try ["front/a.json", "rear/b.json"].map { name in
          let asked = self.show(client) + ["--output", "/dev/null", "--write-out", "%{http_code}"]
          return Int(try server.curl(arguments: asked + [server.url + "/recordings/" + name]).run().output) ?? 0
        }
      }
      #expect(try statuses("alice") == [200, 404])
      #expect(try statuses("bob") == [404, 200])
      let list = try server.curl(arguments: show("bob") + [server.url + "/recordings"]).run().output
      #expect(list.contains(#""may":["status"]"#) && list.contains("rear/b") && !list.contains("front/a"))
      let headers = try server.curl(arguments: show("bob") + ["--head", server.url + "/recordings/rear/b.mp4"]).run()
      #expect(headers.output.contains("Cache-Control: private, no-cache"))
    }
  }

  @Test func `new rules hold for connections that are open, and are told of in the log`() throws {
    try withViewers(nil) { server in
      let alice = try server.connect(client: "alice")
      #expect(try alice.get("/recordings/rear/b.mp4").status == 200)
      try write("alice cameras=front\n")
      try server.waitForLine(with: Self.changed)
      #expect(try alice.get("/recordings/rear/b.mp4").status == 404)
      #expect(try alice.get("/recordings/front/a.mp4").status == 200)
      try write("alice cameras=rear\n")
      try server.waitForLine(with: Self.changed, count: 2)
      #expect(try alice.get("/recordings/rear/b.mp4").status == 200)
      #expect(try alice.get("/recordings/front/a.mp4").status == 404)
    }
  }

  @Test func `rules that are broken or gone later leave the old ones, and the log says why once`() throws {
    try withViewers("alice cameras=front\n") { server in
      let alice = try server.connect(client: "alice")
      func checkAlice() throws {
        #expect(try alice.get("/recordings/front/a.mp4").status == 200)
        #expect(try alice.get("/recordings/rear/b.mp4").status == 404)
      }
      try write("alice cameras=*\nalice cameras=front\n")
      try server.waitForLine(with: Self.kept + "\(certs)/viewers.conf, line 2: this viewer is already in line 1")
      try checkAlice()
      try FileManager.default.removeItem(atPath: certs + "/viewers.conf")
      try server.waitForLine(with: Self.kept + "\(certs)/viewers.conf no longer exists")
      try checkAlice()
      // A client that is revoked meanwhile is refused all the same.
      let mallory = try server.connect(client: "bob")
      try Fixtures.provision("--out", certs, "--revoke", "bob")
      #expect(mallory.receivesEnd(), "\(server.story)")
      try checkAlice()
      try write("alice cameras=*\n")
      try server.waitForLine(with: Self.changed)
      #expect(try alice.get("/recordings/rear/b.mp4").status == 200)
      #expect(server.lines(with: Self.kept).count == 2, "\(server.story)")
    }
  }

  @Test func `new rules do not wait for certificates that cannot be used`() throws {
    try withViewers("alice cameras=*\n") { server in
      let alice = try server.connect(client: "alice")
      #expect(try alice.get("/recordings/rear/b.mp4").status == 200)
      try "no list".write(toFile: certs + "/client-ca.crl", atomically: true, encoding: .utf8)
      try server.waitForLine(with: " error: the new certificates cannot be used, and the current ones stay in use: ")
      try write("alice cameras=front\n")
      try server.waitForLine(with: Self.changed)
      #expect(try alice.get("/recordings/rear/b.mp4").status == 404)
    }
  }

  @Test func `of rules that follow one another at once the last hold, however often they are asked for`() throws {
    try withViewers("alice cameras=*\n") { server in
      // A connection without a request might be closed during all this.
      let connections = try (0..<8).map { _ in
        let alice = try server.connect(client: "alice")
        #expect(try alice.get("/recordings/front/a.mp4").status == 200)
        return alice
      }
      for round in 0..<20 {
        for camera in round % 2 == 0 ? ["front", "rear"] : ["rear", "front"] {
          try write("alice cameras=\(camera)\n")
          server.signal(SIGHUP)
          server.signal(SIGHUP)
        }
      }
      // All earlier changes are in effect when this one is logged. An answer that is being sent until then may be cut
      // off.
      try write("alice cameras=front\nbob cameras=*\n")
      try server.waitForLine(with: Self.changed + ": its 2 lines also apply")
      for alice in connections {
        #expect(try alice.get("/recordings/rear/b.mp4").status == 404)
        #expect(try alice.get("/recordings/front/a.mp4").status == 200)
      }
    }
  }

  @Test func `a download of what is not the viewer's any more is cut off, and others go on`() throws {
    try withServer("--client-auth", "require", certs: certs) { server in
      try server.waitForLine(with: " info: listed the folder in ")
      for camera in ["front", "rear"] {
        try FileManager.default.createDirectory(
          atPath: server.file(camera), withIntermediateDirectories: true)
        try Fixtures.writeLargeRecording(to: server.file("\(camera)/x.mp4"))
        try server.waitForLine(with: "ready: \(camera)/x")
      }
      let alice = try PausedTransfer(server, "/recordings/rear/x.mp4", arguments: show("alice"))
      let bob = try PausedTransfer(server, "/recordings/rear/x.mp4", arguments: show("bob"))
      try write("alice cameras=front\nbob cameras=*\n")
      try server.waitForLine(with: Self.changed)
      try server.waitForLine(with: #" client "alice" cut off"#)
      let (cutOff, whole) = (alice.finish(), bob.finish())
      #expect(cutOff.status != 0 && cutOff.bytes.count < whole.bytes.count)
      #expect(whole.status == 0)
    }
  }

  @Test func `a file that is broken at the start is told with its line, and nobody is served`() throws {
    let start = {
      (mode: String) in
      try FootageProgram.command(
        "serve", "--recordings", self.folder.location, "--certs", self.certs, "--listen", "127.0.0.1:0",
        "--client-auth", mode
      ).run()
    }
    try write("alice cameras=front\nbob camera=rear\n")
    let broken = try start("require")
    #expect(broken.status == 1)
    #expect(broken.errors.contains("\(certs)/viewers.conf, line 2: 'camera=rear' is not a valid right: use keep, "))
    try write("alice cameras=front\n")
    for mode in ["none", "optional"] {
      let open = try start(mode)
      #expect(open.status == 1 && open.errors.contains("serve with --client-auth require, or remove the file"))
    }
    // A link to a missing file was meant to be a file, so it is an error.
    try FileManager.default.removeItem(atPath: certs + "/viewers.conf")
    try FileManager.default.createSymbolicLink(
      atPath: certs + "/viewers.conf", withDestinationPath: folder.path("nothing"))
    let lost = try start("require")
    #expect(lost.status == 1 && lost.errors.contains("\(certs)/viewers.conf no longer exists"))
  }
}
