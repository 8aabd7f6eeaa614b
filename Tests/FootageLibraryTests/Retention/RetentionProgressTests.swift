import FootageBase
import Testing

@testable import FootageLibrary

@Suite struct RetentionProgressTests {
  @Test func `ten deletions that free nothing are the last`() {
    var progress = RetentionProgress()
    for count in 1...10 {
      #expect(!progress.isStopped && progress.reason == nil)
      let goesOn = progress.noteDeletion(expected: 100, before: 50, after: 50)
      #expect(!goesOn)
      progress.look(free: 50)
      #expect(progress.idleCount == count)
    }
    #expect(progress.isStopped)
    #expect(progress.reason == "10 deletions in a row freed nothing on the disk: nothing more is deleted")
    // Space that becomes free late counts as well.
    progress.look(free: 40)
    #expect(progress.isStopped)
    progress.look(free: 60)
    #expect(!progress.isStopped && progress.reason == nil)
  }

  @Test func `what frees something, or late, begins the count anew`() {
    var progress = RetentionProgress()
    for _ in 0..<9 { _ = progress.noteDeletion(expected: 100, before: 50, after: 50) }
    let goesOn = progress.noteDeletion(expected: 100, before: 50, after: 150)
    #expect(goesOn && progress.idleCount == 0)
    for _ in 0..<9 { _ = progress.noteDeletion(expected: 100, before: 50, after: 49) }
    progress.look(free: 51)
    #expect(progress.idleCount == 0)
  }

  @Test func `a second name, and an empty file, are not expected to free anything`() {
    var progress = RetentionProgress()
    for _ in 0..<20 {
      let goesOn = progress.noteDeletion(expected: 0, before: 50, after: 50)
      #expect(goesOn)
    }
    #expect(!progress.isStopped)
  }

  @Test func `ten failures in a row are told, until something is deleted`() {
    var progress = RetentionProgress()
    for _ in 0..<9 { progress.noteFailure("no right") }
    #expect(progress.reason == nil)
    progress.noteFailure("no right")
    #expect(progress.reason == "10 deletions in a row failed: no right")
    // One deletion per look is tried all the same.
    #expect(progress.mayTry(after: 0) && !progress.mayTry(after: 1))
    _ = progress.noteDeletion(expected: 1, before: 1, after: 2)
    #expect(progress.reason == nil && progress.mayTry(after: 1))
  }

  @Test func `what a whole disk refuses is told at once`() {
    var progress = RetentionProgress()
    progress.noteFailure("it is read-only", ofDisk: true)
    #expect(progress.reason == "nothing can be deleted: it is read-only")
    #expect(progress.mayTry(after: 0) && !progress.mayTry(after: 1))
    progress.noteFailure("no right")
    #expect(progress.reason == nil && progress.mayTry(after: 1))
    progress.noteFailure("it is read-only", ofDisk: true)
    _ = progress.noteDeletion(expected: 1, before: 1, after: 2)
    #expect(progress.reason == nil && progress.mayTry(after: 1))
  }
}

@Suite struct RoomForecastTests {
  private static let now = UnixTimestamp(seconds: 1_795_176_000)

  /// Returns a one-minute recording of this size in bytes, which ended the given number of minutes ago.
  private func recording(_ ago: Int64, _ size: UInt64) -> (UnixTimestamp, UnixTimestamp, UInt64) {
    (Self.now.advanced(byMilliseconds: -(ago + 1) * 60_000), Self.now.advanced(byMilliseconds: -ago * 60_000), size)
  }

  private func seconds(_ recordings: [(UnixTimestamp, UnixTimestamp, UInt64)], room: UInt64) -> Double? {
    RoomForecast(of: recordings, room: room, isMadeRoom: false, now: Self.now)?.seconds
  }

  @Test func `what was recorded within a day says how long the room lasts`() {
    // 100 bytes per minute.
    let hour = (0..<60).map { recording($0, 100) }
    #expect(seconds(hour, room: 6_000) == 3_600)
    #expect(seconds(hour, room: 0) == 0)
    // Older recordings are not counted, and a pause in recording counts.
    #expect(seconds(hour + [recording(2_000, 9_999)], room: 6_000) == 3_600)
    #expect(seconds(hour + [recording(119, 0)], room: 6_000) == 7_200)
  }

  @Test func `too little says nothing, and neither does what is ahead of the clock`() {
    #expect(seconds([], room: 1) == nil && seconds([recording(2, 100)], room: 1) == nil)
    #expect(seconds([recording(-60, 100)], room: 1) == nil && seconds([recording(30, 0)], room: 1) == nil)
    #expect(seconds([recording(1_500, 100)], room: 1) == nil)
    #expect(seconds([recording(30, 1)], room: .max) == 315_360_000)
  }

  @Test(arguments: [
    (UInt64(0), "the disk is full"), (299, "at this rate the disk will be full in 4 hours"),
    (30, "at this rate the disk will be full in 30 minutes"), (3_030, "at this rate the disk will be full in 2.1 days"),
    (30_000, "at this rate the disk will be full in 20 days"),
    (.max, "at this rate the disk will be full in 10 years or more"),
  ])
  func `people hear it in words`(room: UInt64, expected: String) {
    // One byte per minute.
    let forecast = RoomForecast(
      of: (0..<60).map { recording($0, 1) }, room: room, isMadeRoom: false, now: Self.now)
    #expect(forecast?.sentence == expected)
  }

  @Test func `where room is made the oldest go`() {
    let all = (0..<60).map { recording($0, 1) }
    #expect(
      RoomForecast(of: all, room: 3_030, isMadeRoom: true, now: Self.now)?.sentence
        == "at this rate the oldest recordings will be deleted in 2.1 days")
    #expect(
      RoomForecast(of: all, room: 0, isMadeRoom: true, now: Self.now)?.sentence
        == "the oldest recordings are deleted as new ones arrive")
  }
}
