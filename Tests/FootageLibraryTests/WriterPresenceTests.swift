/// The presence of a writer of a file, as a table.

import FootageSystem
import Testing

@testable import FootageLibrary

@Suite struct WriterPresenceTests {
  static let second: Int64 = 1_000_000_000
  static let now: Int64 = 1_000 * second

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let evidence: WriterEvidence
    var lease = WriterAnswer.unknown
    var isWhole = false
    var isWatched = true
    var ageSeconds: Int64 = 0
    /// The number of seconds until the next look; nil if no process is writing.
    let lookAgain: Int64?
  }

  @Test(arguments: [
    Case(testDescription: "closed, whole", evidence: .closed(at: now), isWhole: true, lookAgain: nil),
    Case(testDescription: "closed, cut short", evidence: .closed(at: now), lookAgain: 1),
    Case(
      testDescription: "closed by a bystander, still held", evidence: .closed(at: now - 9 * second), lease: .held,
      lookAgain: 2),
    Case(testDescription: "closed, cut short, a second ago", evidence: .closed(at: now - second), lookAgain: nil),
    Case(
      testDescription: "written to, another user's, silent for an hour", evidence: .modified, ageSeconds: 3_600,
      lookAgain: 60),
    Case(testDescription: "written to, still held", evidence: .modified, lease: .held, ageSeconds: 3_600, lookAgain: 2),
    Case(
      testDescription: "written to, its close was not told", evidence: .modified, lease: .free, ageSeconds: 61,
      lookAgain: nil),
    Case(testDescription: "created by a writer", evidence: .created, lease: .held, lookAgain: 2),
    Case(testDescription: "created, and not open yet", evidence: .created, lease: .free, lookAgain: 1),
    Case(testDescription: "linked here", evidence: .created, lease: .free, ageSeconds: 1, lookAgain: nil),
    Case(
      testDescription: "linked here, whole, another user's", evidence: .created, isWhole: true, ageSeconds: 20,
      lookAgain: 40),
    Case(testDescription: "linked here, another user's, old", evidence: .created, ageSeconds: 60, lookAgain: nil),
    Case(
      testDescription: "there at the start, held", evidence: .none, lease: .held, isWhole: true, ageSeconds: 9_999,
      lookAgain: 2),
    Case(testDescription: "there at the start, free", evidence: .none, lease: .free, lookAgain: nil),
    Case(testDescription: "there at the start, another user's, fresh", evidence: .none, ageSeconds: 59, lookAgain: 1),
    Case(testDescription: "there at the start, another user's", evidence: .none, ageSeconds: 60, lookAgain: nil),
    Case(testDescription: "moved here, whole, another user's", evidence: .moved, isWhole: true, lookAgain: nil),
    Case(testDescription: "moved here, cut short, another user's", evidence: .moved, ageSeconds: 10, lookAgain: 50),
    Case(testDescription: "moved here with its writer", evidence: .moved, lease: .held, isWhole: true, lookAgain: 2),
    Case(testDescription: "no events, fresh", evidence: .none, isWatched: false, ageSeconds: 9, lookAgain: 1),
    Case(testDescription: "no events, quiet", evidence: .none, isWatched: false, ageSeconds: 10, lookAgain: nil),
    Case(
      testDescription: "no events, held", evidence: .none, lease: .held, isWatched: false, ageSeconds: 99, lookAgain: 2),
    Case(
      testDescription: "no events, no writer here, whole", evidence: .none, lease: .free, isWhole: true,
      isWatched: false, lookAgain: nil),
    Case(
      testDescription: "no events, no writer here, cut short", evidence: .none, lease: .free, isWatched: false,
      ageSeconds: 4, lookAgain: 6),
  ])
  func `a file is being recorded while somebody writes to it, or may`(test: Case) {
    let presence = WriterPresence.judge(
      test.evidence, lease: test.lease, isWhole: test.isWhole, isWatched: test.isWatched,
      age: test.ageSeconds * Self.second, now: Self.now)
    let wanted = test.lookAgain.map { WriterPresence.present(lookAgain: Self.now + $0 * Self.second) } ?? .absent
    #expect(presence == wanted)
  }

  @Test func `a file that is written to is not even opened, until it is silent for a minute`() {
    #expect(WriterPresence.early(.modified, age: 0, now: 5) == .present(lookAgain: 5 + 60 * Self.second))
    #expect(WriterPresence.early(.modified, age: 59 * Self.second, now: 5) == .present(lookAgain: 5 + Self.second))
    #expect(WriterPresence.early(.modified, age: 60 * Self.second, now: 5) == nil)
    for evidence in [WriterEvidence.none, .created, .moved, .closed(at: 0)] {
      #expect(WriterPresence.early(evidence, age: 0, now: 5) == nil)
    }
  }

  @Test(arguments: [
    (modified: Int64(1_000), wall: Int64(4_000), age: Int64(3_000)), (4_000, 1_000, 0),
    (6_000_000_000, 1, .max), (.min, .max, .max), (.max, .min, .max), (0, 0, 0),
  ])
  func `a change a little ahead of the clock is fresh, one far ahead is old`(modified: Int64, wall: Int64, age: Int64) {
    #expect(WriterPresence.age(of: modified, at: wall) == age)
  }
}
