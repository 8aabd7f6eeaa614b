import Networking
import Synchronization
import Testing

@Suite struct EventLoopTests {
  /// What happened, one after the other, on any thread.
  private final class Story: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test func `what comes up during a turn waits for that turn alone`() async throws {
    let loop = try EventLoop()
    try loop.start()
    defer { loop.stop() }
    let story = Story()
    await Task(executorPreference: loop) {
      await withTaskGroup { group in
        for name in ["first", "second", "third"] {
          group.addTask(executorPreference: loop) {
            await loop.yield()
            story.append(name)
            if name == "first" { await Task(executorPreference: loop) { story.append("new") }.value }
          }
        }
      }
    }.value
    #expect(story.all == ["first", "new", "second", "third"])
  }
}
