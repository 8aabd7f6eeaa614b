import FootageAPI
import FootageClient
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

/// A robot, a store, and servers of many robots in front of it, as an operator starts them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FleetProgramTests {
  /// A server of many robots.
  final class Fleet {
    let process: RunningProgram
    let folder: TemporaryFolder
    let port: Int
    let pin: String

    init(_ store: FakeObjectStore, robots: String, certs: String? = nil, options: [String] = []) throws {
      folder = try TemporaryFolder()
      try "\(FakeObjectStore.accessKey)\nof-a-test\n"
        .write(toFile: folder.path("key"), atomically: true, encoding: .utf8)
      try robots.write(toFile: folder.path("robots"), atomically: true, encoding: .utf8)
      process = try RunningProgram(
        Command(
          FootageProgram.path,
          arguments: [
            "serve", "--store", store.address("fleet"), "--store-key", folder.path("key"), "--robots",
            folder.path("robots"), "--state", folder.path("state"), "--certs", try certs ?? Fixtures.otherCerts(),
            "--listen",
            "127.0.0.1:\(try HeldPort.next())", "--access-log",
          ] + options))
      let lines = try process.waitForOutput("the fleet's address and pin") { said in
        said.filter { $0 == "\n" }.count >= 2 ? said.split(separator: "\n") : nil
      }
      let address = try #require(lines[0].wholeMatch(of: /https:\/\/[^\/ ]+:([0-9]+)\//))
      port = try #require(Int(address.1))
      pin = String(lines[1])
    }

    deinit { process.stop() }

    func get(_ target: String) throws -> (status: Int, tag: String?, bytes: [UInt8]) {
      let file = folder.path(UUID().uuidString)
      let outcome = try curl(target, port: port, to: file).run()
      try #require(outcome.succeeded, "\(outcome.errors); \(process.errors)")
      let words = outcome.output.split(separator: " ").map(String.init)
      let bytes = FileManager.default.contents(atPath: file).map { Array($0) } ?? []
      return (try #require(Int(words[0])), words.dropFirst().first, bytes)
    }

    private func curl(_ target: String, port: Int, to file: String) -> Command {
      Command(
        "curl", "--silent", "--show-error", "--max-time", "60", "--insecure", "--output", file, "--write-out",
        "%{http_code} %header{etag}", "https://127.0.0.1:\(port)\(target)")
    }

    /// Returns the bytes from a port where perhaps no server answers; nil if none does.
    func bytes(of target: String, through port: Int) throws -> [UInt8]? {
      let file = folder.path(UUID().uuidString)
      guard try curl(target, port: port, to: file).run().output.hasPrefix("200 ") else { return nil }
      return FileManager.default.contents(atPath: file).map { Array($0) }
    }

    /// Waits until a recording is listed as ready.
    func wait(for name: String) throws {
      try eventually("\(name) at the fleet; \(process.errors)") {
        try get("/recordings/\(name).json").status == 200 ? true : nil
      }
    }
  }

  /// Starts a robot whose recording `front/x` is in the store.
  private func robot(_ store: FakeObjectStore) throws -> Server {
    let folder = try TemporaryFolder()
    let key = folder.path("key")
    try "\(FakeObjectStore.accessKey)\nof-a-test\n"
      .write(toFile: key, atomically: true, encoding: .utf8)
    let server = try Server(
      ["--offload", store.address("fleet"), "--offload-key", key, "--robot-name", "robot7"], folder: folder)
    try server.addClip("front/x.mp4")
    try eventually("front/x in the store; \(server.story)") {
      store.withContents { $0.keys.contains { $0.hasSuffix(".json") } } ? true : nil
    }
    return server
  }

  @Test func `what a robot brought is served with its tags, also when the robot is off, and to an app`() async throws {
    let store = try FakeObjectStore()
    let server = try robot(store)
    let there = try server.download("/recordings/front/x.mp4")
    let tag = try #require(try server.item("front/x")?.etag)
    try server.stop()
    let fleet = try Fleet(store, robots: "robot7 \(server.pin)\n")
    try fleet.wait(for: "robot7/front/x")
    let here = try fleet.get("/recordings/robot7/front/x.mp4")
    #expect(here.status == 200 && here.tag == tag && here.bytes == Array(there))
    #expect(try fleet.get("/recordings/robot7/front/x.mp4?keyframe=0").status == 200)
    #expect(try fleet.get("/recordings/robot7/front/x.media.m3u8").status == 200)
    #expect(try fleet.get("/").status == 200)
    let health = try #require(JSONValue(try fleet.get("/health").bytes))
    #expect(health["status"]?.string == "ok" && health["recordings"]?.integer() == 1, "\(health)")
    let app = try RobotConnection(to: "127.0.0.1:\(fleet.port)", trusting: .pinned([.spki(fleet.pin)]))
    var names: [String] = []
    for try await recording in app.recordings() { names.append(recording.name) }
    #expect(names == ["robot7/front/x"])
    let file = URL(filePath: fleet.folder.path("kept.mp4"))
    try await app.download("robot7/front/x", to: file)
    #expect(try Data(contentsOf: file) == there)
  }

  @Test func `what an app began with the robot it goes on with from here, in one file that the robot's key proves`()
    async throws
  {
    let store = try FakeObjectStore()
    let server = try robot(store)
    let there = Array(try server.download("/recordings/front/x.mp4"))
    let fleet = try Fleet(store, robots: "robot7 \(server.pin)\n")
    try fleet.wait(for: "robot7/front/x")
    let cache = try MediaCache(at: URL(filePath: fleet.folder.path("cache")), quota: .bytes(1 << 30))
    let pin = try #require(PublicKeyPin(server.pin))
    let robot = try RobotConnection(
      to: "127.0.0.1:\(server.port)", trusting: .pinned(keys: [pin]), cache: cache, retrying: RetryPolicy(retries: 0))
    let both = robot.backed(
      by: try RobotConnection(to: "127.0.0.1:\(fleet.port)", trusting: .pinned([.spki(fleet.pin)])), as: "robot7")
    let playback = try await both.playback(of: "front/x")
    var bytes = try await playback.reader(of: 0..<1_000).read(at: 0, count: 1_000)
    try server.stop()
    let reader = try playback.reader(of: UInt64(bytes.count)..<UInt64(there.count))
    while bytes.count < there.count { bytes += try await reader.read(at: UInt64(bytes.count), count: 1 << 18) }
    #expect(bytes == there)
    // The bytes that were read last may still be on their way to the disk.
    try await playback.download()
    #expect(try await both.prove("front/x").isWhole)
    let entries = await cache.entries()
    #expect(entries.map(\.key) == [RecordingKey(robot: pin.description, name: "front/x")])
    var names: [String] = []
    for try await recording in both.recordings() { names.append("\(recording.name) \(recording.camera ?? "")") }
    #expect(names == ["front/x front"])
    #expect(try await both.cameras().map(\.name) == ["front"])
    let start = try #require(entries.first?.recording?.startedAt)
    let timeline = try await both.timeline(camera: "front", from: start, to: UnixTime(seconds: start.seconds + 60))
    #expect(timeline.spans.flatMap(\.recordings).map(\.name) == ["front/x"])
    #expect(try await !both.keyFrame(of: "front/x", at: 0).isEmpty)
  }

  @Test func `a command gets what its robot has no more from the server that it names`() throws {
    let store = try FakeObjectStore()
    let server = try robot(store)
    let there = Array(try server.download("/recordings/front/x.mp4"))
    let fleet = try Fleet(store, robots: "robot7 \(server.pin)\n")
    try fleet.wait(for: "robot7/front/x")
    func footage(_ arguments: String...) throws -> Command.Outcome {
      try FootageProgram.command(arguments, environment: ["XDG_CONFIG_HOME": fleet.folder.path("config")]).run()
    }
    let (robot, there7) = ("127.0.0.1:\(server.port)", "127.0.0.1:\(fleet.port)")
    for (address, pin) in [(robot, server.pin), (there7, fleet.pin)] {
      #expect(try footage("pair", address, "--pin", pin).succeeded)
    }
    try server.stop()
    let file = fleet.folder.path("x.mp4")
    let fetched = try footage("fetch", "front/x", "--robot", robot, "--fleet", "\(there7)/robot7", "-o", file)
    #expect(fetched.succeeded, "\(fetched.errors)")
    #expect(FileManager.default.contents(atPath: file).map { Array($0) } == there)
    let listed = try footage("list", "--robot", robot, "--fleet", "\(there7)/robot7")
    #expect(listed.succeeded && listed.output.contains("front/x"), "\(listed.output)\(listed.errors)")
    // The robot's name on that server is missing.
    let nameless = try footage("list", "--robot", robot, "--fleet", there7)
    #expect(nameless.status == 64 && nameless.errors.contains("/ROBOT"), "\(nameless.errors)")
    let stranger = try footage("list", "--robot", robot, "--fleet", "127.0.0.1:9/robot7")
    #expect(!stranger.succeeded && stranger.errors.contains("--fleet 127.0.0.1:9/robot7"), "\(stranger.errors)")
  }

  @Test func `a list of robots that cannot be read ends the start with its line`() throws {
    let folder = try TemporaryFolder()
    try "robot7\n".write(toFile: folder.path("robots"), atomically: true, encoding: .utf8)
    try "a\nb\n".write(toFile: folder.path("key"), atomically: true, encoding: .utf8)
    let store = ["--store", "http://127.0.0.1:9/bucket", "--store-key", folder.path("key")]
    let rest = ["--certs", try Fixtures.certs(), "--listen", "127.0.0.1:0", "--state", folder.path("state")]
    let outcome = try FootageProgram.command(["serve", "--robots", folder.path("robots")] + store + rest).run()
    #expect(outcome.status == 1 && outcome.errors.contains("line 1: 'robot7' has no key"), "\(outcome.errors)")
    let without = try FootageProgram.command(["serve"] + store + rest).run()
    #expect(without.status == 64 && without.errors.contains("--store requires --robots"), "\(without.errors)")
    let alone = try FootageProgram.command(["serve", "--robots", folder.path("robots")] + rest).run()
    #expect(alone.status == 64 && alone.errors.contains("has no effect without --store"), "\(alone.errors)")
  }

  private static let haproxy = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Two servers behind the configuration of Documentation/guide/fleet.md, exactly as it is there.
  @Test(.enabled(if: haproxy != nil, "haproxy is not installed"))
  func `behind haproxy two servers answer as one, and one is enough`() throws {
    let store = try FakeObjectStore()
    let server = try robot(store)
    let there = try server.download("/recordings/front/x.mp4")
    let robots = "robot7 \(server.pin)\n"
    let fleets = [try Fleet(store, robots: robots), try Fleet(store, robots: robots)]
    for fleet in fleets { try fleet.wait(for: "robot7/front/x") }
    let lists = try fleets.map { try $0.get("/recordings") }
    #expect(lists[0].tag == lists[1].tag && lists[0].bytes == lists[1].bytes)
    let (balancer, port) = try balancer(before: fleets)
    defer { balancer.stop() }
    for running in [2, 1] {
      try eventually("an answer with \(running) servers; \(balancer.errors)") {
        try fleets[0].bytes(of: "/recordings/robot7/front/x.mp4", through: port) == Array(there) ? true : nil
      }
      // If the server that answered stops, the other one continues.
      if running == 2 {
        let used = fleets.first { $0.process.errors.contains("x.mp4\" 200") } ?? fleets[0]
        used.process.stop()
      }
    }
  }

  /// Starts the balancer with the configuration of Documentation/guide/fleet.md, exactly as it is there.
  private func balancer(before fleets: [Fleet]) throws -> (process: RunningProgram, port: Int) {
    let port = Int(try HeldPort.next())
    let page = try String(contentsOfFile: Checkout.path("Documentation/guide/fleet.md"), encoding: .utf8)
    var text = String(
      try #require(page.split(separator: "```haproxy\n").dropFirst().first).split(separator: "\n```")[0])
    for (written, meant) in [
      ("bind :8443", "bind 127.0.0.1:\(port)"), ("192.0.2.11:8443", "127.0.0.1:\(fleets[0].port)"),
      ("192.0.2.12:8443", "127.0.0.1:\(fleets[1].port)"),
    ] {
      try #require(text.contains(written), "\(written)")
      text = text.replacingOccurrences(of: written, with: meant)
    }
    let path = fleets[0].folder.path("haproxy.conf")
    try "\(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
    return (try RunningProgram(Command(try #require(Self.haproxy), "-db", "-f", path)), port)
  }

  /// The tier of Documentation/guide/tier.md before the balancer, as Documentation/guide/fleet.md describes it.
  @Test(.enabled(if: haproxy != nil && Tier.hasSlices, "haproxy, or nginx with its module slice, is not installed"))
  func `a tier in front of the balancer has each version once, and one server is enough for the rest`() throws {
    let store = try FakeObjectStore()
    let server = try robot(store)
    let there = try server.download("/recordings/front/x.mp4")
    let version = VersionTag(entityTag: try #require(try server.item("front/x")?.etag))
    let target = "/recordings/robot7/front/x.mp4?v=\(version.text)"
    let certificates = try Tier.certificates(rights: "cameras=* share")
    let fleets = try (0..<2).map { _ in
      try Fleet(
        store, robots: "robot7 \(server.pin)\n", certs: certificates.path, options: ["--client-auth", "require"])
    }
    let (balancer, port) = try balancer(before: fleets)
    defer { balancer.stop() }
    let tier = try Tier(robot: port, certs: certificates.path)
    try eventually("the tier to list it; \(tier.story) \(fleets[0].process.errors)") {
      try tier.status("/recordings/robot7/front/x.json") == 200 ? true : nil
    }
    #expect(try tier.status("/recordings", as: nil) == 400)
    for number in 0..<3 {
      let file = tier.folder.path("\(number)")
      let outcome = try tier.curl("alice", "--fail", "--output", file, tier.url + target).run()
      try #require(outcome.succeeded, "\(outcome.errors) \(tier.story)")
      #expect(try Data(contentsOf: URL(filePath: file)) == there)
      // Lists are not cached, and come from the remaining server.
      if number == 1 { fleets[0].process.stop() }
    }
    try eventually("a list from the other one; \(tier.story)") {
      try tier.status("/recordings?robot=robot7") == 200 ? true : nil
    }
    // The log line of a request comes a moment after its bytes.
    let sent = try eventually("the line of what was sent") { () -> Int? in
      let logs = fleets.map(\.process.errors).joined()
      let bytes = logs.matches(of: /x\.mp4\?v=[^"]*" 20[06] ([0-9]+) bytes/).compactMap { Int($0.1) }.reduce(0, +)
      return bytes > 0 ? bytes : nil
    }
    #expect(sent == there.count)
  }
}
