/// Each fault of the robot in memory looks to an app like the same fault of a real robot.
import FootageClient
import FootageClientTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RobotFaultTests {
  private func robot(clock: TestClock? = nil) -> InMemoryRobot { InMemoryRobotTests.robot(clock: clock) }

  private func failure(_ fault: RobotFault, _ body: (RobotConnection) async throws -> Void) async -> RobotError? {
    let robot = robot()
    robot.fail(with: fault)
    do { try await body(robot.connection()) } catch { return error as? RobotError }
    return nil
  }

  @Test func `each fault has its error`() async throws {
    func list(_ connection: RobotConnection) async throws { _ = try await connection.recording("rear/one") }
    #expect(await failure(.unreachable, list)?.canPass == true)
    #expect(await failure(.identityNeeded, list) == .identity(.needed))
    guard case .trust(let trust)? = await failure(.otherKey, list) else {
      Issue.record("nobody else answers")
      return
    }
    let pin = try #require(InMemoryRobot.pin)
    #expect(trust.reason == .otherKey && trust.expected == [.publicKey(pin)] && trust.seen != pin)
    guard case .notAllowed(status: 403, _)? = await failure(.notAllowed, list) else {
      Issue.record("it is allowed")
      return
    }
    #expect(
      await failure(.problem(status: 404, code: .notReady, detail: "later"), list)
        == .notFound(name: "rear/one", code: .notReady, reason: "later"))
    guard case .unavailable(status: 503, _)? = await failure(.busy(retryAfter: .seconds(5)), list) else {
      Issue.record("it has time")
      return
    }
  }

  @Test func `what is cut off goes on where it was`() async throws {
    let folder = try TemporaryFolder()
    let robot = robot()
    robot.fail(.media, with: .cutOff(after: 2_000), .unreachable, .cutOff(after: 100))
    let connection = robot.connection(retrying: .withoutPauses())
    let fetched = try await connection.download("rear/one", to: folder.path("x.mp4"))
    #expect(fetched.length == UInt64(SampleMovie.bytes.count))
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: folder.path("x.mp4")))) == SampleMovie.bytes)
    #expect(robot.requests.compactMap(\.range?.lowerBound) == [0, 2_000, 2_000, 2_100])
  }

  @Test func `an answer that ends too early as if it were whole is none`() async throws {
    let robot = robot()
    robot.fail(.media, with: .short(after: 50))
    await #expect(throws: RobotError.self) {
      try await InMemoryRobotTests.bytes(robot.connection().read("rear/one", range: 0..<100))
    }
  }

  @Test func `a slow robot sends by the clock that the test moves`() async throws {
    let clock = TestClock()
    let robot = robot(clock: clock)
    robot.failAll(.media, with: .slow(bytesPerSecond: 1_000))
    let connection = robot.connection()
    let reading = Task { try await InMemoryRobotTests.bytes(connection.read("rear/one", range: 0..<500)) }
    var seconds = 0.0
    while robot.sentBytes < 500 {
      clock.advance(by: .milliseconds(50))
      seconds += 0.05
      await Task.yield()
    }
    #expect(try await reading.value == Array(SampleMovie.bytes[0..<500]))
    #expect(seconds >= 0.5)
  }

  @Test func `a silent robot is given up with the task that asks it`() async throws {
    let robot = robot()
    robot.failAll(.media, with: .stalled(after: 10))
    let connection = robot.connection()
    let reading = Task { try await InMemoryRobotTests.bytes(connection.read("rear/one")) }
    try await eventually("the first bytes") { () async -> Bool in robot.sentBytes == 10 }
    reading.cancel()
    await #expect(throws: RobotError.cancelled) { try await reading.value }
    robot.failAll(.media, with: nil)
    #expect(try await InMemoryRobotTests.bytes(connection.read("rear/one")).count == SampleMovie.bytes.count)
  }

  @Test func `on a full disk it plays and is not kept`() async throws {
    let folder = try TemporaryFolder()
    let disk = TestDisk(at: folder.path("cache"))
    let cache = try disk.cache()
    let connection = robot().connection(cache: cache)
    disk.fault = .full
    let playback = try await connection.playback(of: "rear/one")
    let reader = try playback.reader(of: 0..<100)
    #expect(try await reader.read(at: 0, count: 100) == Array(SampleMovie.bytes[0..<100]))
    #expect(playback.state.storageProblem?.reason == .noRoom)
    let error = await #expect(throws: MediaCacheError.self) { try await playback.download() }
    guard case .noRoom(_, let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.reason == .noRoom)
    disk.fault = nil
    let again = try await connection.playback(of: "front/2026-11-20T10-15-30")
    try await again.download()
    #expect(again.state.isComplete)
  }
}
