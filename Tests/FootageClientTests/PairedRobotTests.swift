/// A paired robot is identified by its keys, not its address, and gets a new key without being paired again.
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.unhurried, .offThePool) struct PairedRobotTests {
  private let folder: TemporaryFolder
  private let store: PairingStore
  private let events = EventLog<RobotEvent>()
  private static let former = PairingTests.pin(7)

  init() throws {
    folder = try TemporaryFolder()
    store = PairingStore(folder: folder.location)
  }

  private static let list = #"{"recordings":[],"next":null}"#
  private static let answer =
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(list.utf8.count)\r\n\r\n\(list)"

  private static func server(_ material: ServerMaterial) throws -> RawServer {
    try RawServer(material, .init(answer: answer))
  }

  private static func address(_ server: RawServer) -> RobotAddress {
    required(RobotAddress("127.0.0.1:\(server.port)"))
  }

  private func write(_ lines: String...) throws {
    try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: store.path))
  }

  private var file: String { get throws { try text(of: store.path) } }

  private func connect(to server: RawServer) async throws -> RobotConnection {
    let robot = try await RobotConnection(
      toPaired: Self.address(server).description, in: store, retrying: .immediate)
    robot.onEvent { [events] in events.append($0) }
    return robot
  }

  /// Sends the robot a request. It is not a list, because a list is given up after some seconds, even if this machine
  /// is busy. The contents of the answer do not matter.
  private static func meet(_ robot: RobotConnection) async throws(RobotError) {
    do throws(RobotError) { for try await _ in robot.read("a") {} } catch {
      switch error {
      case .trust, .identity: throw error
      default: return
      }
    }
  }

  @Test func `where a key that was announced answers, it is the robot's from then on, and that is told once`()
    async throws
  {
    let server = try Self.server(try Material.server("robot"))
    let (address, pin) = (Self.address(server), try RobotKeys.pin("robot"))
    try write("\(address) \(Self.former) \(pin)")
    let robot = try await connect(to: server)
    for _ in 0..<2 { try await Self.meet(robot) }
    #expect(events.all == [.pairing(.promoted(address, from: Self.former, to: pin))])
    #expect(try file == "\(address) \(pin) earlier:\(Self.former)\n")
    // The cache continues to use the key with which the robot was paired.
    #expect(robot.cacheNames == [Self.former.description, pin.description])
    let again = try await connect(to: server)
    try await Self.meet(again)
    #expect(events.all.count == 1 && again.cacheNames == robot.cacheNames)
    _ = server.stop()
  }

  @Test func `a key that the robot had before is not trusted any more`() async throws {
    let server = try Self.server(try Material.server("robot"))
    let pin = try RobotKeys.pin("robot")
    try write("\(Self.address(server)) \(Self.former) earlier:\(pin)")
    let before = try file
    let robot = try await connect(to: server)
    let error = await #expect(throws: RobotError.self) { try await Self.meet(robot) }
    guard case .trust(let failure)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(failure.reason == .otherKey && failure.seen == pin && failure.expected == [.publicKey(Self.former)])
    RobotKeys.expectNothing(server.stop())
    #expect(try file == before && events.all.isEmpty)
  }

  @Test func `who shows the certificate of a key that was announced, and does not have it, promotes nothing`()
    async throws
  {
    let server = try Self.server(try Material.thief())
    try write("\(Self.address(server)) \(Self.former) \(try RobotKeys.pin("robot"))")
    let before = try file
    let robot = try await connect(to: server)
    let error = await #expect(throws: RobotError.self) { try await Self.meet(robot) }
    guard case .trust(let failure)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(failure.reason == .keyNotProven)
    RobotKeys.expectNothing(server.stop())
    #expect(try file == before && events.all.isEmpty)
  }

  // MARK: Addresses

  @Test func `at an address that is not known the paired robot is found by its key, and remembered there`() async throws
  {
    let server = try Self.server(try Material.server("robot"))
    let (address, pin) = (Self.address(server), try RobotKeys.pin("robot"))
    let old = required(RobotAddress("robot.local"))
    try write("\(old) \(pin)")
    let robot = try await connect(to: server)
    // No separate request was sent to check that it is there.
    try await Self.meet(robot)
    #expect(events.all == [.pairing(.moved(from: old, to: address))])
    #expect(try file == "\(address) \(pin)\n# \(pin) also:\(old)\n" && robot.cacheNames == [pin.description])
    #expect(server.stop().count == 1)
  }

  @Test func `of several robots the one that answers is meant, and it alone from then on`() async throws {
    let server = try Self.server(try Material.server("robot"))
    let (address, pin) = (Self.address(server), try RobotKeys.pin("robot"))
    let twin = try RobotKeys.pin("twin")
    try write("one \(twin)", "two \(pin)", "three \(Self.former)")
    let robot = try await connect(to: server)
    try await Self.meet(robot)
    #expect(
      try file == """
        one:8443 \(twin)
        \(address) \(pin)
        # \(pin) also:two:8443
        three:8443 \(Self.former)

        """)
    #expect(robot.cacheNames == [pin.description])
    let visits = server.stop()
    // The first connection proved its identity, and only then was a request sent.
    #expect(visits.count == 2 && visits.allSatisfy { $0.isAccepted })
    // Another paired robot at this address is not the one that was meant.
    let other = try Self.server(try Material.server("twin"))
    try write("one \(twin)", "\(Self.address(other)) \(pin)")
    let mistaken = try await connect(to: other)
    await #expect(throws: RobotError.self) { try await Self.meet(mistaken) }
    RobotKeys.expectNothing(other.stop())
  }

  @Test(arguments: [1, 2]) func `a stranger gets no request, and nothing is remembered of it`(robots: Int) async throws
  {
    for material in [try Material.server("twin"), try Material.thief()] {
      let server = try RawServer(material, .init(asksForCertificate: true, answer: Self.answer))
      try write(
        "one \(try RobotKeys.pin("robot")) \(PairingTests.pin(9))", robots == 2 ? "two \(Self.former)" : "# one")
      let before = try file
      let identity = try RobotKeys.alice()
      let error = await #expect(throws: RobotError.self) {
        try await Self.meet(
          try await RobotConnection(
            toPaired: Self.address(server).description, in: store, as: identity, retrying: .immediate))
      }
      guard case .trust? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      RobotKeys.expectNothing(server.stop())
      #expect(try file == before)
    }
  }

  @Test func `a robot that wants to know who this is is found all the same`() async throws {
    let server = try RawServer(
      try Material.server("robot"), .init(asksForCertificate: true, refusal: 1, answer: Self.answer))
    let pin = try RobotKeys.pin("robot")
    try write("one \(Self.former)", "two \(pin)")
    let robot = try await connect(to: server)
    #expect(robot.cacheNames == [pin.description])
    await #expect(throws: RobotError.identity(.needed)) { try await Self.meet(robot) }
    #expect(server.stop().allSatisfy { $0.received.isEmpty })
  }

  @Test func `where nobody has paired nobody is asked`() async throws {
    let server = try Self.server(try Material.server("robot"))
    await #expect(throws: RobotError.pairing(.notPaired(robot: Self.address(server).description))) {
      try await connect(to: server)
    }
    await #expect(throws: RobotError.address("a:b:c")) { try await RobotConnection(toPaired: "a:b:c", in: store) }
    try write("garbage")
    await #expect(throws: RobotError.pairing(.unreadable(store.path, line: 1))) { try await connect(to: server) }
    #expect(server.stop().isEmpty)
  }

  @Test func `pairings that cannot be changed keep nobody from the robot`() async throws {
    let server = try Self.server(try Material.server("robot"))
    let (address, pin) = (Self.address(server), try RobotKeys.pin("robot"))
    try write("\(address) \(Self.former) \(pin)")
    let before = try file
    let robot = try await connect(to: server)
    // Another process is about to change them.
    let lock = open(folder.path(".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(flock(lock, LOCK_EX) == 0)
    try await Self.meet(robot)
    #expect(flock(lock, LOCK_UN) == 0)
    close(lock)
    guard case .pairingNotKept(.pairing(.file))? = events.all.first, events.all.count == 1 else {
      return #expect(Bool(false), "\(events.all)")
    }
    #expect(try file == before)
    // The next connection stores it.
    try await Self.meet(try await connect(to: server))
    #expect(try file == "\(address) \(pin) earlier:\(Self.former)\n")
    _ = server.stop()
  }

  // MARK: The cache's name

  @Test func `new recordings go by the oldest pin that an app knows`() throws {
    let policy = TrustPolicy.pinned(keys: [PairingTests.pin(3), PairingTests.pin(4)])
    let robot = try RobotConnection(
      to: "robot", trusting: policy, earlierPins: [1, 2].map { .publicKey(PairingTests.pin($0)) })
    #expect(robot.cacheNames == [1, 2, 3, 4].map { PairingTests.pin($0).description })
    #expect(try RobotConnection(to: "robot", trusting: policy).cacheNames == Array(robot.cacheNames.dropFirst(2)))
    // Under an authority, every address is another robot unless more is known about it.
    let root = try TrustPin.authority(try Material.file("root.pem"))
    let names = try ["one", "two"].map { try RobotConnection(to: $0, trusting: .pinned([root])).cacheNames }
    #expect(names[0] != names[1])
    let known = try ["one", "two"].map {
      try RobotConnection(to: $0, trusting: .pinned([root]), earlierPins: [.publicKey(PairingTests.pin)]).cacheNames[0]
    }
    #expect(known == [PairingTests.pin.description, PairingTests.pin.description])
  }

  // MARK: The app's identity

  @Test func `an identity that would take half an hour to open is refused, and no other thread waits for one`()
    async throws
  {
    let rounds = try Command(
      "sh", "-c",
      """
      cd \(folder.location) && cat > alice.pem && openssl pkcs12 -export -in alice.pem -passout pass:open \
      -iter 1000001 -out heavy.p12
      """, input: String(decoding: try Material.file("alice-both.pem"), as: UTF8.self)
    ).run()
    try #require(rounds.succeeded, "\(rounds.errors)")
    let heavy = try Data(contentsOf: URL(fileURLWithPath: folder.path("heavy.p12")))
    await #expect(throws: RobotError.identity(.tooManyIterations(1_000_001, limit: 1_000_000))) {
      try await RobotConnection(
        to: "robot", trusting: .pinned([]), as: .pkcs12(heavy, passphrase: "open"))
    }
    let caller = Self.thisThread
    #expect(try await DetachedWork.run("test") { Self.thisThread } != caller)
  }

  private static var thisThread: UInt { UInt(bitPattern: Int(truncatingIfNeeded: pthread_self())) }
}
