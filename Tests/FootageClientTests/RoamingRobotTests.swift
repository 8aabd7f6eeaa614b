/// A robot that is identified by its key, at any of its addresses.
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.unhurried, .offThePool) struct RoamingRobotTests {
  private let folder: TemporaryFolder
  private let store: PairingStore
  private let events = EventLog<RobotEvent>()
  /// An address at which no server answers.
  private static let nowhere = required(RobotAddress("127.0.0.1:1"))

  init() throws {
    folder = try TemporaryFolder()
    store = PairingStore(folder: folder.location)
  }

  private static let list = #"{"recordings":[],"next":null}"#

  private static func server(_ name: String) throws -> RawServer {
    let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(list.utf8.count)\r\n\r\n\(list)"
    return try RawServer(try Material.server(name), .init(asksForCertificate: name == "twin", answer: answer))
  }

  private static func address(_ server: RawServer) -> RobotAddress {
    required(RobotAddress("127.0.0.1:\(server.port)"))
  }

  private func write(_ line: String) throws { try Data("\(line)\n".utf8).write(to: URL(fileURLWithPath: store.path)) }

  private var file: String { get throws { try text(of: store.path) } }

  private func connect(at discovered: RobotAddress...) async throws -> RobotConnection {
    let robot = try await RobotConnection(
      toRobot: required(try store.all().first), in: store, at: discovered, retrying: .immediate)
    robot.onEvent { [events] in events.append($0) }
    return robot
  }

  private static func list(_ robot: RobotConnection) async throws { for try await _ in robot.recordings() {} }

  @Test func `it is found wherever it is, with no request to anybody else, and remembered there`() async throws {
    let (server, twin) = (try Self.server("robot"), try Self.server("twin"))
    let pin = try RobotKeys.pin("robot")
    try write("\(Self.nowhere) \(pin) also:old.invalid:8443 name:arm")
    let robot = try await connect(at: Self.address(twin), Self.address(server))
    try await Self.list(robot)
    #expect(events.all == [.pairing(.moved(from: Self.nowhere, to: Self.address(server)))])
    #expect(
      try file == """
        \(Self.address(server)) \(pin)
        # \(pin) also:\(Self.nowhere) also:old.invalid:8443 name:arm

        """)
    #expect(robot.cacheNames == [pin.description])
    // Its handshake may have been cut short if the robot was faster.
    #expect(twin.stop().allSatisfy { !$0.isAccepted && $0.received == [] && $0.clientCertificates == [] })
    // The robot is not searched for again.
    let count = server.stop().count
    #expect(count == 2, "who is there, and the list")
  }

  @Test func `what is asked for at once looks for it once`() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let searches = EventLog<Void>()
    let pin = try RobotKeys.pin("robot")
    let transport = RoamingTransport(as: nil, over: NetworkPolicy()) {
      searches.append(())
      for await _ in ends { break }
      return ([Self.nowhere], [pin])
    } onProof: { _, _ in
      .noted
    } onWarning: { _ in
    }
    let asking = (0..<6).map { _ in Task { try await transport.open(MediaRequest("/recordings")) } }
    try await eventually("all to wait") { () async -> Bool in transport.searching.waitingCount == 6 }
    end.yield()
    for one in asking {
      await #expect { _ = try await one.value } throws: { error in
        if case TransportFailure.passing = error { true } else { false }
      }
    }
    #expect(searches.all.count == 1)
  }

  @Test func `how long it was looked for is part of what a connection took`() async throws {
    let server = try Self.server("robot")
    let pin = try RobotKeys.pin("robot")
    let transport = RoamingTransport(as: nil, over: NetworkPolicy()) {
      try? await Task.sleep(for: .milliseconds(60))
      return ([Self.address(server)], [pin])
    } onProof: { _, _ in
      .noted
    } onWarning: { _ in
    }
    let response = try await transport.open(MediaRequest("/recordings"))
    #expect(try #require(response.connectedAfter) >= .milliseconds(50))
  }

  @Test func `whoever is cancelled while it is looked for takes it from nobody else`() async throws {
    let work = SharedWork<Int>()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let begun = EventLog<Void>()
    let wait: @Sendable () async -> Int = {
      begun.append(())
      for await _ in ends { return 7 }
      return 0
    }
    let impatient = Task { await work.value(wait) }
    try await eventually("its beginning") { () async -> Bool in begun.all.count == 1 }
    let patient = Task { await work.value(wait) }
    try await eventually("both to wait") { () async -> Bool in work.waitingCount == 2 }
    impatient.cancel()
    #expect(await impatient.value == nil)
    end.yield()
    #expect(await patient.value == 7 && begun.all.count == 1)
    // If no caller waits any more, the work is canceled, and the next caller starts it again.
    let last = Task { await work.value(wait) }
    try await eventually("its beginning anew") { () async -> Bool in begun.all.count == 2 }
    last.cancel()
    #expect(await last.value == nil && work.waitingCount == 0)
  }

  @Test func `it is looked for again where it has moved, and where another robot has its place`() async throws {
    let first = try Self.server("robot")
    let (place, pin) = (Self.address(first), try RobotKeys.pin("robot"))
    try write("\(place) \(pin) also:\(Self.nowhere)")
    let robot = try await connect()
    try await Self.list(robot)
    _ = first.stop()
    // The store knows another address in the meantime, for example because a person has scanned the code again.
    let second = try Self.server("robot")
    try write("\(place) \(pin) also:\(Self.address(second))")
    try await Self.list(robot)
    #expect(try file.hasPrefix("\(Self.address(second)) \(pin)\n# \(pin) also:\(place)"))
    _ = second.stop()
    #expect(events.all.contains(.pairing(.moved(from: place, to: Self.address(second)))))
  }

  @Test func `a stranger where it was met last is told of, and gets no request`() async throws {
    let twin = try Self.server("twin")
    try write("\(Self.address(twin)) \(try RobotKeys.pin("robot")) also:\(Self.nowhere)")
    let before = try file
    let error = await #expect(throws: RobotError.self) { try await Self.list(try await connect()) }
    guard case .trust(let failure)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(failure.reason == .otherKey)
    RobotKeys.expectNothing(twin.stop())
    #expect(try file == before && events.all.isEmpty)
  }

  @Test func `a stranger where it once was is no news, and only says that it is not there`() async throws {
    let twin = try Self.server("twin")
    try write("\(Self.nowhere) \(try RobotKeys.pin("robot")) also:\(Self.address(twin))")
    let error = await #expect(throws: RobotError.self) { try await Self.list(try await connect()) }
    guard case .unreachable? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    // It was searched for repeatedly, because a robot that is away may come back.
    let visits = twin.stop()
    #expect(visits.count > 1 && visits.allSatisfy { !$0.isAccepted && $0.received == [] })
  }

  // MARK: Changes in the store

  @Test func `a robot that was forgotten since is not looked for, and nobody is trusted for it`() async throws {
    let server = try Self.server("robot")
    let pin = try RobotKeys.pin("robot")
    try write("\(Self.address(server)) \(pin)")
    let robot = try await connect()
    try store.forget(Self.address(server))
    let failure = TrustFailure(.nobodyIsTrusted, host: Self.address(server).description, seen: nil, expected: [])
    await #expect(throws: RobotError.trust(failure)) { try await Self.list(robot) }
    // A robot with another key is not this robot.
    try write("\(Self.address(server)) \(PairingTests.other)")
    await #expect(throws: RobotError.trust(failure)) { try await Self.list(robot) }
    #expect(server.stop().isEmpty && events.all.isEmpty)
  }

  @Test func `a robot that has another key since is known by that one, and not by the former`() async throws {
    let server = try Self.server("robot")
    let (address, pin) = (Self.address(server), try RobotKeys.pin("robot"))
    try write("\(address) \(pin)")
    let known = try #require(try store.all().first)
    let robot = try await connect()
    // The former key may have been stolen.
    try write("\(address) \(PairingTests.other) earlier:\(pin)")
    let error = await #expect(throws: RobotError.self) { try await Self.list(robot) }
    guard case .trust(let failure)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(failure.reason == .otherKey && failure.expected == [.publicKey(PairingTests.other)])
    RobotKeys.expectNothing(server.stop())
    // An app with the earlier pairing finds the robot by its present key.
    let present = try Self.server("robot")
    for line in [
      "\(Self.address(present)) \(pin) earlier:\(PairingTests.pin)",
      "\(Self.address(present)) \(pin) earlier:\(PairingTests.other) earlier:\(PairingTests.pin)",
    ] {
      try write(line)
      var former = known
      former.pins = [PairingTests.pin]
      let robot = try await RobotConnection(toRobot: former, in: store, retrying: .immediate)
      try await Self.list(robot)
    }
    _ = present.stop()
  }

  @Test func `while the store cannot be read, what it said last counts`() async throws {
    let server = try Self.server("robot")
    try write("\(Self.address(server)) \(try RobotKeys.pin("robot"))")
    let robot = try await connect()
    try write("garbage")
    try await Self.list(robot)
    #expect(server.stop().count == 2)
  }

  @Test(.timeLimit(.minutes(1))) func `when it goes, so do its connections and its events`() async throws {
    let server = try Self.server("robot")
    try write("\(Self.address(server)) \(try RobotKeys.pin("robot"))")
    let events = try await usedEvents()
    for await _ in events {}
    _ = server.stop()
  }

  /// Returns the events of a connection that was used and no longer exists.
  private func usedEvents() async throws -> AsyncStream<RobotEvent> {
    let robot = try await RobotConnection(
      toRobot: required(try store.all().first), in: store, retrying: .immediate)
    try await Self.list(robot)
    return robot.events()
  }

  @Test func `without it a connection is made all the same, and asks nobody; one that was forgotten is none`()
    async throws
  {
    try write("\(Self.nowhere) \(PairingTests.pin) name:arm")
    let known = try #require(try store.pairing(named: "arm"))
    let robot = try await connect()
    #expect(robot.address == Self.nowhere && robot.cacheNames == [PairingTests.pin.description])
    let error = await #expect(throws: RobotError.self) { try await Self.list(robot) }
    guard case .unreachable? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    try store.forget(Self.nowhere)
    await #expect(throws: RobotError.pairing(.notPaired(robot: "arm"))) {
      try await RobotConnection(toRobot: known, in: store)
    }
  }
}
