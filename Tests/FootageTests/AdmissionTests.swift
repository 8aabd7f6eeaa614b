/// An admitted client may stay only as long as its authority, the revocation list and the time permit.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct AdmissionTests {
  let folder: TemporaryFolder
  let certs: String

  init() throws { (folder, certs) = try Fixtures.copiedCertificates() }

  private static let modes = [("require", Transport.tls12), ("require", .tls13), ("optional", .tls13)]

  @Test(arguments: modes)
  func `a connection that waits is ended when its client is revoked, and the others stay`(
    mode: String, version: Transport
  ) throws {
    try withServer("--client-auth", mode, certs: certs) { server in
      let alice = try server.connect(version, client: "alice")
      let bob = try server.connect(version, client: "bob")
      let others = mode == "optional" ? [bob, try server.connect(version)] : [bob]
      for connection in [alice] + others { #expect(try connection.get("/health").status == 200) }
      try Fixtures.provision("--out", certs, "--revoke", "alice")
      #expect(alice.receivesEnd(), "\(server.story)")
      try server.waitForLine(with: " warning: refused 127.0.0.1: revoked (serial ")
      #expect(server.lines(with: ", CN alice)").count == 1)
      for connection in others { #expect(try connection.get("/health").status == 200) }
    }
  }

  @Test func `so is one that came by a ticket`() throws {
    try withServer("--client-auth", "require", certs: certs) { server in
      let first = try server.connect(client: "alice")
      _ = try first.get("/health")
      let alice = try server.connect(resuming: first.session)
      #expect(alice.isResumed)
      #expect(try alice.get("/health").status == 200)
      try Fixtures.provision("--out", certs, "--revoke", "alice")
      #expect(alice.receivesEnd(), "\(server.story)")
    }
  }

  @Test func `a download is cut off when its client is revoked, and another one goes on to its end`() throws {
    try withServer("--client-auth", "require", certs: certs) { server in
      try Fixtures.writeLargeRecording(to: server.file("x.mp4"))
      try server.waitForLine(with: "ready: x")
      let show = { (client: String) in ["--cert", self.certs + "/clients/\(client)-both.pem"] }
      let alice = try PausedTransfer(server, "/recordings/x.mp4", arguments: show("alice"))
      let bob = try PausedTransfer(server, "/recordings/x.mp4", arguments: show("bob"))
      try Fixtures.provision("--out", certs, "--revoke", "alice")
      try server.waitForLine(with: "revoked (serial ")
      let cutOff = alice.finish()
      let whole = bob.finish()
      #expect(cutOff.status != 0 && cutOff.bytes.count < whole.bytes.count)
      #expect(whole.status == 0)
      try server.waitForLine(with: #" client "alice" cut off"#)
      try server.waitForLine(with: #" client "bob""#)
    }
  }

  @Test func `connections are ended when their authority is not trusted any more`() throws {
    try withServer("--client-auth", "require", certs: certs) { server in
      let alice = try server.connect(client: "alice")
      #expect(try alice.get("/health").status == 200)
      for name in ["client-ca.pem", "client-ca.crl"] {
        try FileManager.default.removeItem(atPath: certs + "/" + name)
        try FileManager.default.copyItem(atPath: try Fixtures.otherCerts() + "/" + name, toPath: certs + "/" + name)
      }
      #expect(alice.receivesEnd(), "\(server.story)")
      try server.waitForLine(with: " warning: refused 127.0.0.1: unknown authority (serial ")
    }
  }

  @Test func `connections are ended when their certificates expire, though nothing else happens`() throws {
    let clock = folder.path("clock")
    try FixedClock.set(clock, to: Int(Date().timeIntervalSince1970))
    try withServer(
      "--client-auth", "require", certs: certs, environment: try FixedClock.environment(file: clock)
    ) { server in
      let alice = try server.connect(client: "alice")
      #expect(try alice.get("/health").status == 200)
      // Ten years have passed, and the revocation list has expired, which only causes a warning.
      try FixedClock.set(clock, to: 2_200_000_000)
      #expect(alice.receivesEnd(), "\(server.story)")
      try server.waitForLine(with: " warning: refused 127.0.0.1: expired (serial ")
    }
  }

  @Test func `a reload that changes nothing about who may come in leaves everybody alone`() throws {
    try withServer("--client-auth", "require", certs: certs) { server in
      let alice = try server.connect(client: "alice")
      #expect(try alice.get("/health").status == 200)
      for count in 1...2 {
        server.signal(SIGHUP)
        try server.waitForLine(with: "certificates were reloaded", count: count)
        #expect(try alice.get("/health").status == 200)
      }
    }
  }

  // MARK: The list

  private func serve(_ arguments: String...) -> Command {
    FootageProgram.command(
      ["serve", "--recordings", folder.path("recordings"), "--certs", certs, "--listen", "127.0.0.1:0"] + arguments)
  }

  @Test(arguments: ["optional", "require"])
  func `without a list of the revoked it does not start, unless that is meant`(mode: String) throws {
    try FileManager.default.createDirectory(atPath: folder.path("recordings"), withIntermediateDirectories: true)
    try FileManager.default.removeItem(atPath: certs + "/client-ca.crl")
    let outcome = try serve("--client-auth", mode).run()
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        "there is no \(certs)/client-ca.crl, so revoked clients would be admitted: restore it, or create it where "
          + "client-ca.key is kept (scripts/gen-certs.sh); to accept every certificate of the client authority, serve "
          + "with --no-crl"), "\(outcome.errors)")
    try withServer("--client-auth", mode, "--no-crl", certs: certs) { server in
      let answer = try server.connect(client: "mallory").get("/health")
      #expect(answer.status == 200)
    }
    try withServer("--client-auth", mode, certs: certs, environment: ["FOOTAGE_NO_CRL": "1"]) { server in
      let answer = try server.connect(client: "mallory").get("/health")
      #expect(answer.status == 200)
    }
    try withServer(certs: certs) { server in
      let status = try server.status("/health")
      #expect(status == 200)
    }
    #expect(try FootageProgram.command("serve", "--help").run().output.contains("--no-crl"))
  }

  @Test func `a list that is there counts, whatever was meant before`() throws {
    let list = certs + "/client-ca.crl"
    try FileManager.default.moveItem(atPath: list, toPath: folder.path("list"))
    try withServer("--client-auth", "require", "--no-crl", certs: certs) { server in
      let mallory = try server.connect(client: "mallory")
      #expect(try mallory.get("/health").status == 200)
      try FileManager.default.copyItem(atPath: folder.path("list"), toPath: list)
      #expect(mallory.receivesEnd(), "\(server.story)")
      try FileManager.default.removeItem(atPath: list)
      try server.waitForLine(with: " error: the new certificates cannot be used, and the current ones stay in use: ")
      let again = try server.sClient("-cert", certs + "/clients/mallory-both.pem", request: "/health")
      #expect(again.errors.contains("alert certificate revoked"), "\(again.errors)")
    }
  }

  @Test(arguments: ["gone", "a folder", "empty", "another's"])
  func `a list that is lost while it serves is an error, said once, and the revoked stay out`(fault: String) throws {
    let list = certs + "/client-ca.crl"
    try withServer("--client-auth", "require", certs: certs) { server in
      let alice = try server.connect(client: "alice")
      #expect(try alice.get("/health").status == 200)
      try FileManager.default.moveItem(atPath: list, toPath: folder.path("list"))
      // A moment without the list is one more error.
      let isGone = fault == "gone"
      switch fault {
      case "a folder": try FileManager.default.createDirectory(atPath: list, withIntermediateDirectories: false)
      case "empty": try Data().write(to: URL(fileURLWithPath: list))
      case "another's":
        try FileManager.default.copyItem(atPath: try Fixtures.certs() + "/server.pem", toPath: list)
      default: break
      }
      let words = " error: the new certificates cannot be used, and the current ones stay in use: "
      try server.waitForLine(with: words + (isGone ? "there is no \(list), so revoked clients would be admitted" : ""))
      // The running program checks every second of the machine's clock.
      let end = Date(timeIntervalSinceNow: 3)
      while Date() < end {
        let refused = try server.sClient("-cert", certs + "/clients/mallory-both.pem", request: "/health")
        #expect(refused.errors.contains("alert certificate revoked"), "\(refused.errors)")
      }
      #expect(try alice.get("/health").status == 200)
      #expect(server.lines(with: words).count <= (isGone ? 1 : 2), "\(server.story)")
      #expect(!server.log.contains("certificates were reloaded"))
      try? FileManager.default.removeItem(atPath: list)
      try FileManager.default.moveItem(atPath: folder.path("list"), toPath: list)
      try server.waitForLine(with: "certificates were reloaded")
      #expect(try alice.get("/health").status == 200)
    }
  }
}
