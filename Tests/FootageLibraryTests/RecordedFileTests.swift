import Foundation
import LinuxTestSupport
import Testing

/// Of the tests' own kit: where it fails, others fail once in a while.
@Suite(.offThePool) struct RecordedFileTests {
  @Test func `a file counts as recorded when the last of its writers is gone`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    try RecordedFile.write([1, 2, 3], to: path)
    let writer = try #require(FileHandle(forWritingAtPath: path))
    let steps = EventLog<String>()
    Thread.detachNewThread {
      steps.append("asked")
      try? RecordedFile.waitUntilClosed(path)
      steps.append("recorded")
    }
    try steps.wait { !$0.isEmpty }
    // It was looked at meanwhile, or will be: in both cases it is closed before it is recorded.
    usleep(50_000)
    steps.append("closed")
    try writer.close()
    #expect(try steps.wait { $0.count == 3 } == ["asked", "closed", "recorded"])
  }
}
