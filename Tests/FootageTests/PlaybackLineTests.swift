/// A playback's state on terminals of every width.
import Testing

@testable import FootageCore
@testable import FootageCommands

@Suite struct PlaybackLineTests {
  private static let state = PlaybackState(
    activity: .retrying(.unreachable("192.168.7.2:8443: 接続\u{1B}[31m refused"), attempt: 2),
    cachedBytes: [0..<12_000_000],
    cachedSeconds: nil, length: 27_100_000, duration: nil, bytesPerSecond: 8_234_000, isComplete: false,
    storageProblem: nil)

  @Test(arguments: [
    (200, true, true, true), (81, true, true, true), (70, false, true, true), (60, false, false, true),
    (30, false, false, false),
  ])
  func `what has no room is left out, and trouble last`(columns: Int, total: Bool, speed: Bool, all: Bool) {
    let line = PlaybackLine.text(Self.state, columns: columns)
    #expect(line.contains("27.1 MB") == total && line.contains("8.2 MB/s") == speed, "\(line)")
    #expect(line.contains("44%  ") || total)
    #expect(line.contains("trying again") && line.contains("refused") == all, "\(line)")
  }

  @Test func `the line never reaches the last column`() {
    var calm = Self.state
    calm.activity = .loading
    for state in [Self.state, calm] {
      for columns in 0...200 {
        let line = PlaybackLine.text(state, columns: columns)
        #expect(ProgressLine.width(line) < max(1, columns), "\(line) in \(columns)")
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
      }
    }
    #expect(PlaybackLine.text(calm, columns: 80) == "[##########-.............]  44% of 27.1 MB  8.2 MB/s")
  }

  @Test func `who answers in the robot's place, and what it refuses for good, is told in whole sentences`() {
    var state = Self.state
    #expect(PlaybackLine.robotTrouble(state) == nil)
    // The robot may be back at any time.
    state.robotSaid = .unreachable("off")
    #expect(PlaybackLine.robotTrouble(state) == nil)
    state.robotSaid = .notFound(name: "x", code: "not-found", reason: "gone")
    #expect(PlaybackLine.robotTrouble(state) == state.robotSaid)
    state.activity = .failed(.unreachable("off"))
    #expect(PlaybackLine.robotTrouble(state) == state.robotSaid)
    state.activity = .failed(.notAllowed(status: 403, reason: "no"))
    #expect(PlaybackLine.robotTrouble(state) == .notAllowed(status: 403, reason: "no"))
    let trust = RobotError.trust(TrustFailure(.otherKey, host: "h:1", seen: nil, expected: []))
    state.activity = .failed(trust)
    #expect(PlaybackLine.robotTrouble(state) == trust)
    #expect(PlaybackLine.news(state) == "ANOTHER MACHINE ANSWERS IN THE ROBOT'S PLACE")
  }
}
