#if !canImport(Darwin)
import LinuxTestSupport
import Testing

/// The process that reads files may read them and do nothing else, in any of its threads.
@Suite struct ConfinementTests {
  private struct Line: Hashable {
    let call: String
    let isAllowed: Bool
    /// The error number; 0 if the call succeeded.
    let error: Int
  }

  /// Returns the lines of a thread, in the order of the calls.
  private func lines(of thread: String, in outcome: Command.Outcome) throws -> [Line] {
    try outcome.lines.map { $0.split(separator: " ").map(String.init) }.filter { $0.first == thread }.map { words in
      try #require(words.count == 4)
      return Line(call: words[1], isAllowed: words[2] == "allowed", error: try #require(Int(words[3])))
    }
  }

  @Test(.enabled(if: !isSanitized, "a sanitizer needs calls that are forbidden here"))
  func `no thread can signal, open, connect, start, run new code, or change a limit`() throws {
    let outcome = try Command(FootageProgram.built("ConfinementProbe")).run()
    try #require(outcome.status == 0, "\(outcome.errors)")
    let first = try lines(of: "first", in: outcome)
    let second = try lines(of: "second", in: outcome)
    let notPermitted = 1
    for (thread, lines) in [("first", first), ("second", second)] {
      for line in lines {
        #expect(line.error == (line.isAllowed ? 0 : notPermitted), "\(line.call) in the \(thread) thread")
      }
    }
    #expect(first == second)
    let refused = Set(first.filter { !$0.isAllowed }.map(\.call))
    #expect(
      refused.isSuperset(of: [
        "kill", "tkill", "tgkill-of-the-parent", "mmap-code", "mmap-shared", "mmap-as-a-stack",
        "mprotect-code", "setitimer", "timer_create",
        "prlimit64", "close-the-lifeline", "openat", "newfstatat", "socket", "clone", "execve", "ptrace",
      ]))
    #expect(refused.count > 60 && first.count > refused.count)
  }
}
#endif
