/// Robots that are discovered by Bonjour.
import Dispatch
@testable import FootageCore
import Network
import Synchronization
import LinuxTestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct BonjourTests {
  @Test func `a robot that says where it is is found at its address, with its pin`() async throws {
    let server = try ScriptedServer { connection, _ in _ = connection.waitForEnd() }
    let pin = try #require(PublicKeyPin(digest: [UInt8](repeating: 7, count: 32)))
    FakeNetwork.announce("robot7", type: "_footage._tcp", port: server.port, ["pin": pin.description])
    FakeNetwork.announce("printer", type: "_ipp._tcp", port: 631, [:])
    defer { FakeNetwork.announceNothing() }
    let found = Mutex<[AnnouncedRobot]>([])
    let looking = Task { try await NetworkRobotBrowser().browse { robots in found.withLock { $0 = robots } } }
    try await eventually("the robot") {
      await Task.yield(); return found.withLock { !$0.isEmpty }
    }
    looking.cancel()
    _ = await looking.result
    let robot = try #require(found.withLock { $0.first })
    #expect(found.withLock { $0.count } == 1 && robot.name == "robot7" && robot.pinHint == pin)
    #expect(robot.addresses == [RobotAddress("127.0.0.1:\(server.port)")])
  }

  @Test func `a robot that cannot be reached yet is tried again`() async throws {
    // No server listens there yet.
    FakeNetwork.announce("late", type: "_footage._tcp", port: 1, [:])
    defer { FakeNetwork.announceNothing() }
    let changes = Mutex<[[AnnouncedRobot]]>([])
    let looking = Task { try await NetworkRobotBrowser().browse { robots in changes.withLock { $0.append(robots) } } }
    try await eventually("it to have been tried") {
      await Task.yield(); return changes.withLock { $0.count } > 1
    }
    #expect(changes.withLock { $0.allSatisfy(\.isEmpty) })
    let server = try ScriptedServer { connection, _ in _ = connection.waitForEnd() }
    FakeNetwork.announceNothing()
    FakeNetwork.announce("late", type: "_footage._tcp", port: server.port, [:])
    try await eventually("the robot") {
      await Task.yield(); return changes.withLock { $0.last?.first?.name } == "late"
    }
    looking.cancel()
    _ = await looking.result
  }

  @Test func `what an earlier service of a name comes to says nothing of the present one`() async throws {
    let servers = try (0..<2).map { _ in try ScriptedServer { connection, _ in _ = connection.waitForEnd() } }
    let pins = try (1...2).map { try #require(PublicKeyPin(digest: [UInt8](repeating: $0, count: 32))) }
    let told = Mutex<[AnnouncedRobot]>([])
    let queue = DispatchQueue(label: "bonjour")
    let places = BonjourPlaces(on: queue) { robots in told.withLock { $0 = robots } }
    // The queue is suspended, so the results for the first service are handled after the second is known.
    queue.suspend()
    for (server, pin) in zip(servers, pins) {
      let endpoint = NWEndpoint.hostPort(
        host: .ipv4(.loopback), port: try #require(NWEndpoint.Port(rawValue: server.port)))
      places.look(for: [BonjourPlaces.Service(name: "robot7", endpoint: endpoint, pin: pin)])
    }
    queue.resume()
    try await eventually("the second") {
      await Task.yield(); return told.withLock { $0.first?.pinHint } == pins[1]
    }
    let address = try #require(RobotAddress("127.0.0.1:\(servers[1].port)"))
    #expect(told.withLock { $0.map(\.addresses) } == [[address]])
    places.end()
  }
}
