/// The program, killed by `kill -9` while it deletes recordings to make room.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct RetentionKillTests {
  private static let rounds = TestRun.isSoaking ? 200 : 3
  private static let count = 30
  /// The number of the newest recordings, which stay. The size limit is that of two and a half recordings.
  private static let staying = 2

  private let folder: TemporaryFolder
  private let clip: Data
  /// The start of the test, which is the same for all rounds, so that restored files are no newer than before.
  private let began = Date()

  init() throws {
    folder = try TemporaryFolder()
    clip = try Data(contentsOf: URL(filePath: try Fixtures.clip()))
    try FileManager.default.createDirectory(atPath: folder.path("recordings"), withIntermediateDirectories: true)
  }

  private func path(_ number: Int) -> String { folder.path("recordings/\(number).mp4") }

  /// Returns the content of a recording, which ends with a box of its own (ISO/IEC 14496-12 §8.1.2).
  private func content(_ number: Int) -> Data {
    clip + Data([0, 0, 0, 16]) + Data("free".utf8) + withUnsafeBytes(of: UInt64(number).bigEndian) { Data($0) }
  }

  private func isProtected(_ number: Int) -> Bool { number % 7 == 3 }

  /// Restores the missing files. A higher number means a newer file.
  private func fill() throws {
    for number in 0..<Self.count where !FileManager.default.fileExists(atPath: path(number)) {
      try content(number).write(to: URL(filePath: path(number)))
      let date = began.addingTimeInterval(Double(number - 1_000) * 100)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path(number))
    }
  }

  private func keep(_ arguments: [String]) throws {
    let outcome = try FootageProgram.command(["keep", "--recordings", folder.path("recordings")] + arguments).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
  }

  @Test(.timeLimit(.minutes(30))) func `a server that is killed while it makes room deletes nothing else`() throws {
    var generator = SeededGenerator(seed: TestRun.seed(of: "kills while room is made"))
    try fill()
    try keep(["--mark-disk"])
    try keep((0..<Self.count).filter(isProtected).map(String.init))
    let options = [
      "--max-size", "\(content(0).count * 5 / 2 + content(0).count * (0..<Self.count).count { isProtected($0) })",
      "--keep-at-least", "1s", "--log-level", "info",
    ]
    var deletions = 0
    for round in 0..<Self.rounds {
      try fill()
      let server = try Server(options, folder: folder)
      defer { server.kill() }
      usleep(.random(in: 0..<700_000, using: &generator))
      server.kill()
      deletions += try check(round)
    }
    // A server that is not killed finishes the killed ones' work.
    try fill()
    let server = try Server(options, folder: folder)
    defer { server.kill() }
    try eventually("room is made; \(server.story)") { try check(-1) == Self.count - staying }
    try server.stop()
    print("\(Self.rounds) kills, \(deletions) deletions")
  }

  private var staying: Int { Self.staying + (0..<Self.count).count { isProtected($0) } }

  /// Checks that existing files are unchanged, and that only files that had to be deleted are missing.
  ///
  /// - Returns: the number of deleted files.
  private func check(_ round: Int) throws -> Int {
    let manager = FileManager.default
    var deleted = 0
    for number in 0..<Self.count {
      // A killed server leaves a hidden name, which the next one restores.
      let hidden = folder.path("recordings/.footage-leaving-\(number).mp4")
      guard let found = manager.contents(atPath: path(number)) ?? manager.contents(atPath: hidden) else {
        let isNew = number >= Self.count - Self.staying && !isProtected(number)
        #expect(!isProtected(number) && !isNew, "round \(round): \(number) is gone")
        deleted += 1
        continue
      }
      #expect(found == content(number), "round \(round): \(number) was changed")
    }
    return deleted
  }
}
