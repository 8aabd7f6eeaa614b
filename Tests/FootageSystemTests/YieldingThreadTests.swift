#if !canImport(Darwin)
import Foundation
import Synchronization
import FootageSystem
import TestSupport
import Testing

@Suite struct YieldingThreadTests {
  /// Returns the nice value of a thread. In man 5 proc_pid_stat it is the nineteenth field; the second one is the name
  /// in parentheses.
  private static func nice(of path: String) throws -> Int {
    let status = try String(contentsOfFile: path, encoding: .utf8)
    let fields = status[(try #require(status.lastIndex(of: ")")))...].split(separator: " ")
    return try #require(Int(fields[17]))
  }

  @Test func `a thread that yields to others is nice and idle, and the one that started it is as it was`() throws {
    let before = try Self.nice(of: "/proc/thread-self/stat")
    let (began, ends) = (Semaphore(), Semaphore())
    let failure = Mutex<String?>(nil)
    let thread = try Thread.start("yielding") {
      do throws(SystemError) { try Thread.yieldToOthers() } catch { failure.withLock { $0 = error.description } }
      began.signal()
      ends.wait()
    }
    began.wait()
    defer {
      ends.signal()
      thread.join()
    }
    #expect(failure.withLock { $0 } == nil)
    let tasks = "/proc/self/task"
    var found = 0
    for number in try FileManager.default.contentsOfDirectory(atPath: tasks) {
      guard let name = try? String(contentsOfFile: "\(tasks)/\(number)/comm", encoding: .utf8),
        let nice = try? Self.nice(of: "\(tasks)/\(number)/stat")
      else { continue }
      guard name == "yielding\n" else { continue }
      found += 1
      #expect(nice == 19)
      let disk = try Command("ionice", "-p", number).run().output
      #expect(disk.hasPrefix("idle"), "\(disk)")
    }
    #expect(found == 1)
    #expect(try Self.nice(of: "/proc/thread-self/stat") == before)
  }
}
#endif
