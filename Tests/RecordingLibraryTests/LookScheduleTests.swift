/// When a file is looked at, and what is made of it, on a clock of plain numbers.

import Testing

@testable import RecordingLibrary

@Suite struct LookScheduleTests {
  static let second: Int64 = 1_000_000_000
  let second = Self.second
  let path = RelativePath("a.mp4")
  var schedule = LookSchedule()

  @Test mutating func `a closed file is looked at once and at once`() {
    schedule.noteFinished(path)
    #expect(schedule.nextDue == .min)
    #expect(schedule.next(now: 0) == path)
    #expect(schedule.next(now: 0) == nil)
    #expect(schedule.nextDue == nil)
  }

  @Test mutating func `a file that was just looked at is looked at again when it is closed`() {
    schedule.noteModified(path, now: 0)
    _ = schedule.next(now: 0)
    schedule.noteFinished(path)
    #expect(schedule.next(now: 1) == path)
  }

  @Test mutating func `a flood of writes costs one look a second`() {
    var looks: [Int64] = []
    for now in stride(from: 0, to: 3 * second, by: Int(second) / 1_000) {
      schedule.noteModified(path, now: now)
      while schedule.next(now: now) != nil { looks.append(now) }
    }
    #expect(looks == [0, second, 2 * second])
  }

  @Test mutating func `the last write of a flood is not forgotten`() {
    schedule.noteModified(path, now: 0)
    #expect(schedule.next(now: 0) == path)
    schedule.noteModified(path, now: 1)
    #expect(schedule.next(now: 2) == nil)
    #expect(schedule.nextDue == second)
    #expect(schedule.next(now: second) == path)
    #expect(schedule.nextDue == nil)
  }

  @Test mutating func `what has just happened goes before what a scan found`() {
    for name in ["1.mp4", "2.mp4", "3.mp4"] { schedule.noteScanned(RelativePath(name)) }
    schedule.noteFinished(path)
    schedule.noteFinished(RelativePath("3.mp4"))
    var order: [String] = []
    while let next = schedule.next(now: 0) { order.append(next.text) }
    #expect(order == ["a.mp4", "3.mp4", "1.mp4", "2.mp4"])
  }

  @Test mutating func `an appointment is kept, and an earlier event makes it needless`() {
    schedule.look(at: path, when: 5 * second)
    schedule.look(at: path, when: 9 * second)
    #expect(schedule.nextDue == 5 * second)
    #expect(schedule.next(now: 5 * second - 1) == nil)
    schedule.noteFinished(path)
    #expect(schedule.next(now: 5 * second - 1) == path)
    #expect(schedule.next(now: 20 * second) == nil)
  }

  @Test mutating func `a file that came and went leaves nothing behind`() {
    schedule.noteModified(path, now: 0)
    schedule.noteGone(path)
    #expect(schedule.next(now: 0) == path)
    schedule.forget(path)
    #expect(schedule.nextDue == nil)
    #expect(schedule.judge(path, isWhole: true, modified: 0, wall: 1, now: 1) == .settled)
  }

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let isWhole: Bool
    let ageSeconds: Int64
    var isBeingWritten = false
    /// Seconds from now until the next look; nil where it is settled.
    let lookAgain: Int64?
  }

  @Test(arguments: [
    Case(testDescription: "whole", isWhole: true, ageSeconds: 0, lookAgain: nil),
    Case(testDescription: "whole, with a writer", isWhole: true, ageSeconds: 1, isBeingWritten: true, lookAgain: 9),
    Case(
      testDescription: "whole, its writer asleep", isWhole: true, ageSeconds: 10, isBeingWritten: true, lookAgain: nil),
    Case(testDescription: "cut, just written", isWhole: false, ageSeconds: 0, lookAgain: 10),
    Case(testDescription: "cut, nine seconds old", isWhole: false, ageSeconds: 9, lookAgain: 1),
    Case(testDescription: "cut, ten seconds old", isWhole: false, ageSeconds: 10, lookAgain: nil),
    Case(testDescription: "cut, from the future", isWhole: false, ageSeconds: -1, lookAgain: nil),
    Case(testDescription: "cut, from 1970", isWhole: false, ageSeconds: 1_700_000_000, lookAgain: nil),
  ])
  mutating func `a file is recording while it may still grow`(test: Case) {
    if test.isBeingWritten { schedule.noteModified(path, now: 0) }
    let wall = 1_700_000_000 * second
    let modified = wall - test.ageSeconds * second
    let verdict = schedule.judge(path, isWhole: test.isWhole, modified: modified, wall: wall, now: 7 * second)
    #expect(verdict == test.lookAgain.map { .recording(lookAgain: (7 + $0) * second) } ?? .settled)
    let busy = schedule.lookAgainAtBusy(path, modified: modified, wall: wall, now: 7 * second)
    #expect(busy == (test.isBeingWritten ? test.lookAgain.map { (7 + $0) * second } : nil))
  }

  @Test mutating func `once closed a file is not being written any more`() {
    schedule.noteModified(path, now: 0)
    schedule.noteFinished(path)
    #expect(schedule.judge(path, isWhole: true, modified: 0, wall: 1, now: 1) == .settled)
  }

  @Test mutating func `times at the ends of their range do not overflow`() {
    #expect(schedule.judge(path, isWhole: false, modified: .min, wall: .max, now: 0) == .settled)
    #expect(schedule.judge(path, isWhole: false, modified: .max, wall: .min, now: 0) == .settled)
  }

  @Test mutating func `ten thousand files in a backlog come in the order of the scan`() {
    let paths = (0..<10_000).map { RelativePath("\($0).mp4") }
    for path in paths { schedule.noteScanned(path) }
    var order: [RelativePath] = []
    while let next = schedule.next(now: 0) { order.append(next) }
    #expect(order == paths)
  }
}
