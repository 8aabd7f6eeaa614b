/// Robots that are found by Bonjour.
import FootageCore
import FootageDiscovery
import Network
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct BonjourTests {
  @Test func `a robot that says where it is is found at its address, with its pin`() async throws {
    let server = try ScriptedServer { connection, _ in _ = connection.waitForEnd() }
    let pin = try #require(PublicKeyPin(digest: [UInt8](repeating: 7, count: 32)))
    FakeNetwork.announce("robot7", type: "_footage._tcp", port: server.port, ["pin": pin.description])
    FakeNetwork.announce("printer", type: "_ipp._tcp", port: 631, [:])
    defer { FakeNetwork.announceNothing() }
    let found = Mutex<[AnnouncedRobot]>([])
    let looking = Task { try await NetworkBrowser().browse { robots in found.withLock { $0 = robots } } }
    try await eventually("the robot") {
      await Task.yield(); return found.withLock { !$0.isEmpty }
    }
    looking.cancel()
    _ = await looking.result
    let robot = try #require(found.withLock { $0.first })
    #expect(found.withLock { $0.count } == 1 && robot.name == "robot7" && robot.pinHint == pin)
    #expect(robot.addresses == [RobotAddress("127.0.0.1:\(server.port)")])
  }
}
