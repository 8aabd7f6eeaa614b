/// A robot's manifests, from outside: over HTTP, with openssl alone as the documentation shows, and with
/// `footage verify`.
import FootageAPI
import FootageClient
import Foundation
import LinuxTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ManifestTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Asks repeatedly until the manifest is made.
  private func manifest(
    _ server: Server, _ name: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Answer {
    try eventually("the manifest of \(name); \(server.story)", sourceLocation: sourceLocation) {
      let answer = try server.answer("/recordings/\(name).manifest")
      return answer.status == 202 ? nil : answer
    }
  }

  /// Runs `footage verify` with pairings of its own.
  private func verify(_ arguments: String...) throws -> Command.Outcome {
    try FootageProgram.command(
      ["verify"] + arguments, environment: ["XDG_CONFIG_HOME": folder.path("config"), "HOME": folder.location]
    ).run()
  }

  private func write(_ bytes: Data, _ name: String) throws -> String {
    try bytes.write(to: URL(fileURLWithPath: folder.path(name)))
    return folder.path(name)
  }

  /// Returns a server with a recording of some mebibytes, `a`, and another one, `b`.
  private func server(_ arguments: [String] = [], certs: String? = nil) throws -> Server {
    let server = try Server(arguments, certs: certs)
    try Fixtures.writeLargeRecording(to: server.file("a.mp4"), byteCount: 5 << 19)
    try server.addClip("b.mp4")
    for name in ["a", "b"] { try server.waitForState("ready", of: name) }
    return server
  }

  @Test func `it is made when it is asked for, and then is there like any view`() throws {
    let server = try server()
    defer { server.kill() }
    let first = try server.answer("/recordings/a.manifest")
    #expect(first.status == 202 && first.field("Retry-After") == "2" && first.field("Cache-Control") == "no-store")
    #expect(first.text == "{\"state\":\"making\"}\n")
    let made = try manifest(server, "a")
    #expect(made.status == 200 && made.field("Content-Type") == "text/plain; charset=utf-8")
    let signed = try SignedManifest(Array(made.body))
    let pin = try #require(PublicKeyPin(server.pin))
    #expect(try signed.verify(by: [pin]) == pin)
    let item = try #require(try server.item("a"))
    #expect(signed.manifest.item == item.item)
    func digests(_ bytes: Data) -> ObjectDigests {
      var digester = ObjectDigester()
      digester.update(Array(bytes))
      return digester.finish()
    }
    #expect(signed.manifest.file == digests(try Data(contentsOf: URL(fileURLWithPath: server.file("a.mp4")))))
    #expect(signed.manifest.served == digests(try server.download("/recordings/a.mp4")))
    #expect(signed.manifest.index == digests(try server.download("/recordings/a.index")))
    let tag = try #require(made.field("ETag"))
    #expect(try server.status("/recordings/a.manifest", "--header", "If-None-Match: \(tag)") == 304)
    #expect(try server.status("/recordings/a.manifest", "--head") == 200)
    let part = try server.answer("/recordings/a.manifest", "--range", "5-14")
    #expect(part.status == 206 && part.body == made.body.dropFirst(5).prefix(10))
    #expect(try server.status("/recordings/a.manifest?v=\(signed.manifest.tag.text)") == 200)
    #expect(try server.answer("/recordings/a.manifest?v=0123456789abcdef").text.contains("\"gone\""))
    #expect(try server.answer("/recordings/c.manifest").text.contains("\"not-found\""))
    // The manifest stays the same, even after a restart.
    #expect(try manifest(server, "a").body == made.body)
    try server.stop()
    let next = try Server(folder: server.folder)
    defer { next.kill() }
    try next.waitForState("ready", of: "a")
    #expect(try manifest(next, "a").body == made.body)
    try next.stop()
  }

  @Test func `what the documentation shows verifies it with openssl alone`() throws {
    let page = try String(contentsOfFile: Checkout.path("Documentation/reference/manifest.md"), encoding: .utf8)
    let block = try #require(page.split(separator: "```sh\n").dropFirst().first?.split(separator: "```").first)
    #expect(block.contains("openssl dgst"))
    let server = try server()
    defer { server.kill() }
    let body = try manifest(server, "b").body
    _ = try write(body, "manifest")
    try FileManager.default.copyItem(atPath: server.certs + "/server.pem", toPath: folder.path("server.pem"))
    func run() throws -> Command.Outcome {
      try Command("sh", "-ec", "cd \(folder.location)\n\(block)").run()
    }
    let good = try run()
    #expect(good.succeeded && good.output == "Verified OK\n", "\(good.output) \(good.errors)")
    var changed = body
    changed[changed.count / 2] ^= 1
    _ = try write(changed, "manifest")
    #expect(try !run().succeeded)
    _ = try write(body, "manifest")
    try FileManager.default.removeItem(atPath: folder.path("server.pem"))
    try FileManager.default.copyItem(
      atPath: try Fixtures.otherCerts() + "/server.pem", toPath: folder.path("server.pem"))
    #expect(try !run().succeeded)
    try server.stop()
  }

  @Test func `a copy is compared with it, wherever that came from`() throws {
    let server = try server()
    defer { server.kill() }
    let manifest = try write(try manifest(server, "a").body, "manifest")
    let pin = server.certs + "/server.pin"
    let good = try verify(server.file("a.mp4"), "--manifest", manifest, "--pin", server.pin)
    #expect(good.status == 0 && good.output.contains(": good: the recorder's file of a, "), "\(good.errors)")
    #expect(good.errors == "a is signed by \(server.pin)\n")
    let served = try server.download("/recordings/a.mp4")
    let copy = try write(served, "copy.mp4")
    let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    #expect(
      try verify(copy, "--manifest", manifest, "--pin", "\(other),\(pin)").output
        == "\(copy): good: the served file of a, \(served.count) bytes\n")
    for (name, file) in [
      ("the served file", served), ("the file", try Data(contentsOf: URL(fileURLWithPath: server.file("a.mp4")))),
    ] {
      for position in [0, 1 << 20, (2 << 20) - 1, file.count - 1] {
        var bad = file
        bad[bad.startIndex + position] ^= 1
        let path = try write(bad, "bad.mp4")
        let found = try verify(path, "--manifest", manifest, "--pin", pin)
        let number = position >> 20
        let last = min(file.count, (number + 1) << 20) - 1
        #expect(found.status == 1, "\(name), byte \(position)")
        #expect(
          found.output == "\(path): MiB \(number) differs: bytes \(number << 20) to \(last)\n",
          "\(name), byte \(position)")
      }
    }
    let short = try verify(
      try write(served.dropLast(served.count - (1 << 20)), "short.mp4"), "--manifest", manifest, "--pin", pin)
    #expect(short.status == 1 && short.output.contains("MiB 1 differs") && short.output.contains("MiB 2 differs"))
    #expect(!short.output.contains("MiB 0"))
    let strange = try verify(server.file("b.mp4"), "--manifest", manifest, "--pin", pin)
    #expect(strange.status == 1 && strange.errors.contains("does not belong to a"), "\(strange.errors)")
    try server.stop()
  }

  @Test func `what proves nothing is told, with what to do`() throws {
    let server = try server()
    defer { server.kill() }
    let body = try manifest(server, "b").body
    let path = try write(body, "manifest")
    let file = server.file("b.mp4")
    let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    let noPin = try write(Data("no pin\n".utf8), "no-pin")
    for (arguments, status, words) in [
      ([file, "--manifest", path, "--pin", other], 1, "cannot trust \(path): it is signed by the key \(server.pin)"),
      ([file, "--manifest", path], 1, "no key is trusted yet"),
      ([file, "--manifest", file, "--pin", server.pin], 1, "it is not a valid manifest"),
      ([file, "--manifest", folder.path("none"), "--pin", server.pin], 1, "No such file"),
      ([folder.path("none"), "--manifest", path, "--pin", server.pin], 1, "No such file"),
      ([file, "--manifest", path, "--pin", "none"], 64, "--pin must be"),
      ([file, "--manifest", path, "--pin", noPin], 64, "has a line that is not a pin"),
      ([file, "--manifest", path, "--file", file, "--pin", server.pin], 64, "--file is compared with"),
      ([], 64, "name one file"),
      (["c", "--robot", "127.0.0.1:\(server.port)", "--pin", server.pin], 1, "there is no recording c"),
    ] as [([String], Int32, String)] {
      let outcome = try FootageProgram.command(
        ["verify"] + arguments, environment: ["XDG_CONFIG_HOME": folder.path("config"), "HOME": folder.location]
      ).run()
      #expect(outcome.status == status && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
      #expect(outcome.output == "")
    }
    var changed = body
    changed[10] ^= 1
    let bad = try verify(file, "--manifest", try write(changed, "changed"), "--pin", server.pin)
    #expect(bad.status == 1)
    try server.stop()
  }

  @Test func `a robot is asked for it, and for all that it serves`() throws {
    let server = try server()
    defer { server.kill() }
    let robot = ["--robot", "127.0.0.1:\(server.port)", "--pin", server.certs + "/server.pin"]
    let good = try verify("a", robot[0], robot[1], robot[2], robot[3])
    #expect(good.status == 0 && good.output.hasPrefix("a: good: the served file of a, "), "\(good.errors)")
    let served = try server.download("/recordings/a.mp4")
    var bad = served
    bad[3 << 19] ^= 1
    let file = try write(bad, "bad.mp4")
    let found = try verify("a", robot[0], robot[1], robot[2], robot[3], "--file", file)
    #expect(
      found.status == 1 && found.output == "\(file): MiB 1 differs: bytes 1048576 to 2097151\n", "\(found.errors)")
    try server.stop()
  }

  @Test func `a promoted key signs on, and what the earlier one signed stays true`() throws {
    let (copied, certs) = try Fixtures.copiedCertificates()
    let server = try server(certs: certs)
    defer { server.kill() }
    let old = server.pin
    let paired = try FootageProgram.command(
      ["pair", "127.0.0.1:\(server.port)", "--pin", old], environment: ["XDG_CONFIG_HOME": folder.path("config")]
    ).run()
    #expect(paired.succeeded, "\(paired.errors)")
    let first = try manifest(server, "a").body
    try Fixtures.provision("--out", certs, "--next")
    let new = try String(contentsOfFile: certs + "/server-next.pin", encoding: .utf8).trimmingCharacters(in: .newlines)
    let announced = try FootageProgram.command(
      ["pair", "127.0.0.1:\(server.port)", "--next-pin", new], environment: ["XDG_CONFIG_HOME": folder.path("config")]
    ).run()
    #expect(announced.succeeded, "\(announced.errors)")
    try Fixtures.provision("--out", certs, "--promote")
    try server.waitForLine(with: "certificates were reloaded")
    // The bytes are the same as before, and the new key signs another recording's manifest.
    #expect(try manifest(server, "a").body == first)
    let second = try SignedManifest(Array(try manifest(server, "b").body))
    #expect(try second.verify(by: [try #require(PublicKeyPin(new))]).description == new)
    let outcome = try verify("a", "--robot", "127.0.0.1:\(server.port)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("a is signed by \(old)\n")
        || outcome.errors.contains("a is signed by \(old), an earlier key of this robot\n"))
    // The pairing has learned meanwhile that the new key is the present one.
    let later = try verify("a", "--robot", "127.0.0.1:\(server.port)")
    #expect(later.errors.contains("a is signed by \(old), an earlier key of this robot\n"), "\(later.errors)")
    let path = try write(first, "manifest")
    let file = try verify(server.file("a.mp4"), "--manifest", path)
    #expect(file.status == 0 && file.errors.contains(", an earlier key of this robot"), "\(file.errors)")
    #expect(try verify(server.file("a.mp4"), "--manifest", path, "--pin", new).status == 0)
    #expect(try verify(server.file("a.mp4"), "--manifest", path, "--pin", certs + "/earlier.pin").status == 0)
    withExtendedLifetime(copied) {}
    try server.stop()
  }

  @Test func `a key that cannot sign is told, with what to do`() throws {
    let certs = folder.path("rsa")
    try Fixtures.provision("--out", certs, "--name", "localhost", "--ip", "127.0.0.1", "--rsa")
    let server = try server(certs: certs)
    defer { server.kill() }
    let answer = try server.answer("/recordings/a.manifest")
    #expect(answer.status == 404 && answer.text.contains("\"no-such-view\""))
    #expect(
      answer.text.contains(
        "the server's key (RSA) cannot sign manifests: prepare one on P-256 with scripts/gen-certs.sh --next"))
    let outcome = try verify("a", "--robot", "127.0.0.1:\(server.port)", "--pin", server.pin)
    #expect(outcome.status == 1 && outcome.errors.contains("cannot sign manifests"), "\(outcome.errors)")
    try server.stop()
  }

  @Test func `with --manifests there is one of everything, unasked`() throws {
    let server = try server(["--manifests"])
    defer { server.kill() }
    let heads = server.recordings + "/.footage/heads"
    try eventually("two manifests: \(server.story)") {
      try FileManager.default.contentsOfDirectory(atPath: heads).filter { $0.hasSuffix(".manifest") }.count == 2
    }
    #expect(try server.answer("/recordings/a.manifest").status == 200)
    try FileManager.default.removeItem(atPath: server.file("a.mp4"))
    try eventually("a's goes with it") {
      try FileManager.default.contentsOfDirectory(atPath: heads).filter { $0.hasSuffix(".manifest") }.count == 1
    }
    try server.stop()
  }

  @Test func `an app proves what it has kept, with the robot and without, and fetches again what is bad`() async throws
  {
    let server = try server()
    defer { server.kill() }
    let served = try server.download("/recordings/a.mp4")
    let pin = try #require(PublicKeyPin(server.pin))
    let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
    let robot = try RobotConnection(
      to: "127.0.0.1:\(server.port)", trusting: .pinned([.publicKey(pin)]), cache: cache)
    await #expect(throws: RobotError.self) { try await robot.prove("a") }
    var playback: Playback? = try await robot.playback(of: "a")
    let key = try #require(playback).key
    try await playback?.download()
    playback = nil
    let proof = try await robot.prove("a")
    #expect(proof.signature == .robot(pin) && proof.isWhole && proof.badMebibytes == [])
    #expect(try await cache.prove(key, by: [pin]) == proof)
    let other = try #require(PublicKeyPin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="))
    #expect(try await cache.prove(key, by: [other]).signature == .somebodyElse(pin))
    try await eventually("it is put away") { await cache.isAtRest }
    // A person who can write the file can write its checksums, too.
    let path = try #require(await cache.entries().first).path
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.seek(toOffset: (1 << 20) + 17)
    try handle.write(contentsOf: Data([served[(1 << 20) + 17] ^ 1]))
    try handle.close()
    let bad = try await cache.prove(key, by: [pin])
    #expect(bad.badMebibytes == [1] && bad.badBytes == [(1 << 20)..<(2 << 20)] && !bad.isWhole)
    #expect(bad.signature == .robot(pin))
    try await robot.playback(of: "a").download()
    #expect(try await robot.prove("a").isWhole)
    #expect(try Data(contentsOf: URL(fileURLWithPath: #require(await cache.entries().first).path)) == served)
    try server.stop()
    #expect(try await robot.prove("a").isWhole)
    await cache.close()
    let again = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
    #expect(try await again.prove(key, by: [other, pin]).isWhole)
    // Any key that the robot has or had proves the recording.
    let address = try #require(RobotAddress("127.0.0.1:\(server.port)"))
    for (pins, earlier) in [([other], [pin]), ([pin, other], [])] {
      let pairing = PairingStore.Pairing(address: address, pins: pins, earlier: earlier)
      #expect(try await again.prove(key, byKeysOf: pairing).isWhole)
    }
    let stranger = PairingStore.Pairing(address: address, pins: [other])
    #expect(try await again.prove(key, byKeysOf: stranger).signature == .somebodyElse(pin))
    try await again.remove(key)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/media")).isEmpty)
    await again.close()
  }

  @Test func `what is cached whole gets its manifest when it is opened again`() async throws {
    let server = try server(["--manifests"])
    defer { server.kill() }
    try await eventually("it is made") { () async throws -> Bool in
      try server.answer("/recordings/b.manifest").status == 200
    }
    let pin = try #require(PublicKeyPin(server.pin))
    let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
    let robot = try RobotConnection(
      to: "127.0.0.1:\(server.port)", trusting: .pinned([.publicKey(pin)]), cache: cache)
    let first = try await robot.playback(of: "b")
    try await first.download()
    #expect(try await cache.prove(first.key, by: [pin]).signature == .none)
    let second = try await robot.playback(of: "b")
    try await eventually("it has come") { try await cache.prove(first.key, by: [pin]).isWhole }
    withExtendedLifetime((first, second)) {}
    await cache.close()
    try server.stop()
  }
}
