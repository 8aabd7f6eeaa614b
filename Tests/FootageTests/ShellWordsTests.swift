/// The advice for a person at a shell.
import Testing

@testable import FootageCore
@testable import FootageCommands

@Suite struct ShellWordsTests {
  private static let key = RecordingKey(robot: "r", name: "front/x")

  @Test(
    arguments: [
      (.unreachable("refused"), "is it on, and is h:8443 its address and port?"),
      (.unavailable(status: 503, reason: "busy"), "run the same command to retry"),
      (.notAllowed(status: 403, reason: "no"), "--identity"),
      (
        .notFound(name: "x", code: "not-found", reason: "GET /recordings lists them"),
        "footage list --robot h:8443 shows"
      ),
      (.replaced(name: "x"), "run the same command to get it"),
      (.unexpected(status: 300, reason: ""), "footage --version"),
      (.cache(.notCached(key)), "footage cache list"),
    ] as [(RobotError, String)])
  func `a failure of a robot says what to type`(error: RobotError, words: String) throws {
    let said = ShellWords(robot: try #require(RobotAddress("h"))).words(for: error)
    #expect(said.contains(words) && !said.contains("GET /"), "\(said)")
  }

  @Test(
    arguments: [
      (.owned(folder: "/c"), "--cache DIR"), (.folder("broken"), "--cache DIR"), (.database("broken"), "--cache DIR"),
      (.notCached(key), "footage cache list"), (.offline(key), "without --offline"),
      (.noRoom(key, reason: "full"), "--quota"),
      (.notComplete(key, cachedBytes: 1_500_000, length: 27_100_000), "1.5 MB of 27.1 MB (1500000 of 27100000 bytes)"),
      (.damaged(key, 0..<5), "footage fetch"),
    ] as [(MediaCacheError, String)])
  func `a failure of the cache says what to type`(error: MediaCacheError, words: String) {
    let said = ShellWords.words(for: error)
    #expect(said.contains(words), "\(said)")
  }

  @Test func `trouble with the robot behind a read is told as that of the robot`() throws {
    let words = ShellWords(robot: try #require(RobotAddress("h")))
    let said = words.words(for: .cache(.refused(Self.key, .notAllowed(status: 403, reason: "no"))))
    #expect(said.hasPrefix("recording front/x cannot be read: ") && said.contains("--identity"), "\(said)")
  }
}
