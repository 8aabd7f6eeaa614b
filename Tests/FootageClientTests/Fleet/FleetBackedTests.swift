import Foundation
import Synchronization
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageCore

/// A robot with a server of many robots as its fallback.
@Suite struct FleetBackedTests {
  private static let recording = content(200_000)
  private let robot = ScriptedRobot(Self.recording)
  private let fleet = ScriptedRobot(Self.recording)

  private func connection(_ cache: MediaCache? = nil) -> RobotConnection {
    func connection(_ transport: ScriptedRobot, _ host: String) -> RobotConnection {
      RobotConnection(to: required(RobotAddress(host)), over: transport, cache: cache, retrying: .immediate)
    }
    return connection(robot, "robot.test").backed(by: connection(fleet, "fleet.test"), as: "r7")
  }

  private func read(_ tag: String? = nil) async -> (bytes: [UInt8], error: RobotError?) {
    var bytes: [UInt8] = []
    do throws(RobotError) {
      for try await chunk in connection().read("x", version: tag) { bytes += chunk }
      return (bytes, nil)
    } catch { return (bytes, error) }
  }

  @Test func `who has the robot asks nobody else`() async {
    #expect(await read().bytes == Self.recording)
    #expect(fleet.requests.isEmpty)
  }

  @Test(
    arguments: [
      .unreachable, .localNetworkDenied, .status(404), .status(410), .status(502), .status(503),
    ] as [ScriptedRobot.Fault])
  func `what the robot lacks the other one has, under its name there`(fault: ScriptedRobot.Fault) async {
    robot.state.withLock { $0.faults = [fault] }
    let read = await read()
    #expect(read.bytes == Self.recording && read.error == nil)
    #expect(robot.requests.count == 1 && fleet.requests.map(\.target) == ["/recordings/r7/x.mp4"])
  }

  @Test func `what the robot began the other one ends, of the same version`() async {
    robot.state.withLock { $0.faults = [.cut(70_000), .unreachable] }
    let read = await read()
    #expect(read.bytes == Self.recording && read.error == nil)
    #expect(fleet.requests.map(\.range?.lowerBound) == [70_000] && fleet.requests[0].ifRange == robot.tag)
  }

  @Test func `another version of it is none of it`() async {
    robot.state.withLock { $0.faults = [.cut(70_000)] + Array(repeating: .unreachable, count: 9) }
    fleet.state.withLock { $0.version = 2 }
    let read = await read()
    #expect(read.bytes == Array(Self.recording[..<70_000]))
    #expect(read.error == .unreachable("connection refused"))
  }

  @Test(arguments: [.unreachable, .localNetworkDenied] as [ScriptedRobot.Fault])
  func `a robot that is away is not asked again for every request`(fault: ScriptedRobot.Fault) async throws {
    robot.state.withLock { $0.faults = [fault] }
    let connection = connection()
    for _ in 0..<3 { for try await _ in connection.read("x", range: 0..<10) {} }
    #expect(robot.requests.count == 1 && fleet.requests.count == 3)
  }

  @Test func `what neither has is missing as the robot says it`() async {
    robot.state.withLock { $0.isRemoved = true }
    fleet.state.withLock { $0.isRemoved = true }
    #expect(await read().error == .notFound(name: "x", code: .notFound, reason: "There is no such thing."))
  }

  @Test func `somebody else in the robot's place is told of, and in the other one's where that is needed`() async {
    let distrust = TrustFailure(.nobodyIsTrusted, host: "robot.test", seen: nil, expected: [])
    fleet.state.withLock { $0.distrust = distrust }
    #expect(await read().bytes == Self.recording)
    robot.state.withLock { $0.faults = [.unreachable] }
    #expect(await read().error == .trust(distrust))
    fleet.state.withLock { $0.distrust = nil }
    robot.state.withLock { $0.distrust = distrust }
    #expect(await read().error == .trust(distrust))
    #expect(fleet.requests.isEmpty)
  }

  @Test func `a robot that says nothing is not waited for where the other one has it`() async {
    robot.state.withLock { $0.faults = [.stalls] }
    let read = await read()
    #expect(read.bytes == Self.recording && read.error == nil)
  }

  @Test func `both fill one file of the cache`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 30)
    robot.state.withLock { $0.listedName = "x" }
    let connection = connection(cache)
    let playback = try await connection.playback(of: "x")
    let first = try await playback.reader(of: 0..<50_000).read(at: 0, count: 50_000)
    robot.state.withLock { $0.faults = Array(repeating: .unreachable, count: 99) }
    var bytes = first
    let reader = try playback.reader(of: UInt64(first.count)..<200_000)
    while bytes.count < 200_000 { bytes += try await reader.read(at: UInt64(bytes.count), count: 65_536) }
    #expect(bytes == Self.recording)
    await cache.close()
    let again = try MediaCache(at: folder.path("cache"), quota: 1 << 30)
    let entries = await again.entries()
    #expect(entries.map(\.key.name) == ["x"] && entries.map(\.isComplete) == [true])
    #expect(!fleet.byteRequests.isEmpty)
  }
}
