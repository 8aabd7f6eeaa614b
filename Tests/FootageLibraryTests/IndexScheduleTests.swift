/// The time of a look at a file and its consequences, on a clock of plain numbers.

import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct IndexScheduleTests {
  static let second: Int64 = 1_000_000_000
  let second = Self.second
  let path = RelativePath("a.mp4")
  var schedule = IndexSchedule()

  @Test mutating func `a closed file is looked at once and at once`() {
    schedule.noteFinished(path, now: 0)
    #expect(schedule.nextDue == .min)
    #expect(schedule.next(now: 0) == path)
    #expect(schedule.next(now: 0) == nil)
    #expect(schedule.nextDue == nil)
  }

  @Test mutating func `a file that was just looked at is looked at again when it is closed`() {
    schedule.noteModified(path, now: 0)
    _ = schedule.next(now: 0)
    schedule.noteFinished(path, now: 0)
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
    schedule.noteFinished(path, now: 0)
    schedule.noteFinished(RelativePath("3.mp4"), now: 0)
    var order: [String] = []
    while let next = schedule.next(now: 0) { order.append(next.text) }
    #expect(order == ["a.mp4", "3.mp4", "1.mp4", "2.mp4"])
  }

  @Test mutating func `an appointment is kept, and an earlier event makes it needless`() {
    schedule.look(at: path, when: 5 * second)
    schedule.look(at: path, when: 9 * second)
    #expect(schedule.nextDue == 5 * second)
    #expect(schedule.next(now: 5 * second - 1) == nil)
    schedule.noteFinished(path, now: 0)
    #expect(schedule.next(now: 5 * second - 1) == path)
    #expect(schedule.next(now: 20 * second) == nil)
  }

  @Test mutating func `a file that came and went leaves nothing behind`() {
    schedule.noteModified(path, now: 0)
    schedule.noteGone(path)
    #expect(schedule.next(now: 0) == path)
    schedule.forget(path)
    #expect(schedule.nextDue == nil)
    #expect(schedule.evidence(of: path) == .none)
  }

  @Test mutating func `events tell of a writer until it closes the file`() {
    #expect(schedule.evidence(of: path) == .none)
    schedule.noteCreated(path, now: 0)
    #expect(schedule.evidence(of: path) == .created)
    schedule.noteModified(path, now: 1)
    #expect(schedule.evidence(of: path) == .modified)
    schedule.noteFinished(path, now: 2)
    #expect(schedule.evidence(of: path) == .closed(at: 2))
    schedule.noteModified(path, now: 3)
    #expect(schedule.evidence(of: path) == .modified)
    schedule.noteMoved(path)
    #expect(schedule.evidence(of: path) == .moved)
    schedule.noteGone(path)
    #expect(schedule.evidence(of: path) == .none)
  }

  @Test mutating func `a writer that is silent for days is not forgotten`() {
    schedule.noteModified(path, now: 0)
    for index in 0..<1_000 { schedule.noteScanned(RelativePath("\(index).mp4")) }
    while schedule.next(now: 0) != nil {}
    schedule.noteScanned(RelativePath("x.mp4"))
    while schedule.next(now: 100_000 * second) != nil {}
    #expect(schedule.evidence(of: path) == .modified)
  }

  @Test mutating func `when events were lost nothing is known of writers, and each such file is looked at`() {
    schedule.noteModified(path, now: 0)
    _ = schedule.next(now: 0)
    schedule.noteOverflow()
    #expect(schedule.evidence(of: path) == .none)
    #expect(schedule.next(now: 0) == path)
  }

  @Test mutating func `what cannot be read is looked at again, the later the more often that happens`() {
    var now: Int64 = 0
    var pauses: [Int64] = []
    for _ in 0..<9 {
      schedule.lookAfterFailure(at: path, now: now)
      let due = schedule.nextDue ?? now
      pauses.append((due - now) / second)
      now = due
      #expect(schedule.next(now: now) == path)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    schedule.noteSuccess(path)
    schedule.lookAfterFailure(at: path, now: now)
    #expect(schedule.nextDue == now + second)
  }

  @Test mutating func `appointments are kept in their order, whatever their number`() {
    var random = SeededGenerator(seed: 7)
    let times = (0..<5_000).map { _ in Int64.random(in: 1...1_000_000, using: &random) }
    for (index, time) in times.enumerated() { schedule.look(at: RelativePath("\(index).mp4"), when: time) }
    var order: [Int64] = []
    while let due = schedule.nextDue, let path = schedule.next(now: due) {
      order.append(times[Int(path.text.dropLast(4)) ?? 0])
    }
    #expect(order == times.sorted())
  }

  @Test mutating func `ten thousand files in a backlog come in the order of the scan`() {
    let paths = (0..<10_000).map { RelativePath("\($0).mp4") }
    for path in paths { schedule.noteScanned(path) }
    var order: [RelativePath] = []
    while let next = schedule.next(now: 0) { order.append(next) }
    #expect(order == paths)
  }
}
