import Foundation
import LinuxTestSupport
import Testing

/// A check of the tests' own support code. If it fails, other tests fail occasionally.
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
    // The waiting thread has checked the file or is about to. In both cases the file is closed before it counts as
    // recorded.
    usleep(50_000)
    steps.append("closed")
    try writer.close()
    #expect(try steps.wait { $0.count == 3 } == ["asked", "closed", "recorded"])
  }
}
