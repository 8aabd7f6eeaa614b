/// The outcomes of requests, for apps that measure them.
import FootageClientTesting
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(1))) struct MetricsTests {
  @Test func `each request is told with what came of it`() async throws {
    let robot = InMemoryRobot([SampleRecording("front/one", startedAt: UnixTime(seconds: 1_795_169_730))])
    let connection = robot.connection()
    // There is no listener yet, and nothing is stored.
    _ = try await connection.recording("front/one")
    var metrics = connection.metrics().makeAsyncIterator()
    for try await _ in connection.read("front/one", range: 0..<100) {}
    let read = try #require(await metrics.next())
    #expect(read.status == 206 && read.range == 0..<100 && read.receivedBytes == 100)
    #expect(read.target.hasPrefix("/recordings/front/one.mp4") && read.timeToAnswer != nil)
    robot.fail(.media, with: .cutOff(after: 40))
    await #expect(throws: RobotError.self) { for try await _ in connection.read("front/one") {} }
    let broken = try #require(await metrics.next())
    guard case .failed(.passing) = broken.outcome else {
      Issue.record("\(broken.outcome)")
      return
    }
    #expect(broken.status == 200 && broken.receivedBytes == 40)
    robot.isReachable = false
    await #expect(throws: RobotError.self) { try await connection.recording("front/one") }
    let away = try #require(await metrics.next())
    #expect(away.status == nil && away.outcome == .failed(.passing("connection refused")))
  }
}
