/// The fate of a file's row when the look at it crashes, takes long, or has no result.

import FootageBase
import Foundation
import FootageMedia
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageLibrary

/// An examiner that looks at files in this process, unless a test scripts another result.
final class ScriptedExaminer: FileIndexer {
  enum Answer: Sendable {
    case died, unavailable, unreadable, late
    /// The result lacks only the sample index: none can be made, or its samples cannot be read at the moment.
    case withoutIndex, withUnreadableSamples
  }

  private struct State {
    var answers: [String: Answer] = [:]
    var looks: [String] = []
    var late: [@Sendable () -> Void] = []
  }

  let isUnfiltered: Bool
  private let state = Mutex(State())
  private let local = LocalFileIndexer()

  init(isUnfiltered: Bool = false) { self.isUnfiltered = isUnfiltered }

  func grow(_ file: RandomAccessFile, key: UInt64, isClosed: Bool) -> GrowthOutcome {
    local.grow(file, key: key, isClosed: isClosed)
  }

  func samples(of file: RandomAccessFile, track: Int) -> TrackSamples { local.samples(of: file, track: track) }

  func answer(_ answer: Answer?, for name: String) { state.withLock { $0.answers[name] = answer } }

  /// Returns the number of looks at files with this name.
  func lookCount(_ name: String) -> Int { state.withLock { $0.looks.count { $0 == name } } }

  /// Lets the pending slow looks finish.
  func finishLate() {
    for finish in state.withLock({ state in
      defer { state.late = [] }
      return state.late
    }) { finish() }
  }

  func examine(
    _ file: RandomAccessFile, isQuickTime: Bool, lane: IndexingLane, patience: Int?,
    late: @escaping @Sendable (FileExamination) -> Void
  ) -> FileExamination? {
    let name = FileTree.name(of: file.path)
    let answer = state.withLock { state in
      state.looks.append(name)
      return state.answers[name]
    }
    func look() -> FileExamination? {
      LocalFileIndexer().examine(file, isQuickTime: isQuickTime, lane: lane, patience: patience, late: late)
    }
    switch answer {
    case nil: return look()
    case .died: return FileExamination(outcome: .died("it ends its reader"))
    case .unavailable: return FileExamination(outcome: .unavailable("no process can be had"))
    case .unreadable:
      return FileExamination(
        outcome: .report(FileReport(verdict: .unreadable("cannot read the file: Input/output error", .ioError))))
    case .withoutIndex, .withUnreadableSamples:
      guard let found = look(), case .report(let report) = found.outcome, case .ready(var content) = report.verdict
      else { return nil }
      content.index = if case .withoutIndex = answer { IndexSummary.none } else { nil }
      return FileExamination(
        outcome: .report(FileReport(verdict: .ready(content))), files: DerivedFiles(preamble: found.files.preamble))
    case .late:
      state.withLock { state in
        state.late.append {
          late(
            LocalFileIndexer().examine(file, isQuickTime: isQuickTime, lane: lane, patience: nil) { _ in }
              ?? FileExamination(outcome: .unavailable("")))
        }
      }
      return nil
    }
  }

  func stop() {}
}

@Suite struct FileIndexerTests {
  let folder: TemporaryFolder
  let examiner = ScriptedExaminer()

  init() throws { folder = try TemporaryFolder() }

  @Test func `a file that ends its reader is refused, and not read again until it changes`() throws {
    examiner.answer(.died, for: "bad.mp4")
    try put(Samples.moovLast, folder.path("bad.mp4"))
    try put(Samples.moovLast, folder.path("good.mp4"))
    for _ in 0..<2 {
      let fixture = try LibraryFixture(in: folder, examiner: examiner)
      try fixture.waitUntilReady("good")
      try fixture.waitForState("bad") { if case .refused = $0 { true } else { false } }
      #expect(fixture.reason("bad")?.contains("it ends its reader") == true)
      fixture.library.stop()
    }
    #expect(examiner.lookCount("bad.mp4") == 1)
    examiner.answer(nil, for: "bad.mp4")
    let fixture = try LibraryFixture(in: folder, examiner: examiner)
    try put(Samples.other, folder.path("bad.mp4"))
    try fixture.waitUntilReady("bad")
    #expect(examiner.lookCount("bad.mp4") == 2)
    #expect(try fixture.library.withWorker { try $0.catalog.fatalFiles(program: Committer.program) }.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a kernel without filters is told of once`(isUnfiltered: Bool) throws {
    let fixture = try LibraryFixture(in: folder, examiner: ScriptedExaminer(isUnfiltered: isUnfiltered))
    for name in ["a", "b"] {
      try put(Samples.moovLast, folder.path("\(name).mp4"))
      try fixture.waitUntilReady(name)
    }
    #expect(fixture.log.warnings.count { $0.contains("CONFIG_SECCOMP_FILTER") } == (isUnfiltered ? 1 : 0))
  }

  @Test func `a look that takes long holds up no other, and its file is known when it ends`() throws {
    let fixture = try LibraryFixture(in: folder, examiner: examiner)
    examiner.answer(.late, for: "slow.mp4")
    try put(Samples.moovLast, folder.path("slow.mp4"))
    try fixture.wait("the look") { _ in examiner.lookCount("slow.mp4") == 1 }
    try put(Samples.moovFirst, folder.path("b.mp4"))
    try fixture.waitUntilReady("b")
    #expect(fixture["slow"]?.state != .ready)
    examiner.answer(nil, for: "slow.mp4")
    examiner.finishLate()
    try fixture.waitUntilReady("slow")
    #expect(try fixture.served("slow").count == Samples.moovLast.count)
  }

  @Test func `what a late look found of a file that was replaced meanwhile is not taken`() throws {
    let fixture = try LibraryFixture(in: folder, examiner: examiner)
    examiner.answer(.late, for: "slow.mp4")
    try put(Samples.moovLast, folder.path("slow.mp4"))
    try fixture.wait("the look") { _ in examiner.lookCount("slow.mp4") == 1 }
    examiner.answer(nil, for: "slow.mp4")
    try put(Samples.moovFirst, folder.path("new.part"))
    try FileTree.rename(folder.path("new.part"), replacing: folder.path("slow.mp4"))
    examiner.finishLate()
    try fixture.waitUntilReady("slow")
    #expect(try fixture.served("slow") == Samples.moovFirst)
  }

  @Test(arguments: [ScriptedExaminer.Answer.unavailable, .unreadable])
  func `a reason that may pass leaves standing what is known, and is tried again`(
    answer: ScriptedExaminer.Answer
  ) throws {
    let fixture = try LibraryFixture(in: folder, examiner: examiner)
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let before = try #require(fixture["a"])
    examiner.answer(answer, for: "a.mp4")
    let count = examiner.lookCount("a.mp4")
    fixture.library.requestLook(at: RelativePath("a.mp4"))
    try fixture.wait("a look") { _ in examiner.lookCount("a.mp4") > count }
    #expect(fixture["a"] === before)
    #expect(try fixture.served("a").count == Samples.moovLast.count)
    // A new recording has no earlier state to keep, so it shows the reason.
    examiner.answer(answer, for: "b.mp4")
    try put(Samples.moovFirst, folder.path("b.mp4"))
    try fixture.waitForState("b") { if case .refused = $0 { true } else { false } }
    #expect(fixture.reason("b")?.contains(folder.location) == false)
    #expect(fixture.log.warnings.contains { $0.hasPrefix("cannot examine a.mp4, and will try again") })
    examiner.answer(nil, for: "a.mp4")
    examiner.answer(nil, for: "b.mp4")
    let looks = examiner.lookCount("a.mp4")
    fixture.move(seconds: 70)
    try fixture.waitUntilReady("b")
    try fixture.wait("another look") { _ in examiner.lookCount("a.mp4") > looks }
    #expect(fixture["a"]?.entityTag == before.entityTag)
  }
}
