/// The program itself, killed by `kill -9` with all its threads at any moment while recordings arrive.
import FootageAPI
import Foundation
import LinuxTestSupport
import Testing

@Suite struct KillTests {
  private static let rounds = TestRun.isSoaking ? 50 : 3
  private static let files = 200

  /// Returns false for every tenth file, which is not a film.
  private static func isFilm(_ number: Int) -> Bool { number % 10 != 9 }

  @Test(.timeLimit(.minutes(30))) func `a server that is killed while files arrive is none the worse`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("outside"), withIntermediateDirectories: true)
    let clip = try Data(contentsOf: URL(fileURLWithPath: try Zoo.path("frag-av1.mp4")))
    let text = Data("no film".utf8)
    for number in 0..<Self.files {
      try (Self.isFilm(number) ? clip : text).write(to: URL(fileURLWithPath: folder.path("outside/\(number).mp4")))
    }
    for round in 0..<Self.rounds {
      // Half of the rounds begin from nothing, the others from the remains of the previous round.
      if round % 2 == 0 { try? FileManager.default.removeItem(atPath: folder.path("recordings")) }
      let server = try Server(["--log-level", "warning"], folder: folder)
      defer { server.kill() }
      let moment = UInt32.random(in: 0..<250_000)
      let process = server.process.processIdentifier
      let killer = Thread {
        usleep(moment)
        kill(process, SIGKILL)
      }
      killer.start()
      for number in 0..<Self.files {
        try? FileManager.default.removeItem(atPath: server.file("\(number).mp4"))
        try FileManager.default.linkItem(
          atPath: folder.path("outside/\(number).mp4"), toPath: server.file("\(number).mp4"))
      }
      #expect(try server.waitForExit() == 128 + SIGKILL, "round \(round): \(server.story)")
      try check(folder, clip, text, round)
    }
  }

  /// Checks that every file is ready or refused, that none was changed, and that the catalog is sound.
  private func check(_ folder: TemporaryFolder, _ clip: Data, _ text: Data, _ round: Int) throws {
    let server = try Server(["--log-level", "warning"], folder: folder)
    defer { server.kill() }
    let catalog = folder.path("recordings/.footage/catalog.sqlite")
    #expect(try Command("sqlite3", catalog, "PRAGMA integrity_check").successfulOutput() == "ok\n")
    let items = try eventually("all to be judged; log: \(server.story)", within: .seconds(60)) { () -> [Server.Item]? in
      let items = try server.list(ListQuery(limit: 1000))
      return items.count == Self.files && items.allSatisfy { $0.state != "recording" } ? items : nil
    }
    for item in items {
      let isFilm = Self.isFilm(try #require(Int(item.name)))
      #expect(item.state == (isFilm ? "ready" : "refused"), "round \(round), \(item.name): \(item.reason ?? "")")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: server.file(item.name + ".mp4")))
      #expect(bytes == (isFilm ? clip : text), "round \(round): \(item.name) was changed")
    }
    let one = try #require(items.first { $0.state == "ready" })
    #expect(try server.download(one.url).count == one.size, "round \(round)")
    try server.stop()
    // The log contains only the refusals of the text files.
    let lines = server.log.split(separator: "\n").filter { !$0.contains("warning: refused") }
    #expect(lines.isEmpty, "round \(round): \(server.story)")
  }
}
