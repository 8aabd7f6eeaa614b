import FootageAPI
import FootageBase
import FootageLibrary
import LinuxTestSupport
import Testing

@testable import FootageServer

/// Late cameras and the forecast for the disk, with files whose times the test sets.
@MainActor
@Suite struct CameraSilenceTests {
  /// - Parameter files: the files of each camera, as the number of seconds since they were written.
  private func statistics(_ files: [String: [Double]]) throws -> (LibraryStatistics, now: Int64) {
    let scene = try RobotScene()
    for (camera, ages) in files {
      for (index, age) in ages.enumerated() { try scene.add("\(camera)/\(index)", Samples.moovLast, age: age) }
    }
    scene.publish()
    let now = scene.library.now
    // The scene's own files are not examined.
    return (LibraryStatistics(scene.library.snapshot, at: now), now.milliseconds * 1_000_000)
  }

  private func silence(_ files: [String: [Double]]) throws -> CameraSilence {
    let (statistics, now) = try statistics(files)
    return CameraSilence(statistics.cameras.filter { $0.name.map { files[$0] != nil } ?? false }, at: now)
  }

  @Test func `a camera is late after three of its intervals, while another one records`() throws {
    let minutes = { (count: Int, from: Double) in (0..<count).map { from + Double($0) * 600 } }
    // One file every ten minutes: late after thirty.
    #expect(try silence(["a": minutes(6, 60), "b": minutes(6, 1_700)]).late == [])
    let late = try silence(["a": minutes(6, 60), "b": minutes(6, 1_900)])
    #expect(late.late.map(\.camera) == ["b"] && late.allSilentSeconds == nil)
    #expect((1_890...1_960).contains(late.late.first?.seconds ?? 0))
  }

  @Test func `nobody is late before ten minutes, or who has gone for a week`() throws {
    let often = (0..<6).map { Double($0) * 10 }
    #expect(try silence(["a": often, "b": often.map { $0 + 500 }]).late == [])
    #expect(try silence(["a": often, "b": often.map { $0 + 700 }]).late.map(\.camera) == ["b"])
    #expect(try silence(["a": often, "b": often.map { $0 + 8 * 86_400 }]).late == [])
  }

  @Test func `where all are silent nobody is late, and it is said for how long`() throws {
    let silence = try silence(["a": [4_000, 4_060], "b": [5_000, 5_060]])
    #expect(silence.late == [] && (3_990...4_060).contains(silence.allSilentSeconds ?? 0))
    #expect(try self.silence(["a": [8 * 86_400]]).allSilentSeconds == nil)
  }

  @Test func `one interval that is longer than all others does not count`() {
    let second: Int64 = 1_000_000_000
    let writes = [0, 60, 120, 180, 90_000].map { -$0 * second }
    #expect(CameraSilence.patience(writes) == 600)
    #expect(CameraSilence.patience([0, -3_600 * second]) == 3 * 3_600)
    #expect(CameraSilence.patience([]) == 600)
    // A year in a shed is not an interval.
    #expect(CameraSilence.patience([0, -365 * 86_400 * second]) == 600)
  }

  @Test func `a file ahead of the clock is no sign of life`() throws {
    let silence = try silence(["a": [60, 120], "b": [-90_000, 4_000, 4_060]])
    #expect(silence.late.map(\.camera) == ["b"])
  }

  @Test func `a camera that is at work on a file records, however long that takes`() throws {
    // The scene's camera rear has a growing file.
    let (statistics, now) = try statistics(["rear": [50_000]])
    let silence = CameraSilence(statistics.cameras, at: now)
    #expect(silence.late.map(\.camera) == ["front"] && silence.allSilentSeconds == nil)
  }

  @Test func `sums count states, bytes and what was refused of late`() throws {
    let (statistics, now) = try statistics([:])
    let front = try #require(statistics.cameras.first { $0.name == "front" })
    #expect(front.readyCount == 1 && front.refusedCount == 1 && front.recordingCount == 0)
    #expect(front.bytes == UInt64(Samples.moovLast.count + "this is no recording".utf8.count))
    #expect(front.writes.count == 1)
    #expect(statistics.refusals.map(\.path) == ["front/broken.mp4"])
    var facts = HealthFacts(
      now: UnixTimestamp(nanoseconds: now), built: UnixTimestamp(seconds: 0), statistics: statistics)
    facts.recordingCount = 3
    #expect(HealthReport(facts).reasons.first?.text.contains("front/broken.mp4") == true)
    // Health does not mention what the viewer may not see.
    let limited = HealthReport(facts, seenBy: CameraSelection(["rear"]), recordings: 1)
    #expect(limited.reasons == [] && limited.recordings == 1 && limited.forecastSeconds == nil)
  }
}
