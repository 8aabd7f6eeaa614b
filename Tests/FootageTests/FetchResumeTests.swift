/// `footage fetch` when it is interrupted, killed, out of disk space, or has nothing to do.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct FetchResumeTests {
  typealias Desk = FetchTests.Desk

  /// A robot with one recording, and a relay that makes its transfer slow.
  private final class Scene {
    let server: Server
    let relay: Relay
    let desk: Desk
    let size: Int

    init(_ steps: @escaping @Sendable (Int) -> [Relay.Step]) throws {
      let folder = try TemporaryFolder()
      desk = try Desk()
      server = try Server(folder: folder)
      try Fixtures.writeLargeRecording(to: server.file("large.mp4"))
      size = try server.waitForState("ready", of: "large").size
      relay = try Relay(to: server.port, steps)
    }

    var target: String { desk.path("l.mp4") }
    var part: String { target + ".part" }

    func fetch(environment: [String: String] = [:]) -> Command {
      FootageProgram.command(
        ["fetch", "large", "--robot", "127.0.0.1:\(relay.port)", "--pin", server.pin, "-o", target],
        environment: environment)
    }

    /// Starts the command, waits until a condition holds, and sends it a signal.
    ///
    /// - Returns: its exit status and its error output.
    func end(with signal: Int32, when holds: () -> Bool) throws -> (status: Int32, words: String) {
      let process = try RunningProgram(fetch())
      try eventually("what it is interrupted in") {
        try #require(process.isRunning, "\(process.errors)")
        return holds()
      }
      process.signal(signal)
      return (try process.exitStatus(), process.errors)
    }

    var partSize: Int { (try? FileManager.default.attributesOfItem(atPath: part)[.size] as? Int) ?? 0 }

    /// The number of bytes that the map vouches for.
    var mapped: Int? {
      (try? text(of: part + ".map"))?.split(separator: "\n").first { $0.hasPrefix("received ") }
        .flatMap { Int($0.dropFirst(9)) }
    }

    /// Expects that one request fetched the rest from where the last run had stopped, and that the file is the
    /// recording.
    func expectResumed(from start: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
      #expect(start > 0 && start <= size, sourceLocation: sourceLocation)
      let lines = try server.byteLines(of: "large").filter {
        !$0.hasSuffix("range \"bytes=0-\"") && !$0.contains("cut off")
      }
      #expect(lines.count == 1, "\(lines)", sourceLocation: sourceLocation)
      #expect(
        lines.first?.contains("\" 206 \(size - start) bytes ") == true
          && lines.first?.hasSuffix("range \"bytes=\(start)-\"") == true, "\(lines), from \(start)",
        sourceLocation: sourceLocation)
      let bytes = FileManager.default.contents(atPath: target)
      #expect(bytes == (try server.download("/recordings/large.mp4")), sourceLocation: sourceLocation)
      #expect(try desk.names() == ["l.mp4"], sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `what is interrupted says so, and goes on where it was`(signal: Int32) throws {
    let scene = try Scene { number in number == 0 ? [.pass(2_000_000), .stall] : [.passAll] }
    let outcome = try scene.end(with: signal) { scene.partSize > 500_000 }
    #expect(outcome.status == 1)
    #expect(
      outcome.words.hasSuffix(
        "footage: stopped: the received part of large is in \(scene.part); the same command resumes it\n"),
      "\(outcome.words)")
    #expect(!FileManager.default.fileExists(atPath: scene.target))
    let received = try #require(scene.mapped)
    #expect(received == scene.partSize)
    #expect(try scene.fetch().run().succeeded)
    try scene.expectResumed(from: received)
    try scene.server.stop()
  }

  @Test func `what is interrupted before anything came leaves nothing`() throws {
    let scene = try Scene { _ in [.stall] }
    let outcome = try scene.end(with: SIGINT) { scene.relay.connectionCount > 0 }
    #expect(outcome.status == 1 && outcome.words.contains("nothing of large was received yet"), "\(outcome.words)")
    #expect(try scene.desk.names() == [])
    try scene.server.stop()
  }

  @Test func `what is killed goes on where its map says, and fetches no byte twice before that`() throws {
    // At a hundred kilobytes per second it does not end by itself, however late the test checks.
    let scene = try Scene { number in
      number == 0 ? [.pass(1 << 20), .trickle(1024, microseconds: 10_000)] : [.passAll]
    }
    // Received bytes are made durable every two seconds, even if there are few.
    let outcome = try scene.end(with: SIGKILL) { scene.mapped != nil }
    #expect(outcome.status == 128 + SIGKILL)
    let received = try #require(scene.mapped)
    #expect(received <= scene.partSize)
    try scene.server.waitForLine(with: "cut off")
    #expect(try scene.fetch().run().succeeded)
    try scene.expectResumed(from: received)
    try scene.server.stop()
  }

  @Test func `a disk that fills up keeps what has come, and the rest follows when there is room`() throws {
    for hasRoomForMap in [true, false] {
      let scene = try Scene { number in number == 0 ? [.trickle(16_384, microseconds: 5000)] : [.passAll] }
      let disk = try FaultyDisk(
        scene.server.folder.path("fault"), paths: hasRoomForMap ? "l.mp4.part" : "\(scene.desk.folder.location)/",
        calls: "write")
      let process = try RunningProgram(scene.fetch(environment: disk.environment))
      try eventually("the first bytes") { scene.partSize > 500_000 }
      try disk.begin(ENOSPC)
      #expect(try process.exitStatus() == 1)
      let said = process.errors
      #expect(said.contains("cannot write ") && said.contains("No space left on device"), "\(said)")
      try disk.end()
      #expect(!FileManager.default.fileExists(atPath: scene.target))
      if hasRoomForMap { #expect(try #require(scene.mapped) > 0) }
      let before = scene.mapped
      #expect(try scene.fetch().run().succeeded)
      let bytes = FileManager.default.contents(atPath: scene.target)
      #expect(bytes == (try scene.server.download("/recordings/large.mp4")))
      if let before { #expect(try scene.server.answered("range \"bytes=\(before)-\"").count == 1) }
      try scene.server.stop()
    }
  }

  private static let mayMount =
    (try? Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").run().succeeded) ?? false

  @Test(.enabled(if: mayMount, "a small file system can be mounted"))
  func `on a disk without room for another byte the map finds some`() throws {
    try withServer { server in
      try Fixtures.writeLargeRecording(to: server.file("large.mp4"))
      try server.waitForState("ready", of: "large")
      let folder = try TemporaryFolder()
      let fetch =
        "\(FootageProgram.path) fetch large --robot \(FetchTests.robot(server)) --pin \(server.pin) -o small/l.mp4"
      // The mount belongs to this command and is gone with it.
      let script = """
        cd \(folder.location) && mkdir small && mount -t tmpfs -o size=4m none small || exit 9
        \(fetch) && exit 8
        cat small/l.mp4.part.map >map && mount -o remount,size=64m small && \(fetch) && cat small/l.mp4 >whole; ls -A small
        """
      let outcome = try Command("unshare", "-rm", "sh", "-c", script).run()
      #expect(outcome.output == "small/l.mp4\nl.mp4\n", "\(outcome.status) \(outcome.output) \(outcome.errors)")
      #expect(outcome.errors.contains("No space left on device (free some room on this file system)"))
      #expect(outcome.errors.contains("the received part of large is in small/l.mp4.part; the same command resumes it"))
      let bytes = FileManager.default.contents(atPath: folder.path("whole"))
      #expect(bytes == (try server.download("/recordings/large.mp4")))
      let map = try text(of: folder.path("map"))
      let received = try #require(
        map.split(separator: "\n").first { $0.hasPrefix("received ") }.flatMap { Int($0.dropFirst(9)) })
      #expect(received > 2 << 20 && received < 4 << 20)
      #expect(try server.answered("range \"bytes=\(received)-\"").count == 1)
    }
  }

  @Test func `a folder that cannot be written to is told, and one that can is used`() throws {
    try withServer(recordings: ["a.mp4"]) { server in
      let folder = try TemporaryFolder()
      let desk = folder.path("desk")
      try FileManager.default.createDirectory(atPath: desk, withIntermediateDirectories: true)
      let command = try FootageProgram.commandWithoutPrivileges(
        owning: folder,
        ["fetch", "a", "--robot", FetchTests.robot(server), "--pin", server.pin, "-o", desk + "/a.mp4"])
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: desk)
      let refused = try command.run()
      #expect(refused.status == 1)
      #expect(
        refused.errors
          == "footage: cannot create \(desk)/a.mp4.part: Permission denied (check the owner and mode of it and of the "
          + "folders above it)\n")
      #expect(try server.answered("GET /recordings/a.mp4").isEmpty)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: desk)
      let outcome = try command.run()
      #expect(outcome.succeeded, "\(outcome.errors)")
    }
  }

  @Test func `what is there already, whole and of the robot's version, is asked about, and told`() throws {
    try withServer(recordings: ["front/a.mp4", "b.mp4"]) { server in
      let desk = try Desk()
      let fetchAll = desk.footage(
        "fetch", "--all", "--robot", FetchTests.robot(server), "--pin", server.pin, "-o", desk.path("out"))
      #expect(try fetchAll.run().succeeded)
      let again = try fetchAll.run()
      #expect(again.succeeded && again.lines.count == 2)
      for name in ["front/a", "b"] {
        #expect(again.errors.contains("\(name) was already fetched, and the robot has no other version\n"))
        #expect(try server.requestCount(of: name) == 1)
      }
      // The file was written to, so its contents are unknown.
      let file = try #require(FileHandle(forWritingAtPath: desk.path("out/b.mp4")))
      try file.write(contentsOf: Data("x".utf8))
      try file.close()
      // The robot has another version of the other recording.
      try Fixtures.record(seconds: 1, to: server.file("new.mp4"))
      let before = try #require(try server.item("front/a")?.etag)
      #expect(rename(server.file("new.mp4"), server.file("front/a.mp4")) == 0)
      try eventually("the new version") { try server.item("front/a")?.etag ?? before != before }
      let third = try fetchAll.run()
      #expect(third.succeeded && !third.errors.contains("already"), "\(third.errors)")
      #expect(desk.data("out/b.mp4") == (try server.download("/recordings/b.mp4")))
      #expect(desk.data("out/front/a.mp4") == (try server.download("/recordings/front/a.mp4")))
      #expect(try desk.names() == ["out", "out/front", "out/front/a.mp4", "out/b.mp4"])
    }
  }

  @Test func `one of many that fails does not keep the others`() throws {
    try withServer(recordings: ["a.mp4"]) { server in
      let desk = try Desk()
      let outcome = try desk.footage(
        "fetch", "none", "../a", "a", "--robot", FetchTests.robot(server), "--pin", server.pin, "-o", desk.path("out/")
      ).run()
      #expect(outcome.status == 1 && outcome.lines == [desk.path("out/a.mp4")])
      #expect(outcome.errors.contains("there is no recording none on 127.0.0.1:"))
      #expect(outcome.errors.contains("'../a' is not a valid file name"))
      let file = try desk.footage(
        "fetch", "a", "b", "--robot", FetchTests.robot(server), "--pin", server.pin, "-o", desk.path("out/a.mp4")
      ).run()
      #expect(file.status == 1 && file.errors.hasSuffix("a.mp4: it is not a folder\n"))
    }
  }

  @Test func `what the robot replaces or deletes in the middle is fetched anew, or told`() throws {
    for isDeleted in [false, true] {
      let folder = try TemporaryFolder()
      let server = try Server(folder: folder)
      defer { server.kill() }
      try Fixtures.writeLargeRecording(to: server.file("large.mp4"))
      try Fixtures.writeLargeRecording(to: folder.path("other.mp4"), filler: 0x7E)
      let before = try server.waitForState("ready", of: "large").etag
      let change = Change(server, isDeleted: isDeleted, etag: before)
      let relay = try Relay(to: server.port) { number in
        // The recording is replaced before any bytes of the second connection.
        if number == 1 { change.make() }
        return number == 0 ? [.pass(3_000_000), .reset] : [.passAll]
      }
      let desk = try Desk()
      let outcome = try desk.footage(
        "fetch", "large", "--robot", "127.0.0.1:\(relay.port)", "--pin", server.pin, "-o", desk.path("l.mp4")
      ).run()
      #expect(change.problem == nil)
      #expect(outcome.succeeded != isDeleted, "\(outcome.errors)")
      if isDeleted {
        #expect(outcome.errors.contains("there is no recording large on 127.0.0.1:"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("the received part of large is in \(desk.path("l.mp4")).part\n"))
        #expect(desk.data("l.mp4") == nil)
      } else {
        #expect(desk.data("l.mp4") == (try server.download("/recordings/large.mp4")))
        #expect(try desk.names() == ["l.mp4"])
      }
      try server.stop()
    }
  }

  /// The change of a recording while it is fetched. The relay's thread makes it while the test waits.
  private final class Change: @unchecked Sendable {
    private let server: Server
    private let isDeleted: Bool
    private let etag: String?
    private(set) var problem: (any Error)?

    init(_ server: Server, isDeleted: Bool, etag: String?) {
      self.server = server
      self.isDeleted = isDeleted
      self.etag = etag
    }

    func make() {
      do {
        if isDeleted {
          try FileManager.default.removeItem(atPath: server.file("large.mp4"))
          try eventually("it to be gone") { try server.item("large") == nil }
        } else {
          #expect(rename(server.folder.path("other.mp4"), server.file("large.mp4")) == 0)
          try eventually("it to be replaced") { try server.item("large")?.etag ?? etag != etag }
        }
      } catch { problem = error }
    }
  }
}
