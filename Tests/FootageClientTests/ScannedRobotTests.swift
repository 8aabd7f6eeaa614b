/// Pairing by a link: the robot proves its key before anything is stored, and nothing that is known is replaced.
import Foundation
import FootageTLS
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.unhurried, .offThePool) struct ScannedRobotTests {
  private let folder: TemporaryFolder
  private let store: PairingStore
  private let events = EventLog<PairingStore.Change>()
  /// An address at which no server answers.
  private static let nowhere = required(RobotAddress("127.0.0.1:1"))
  private static let former = PairingTests.pin(7)

  init() throws {
    folder = try TemporaryFolder()
    store = PairingStore(folder: folder.location)
  }

  private static func server(_ material: ServerMaterial) throws -> RawServer {
    try RawServer(material, .init(asksForCertificate: true, answer: "HTTP/1.1 204 No Content\r\n\r\n"))
  }

  private static func address(_ server: RawServer) -> RobotAddress {
    required(RobotAddress("127.0.0.1:\(server.port)"))
  }

  private static func link(
    _ addresses: [RobotAddress], name: String = "arm", pin: PublicKeyPin? = nil, next: PublicKeyPin? = nil
  ) throws -> PairingLink {
    try PairingLink(name: name, addresses: addresses, pin: try pin ?? RobotKeys.pin("robot"), next: next)
  }

  private func write(_ lines: String...) throws {
    try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: store.path))
  }

  private var file: String { get throws { try text(of: store.path) } }

  private func pair(_ link: PairingLink) async throws(RobotError) -> PairingStore.Pairing {
    let (robot, changes) = try await RobotConnection.pair(with: link, in: store)
    for change in changes { events.append(change) }
    return robot
  }

  @Test func `the robot is found at the first address where it proves its key, and remembered with all of the link`()
    async throws
  {
    let (server, twin) = (try Self.server(try Material.server("robot")), try Self.server(try Material.server("twin")))
    let (address, pin) = (Self.address(server), try RobotKeys.pin("robot"))
    // Another robot has one of its addresses in the meantime.
    let robot = try await pair(
      Self.link([Self.nowhere, Self.address(twin), address], name: "Arm 2", next: PairingTests.other))
    #expect(robot.name == "Arm 2" && robot.address == address && robot.pins == [pin, PairingTests.other])
    #expect(robot.addresses == [address, Self.nowhere, Self.address(twin)])
    #expect(
      try file == """
        \(address) \(pin) \(PairingTests.other)
        # \(pin) also:\(Self.nowhere) also:\(Self.address(twin)) name:Arm%202

        """)
    #expect(try store.pairing(named: "Arm 2") == robot && events.all.isEmpty)
    // Its handshake may have been cut short if the robot was faster.
    #expect(twin.stop().allSatisfy { !$0.isAccepted && $0.received == [] && $0.clientCertificates == [] })
    #expect(server.stop().count == 1)
  }

  @Test func `who has not got its key is not paired with, and nothing is remembered`() async throws {
    for material in [try Material.server("twin"), try Material.thief()] {
      let server = try Self.server(material)
      let error = await #expect(throws: RobotError.self) {
        try await pair(Self.link([Self.nowhere, Self.address(server)]))
      }
      guard case .trust? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      RobotKeys.expectNothing(server.stop())
      #expect(try store.all().isEmpty)
    }
  }

  @Test func `where nobody answers that is said, and nothing is remembered`() async throws {
    let error = await #expect(throws: RobotError.self) { try await pair(Self.link([Self.nowhere])) }
    guard case .unreachable? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(try store.all().isEmpty)
  }

  @Test func `a link with another key than that of the robot of this name, or at this address, changes nothing`()
    async throws
  {
    let server = try Self.server(try Material.server("robot"))
    let (address, pin) = (Self.address(server), try RobotKeys.pin("robot"))
    for line in [
      // A robot with this name, elsewhere; one at one of the addresses; and a code from before the robot got another
      // key.
      "other.test:8443 \(Self.former) name:arm", "\(Self.nowhere) \(Self.former)",
      "other.test:8443 \(Self.former) earlier:\(pin)",
    ] {
      try write(line)
      let robot = line.hasSuffix("arm") ? "arm" : String(line.prefix { $0 != " " })
      await #expect(throws: RobotError.pairing(.pinChanged(robot: robot, remembered: [Self.former], seen: pin))) {
        try await pair(Self.link([Self.nowhere, address]))
      }
      #expect(try file == "\(line)\n")
    }
    // The link would restore a key that the robot had before. A thief of that key would then be trusted.
    try write("other.test:8443 \(pin) earlier:\(Self.former)")
    await #expect(
      throws: RobotError.pairing(.pinChanged(robot: "other.test:8443", remembered: [pin], seen: Self.former))
    ) {
      try await pair(Self.link([address], next: Self.former))
    }
    // The link's next key belongs to another robot.
    try write("other.test:8443 \(Self.former)")
    await #expect(throws: RobotError.pairing(.otherRobot(Self.former, robot: "other.test:8443"))) {
      try await pair(Self.link([address], next: Self.former))
    }
    // No server was contacted.
    #expect(server.stop().isEmpty && events.all.isEmpty)
  }

  @Test func `a robot that is known learns its name, its addresses and the key that is to come, and that is told`()
    async throws
  {
    let server = try Self.server(try Material.server("robot"))
    let (address, pin) = (Self.address(server), try RobotKeys.pin("robot"))
    let old = required(RobotAddress("old.test"))
    try write("\(old) \(pin) earlier:\(PairingTests.third)", "# between", "namesake.test:8443 \(Self.former) name:arm")
    let robot = try await pair(Self.link([address, Self.nowhere], next: PairingTests.other))
    #expect(robot.pins == [pin, PairingTests.other] && robot.earlier == [PairingTests.third])
    // The name belongs to another robot.
    #expect(robot.name == nil && robot.addresses == [address, Self.nowhere, old])
    #expect(
      events.all == [
        .announced(PairingTests.other, of: address), .moved(from: old, to: address),
      ])
    let before = try file
    #expect(try await pair(Self.link([address, Self.nowhere], next: PairingTests.other)) == robot)
    #expect(try file == before && events.all.count == 2)
    _ = server.stop()
  }

  @Test func `a robot that has its next key already is known by it`() async throws {
    let server = try Self.server(try Material.server("robot"))
    let (address, pin) = (Self.address(server), try RobotKeys.pin("robot"))
    let robot = try await pair(Self.link([address], pin: Self.former, next: pin))
    #expect(robot.pins == [pin] && robot.earlier == [Self.former])
    _ = server.stop()
  }

  @Test func `a scanned link is a connection at once, and its robot is known from then on`() async throws {
    let list = #"{"recordings":[],"next":null}"#
    let server = try RawServer(
      try Material.server("robot"),
      .init(answer: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(list.utf8.count)\r\n\r\n\(list)"))
    let robot = try await RobotConnection(
      scanned: try Self.link([Self.nowhere, Self.address(server)]), in: store, retrying: .immediate)
    #expect(robot.address == Self.address(server))
    #expect(robot.cacheNames == [try RobotKeys.pin("robot").description])
    for try await _ in robot.recordings() {}
    #expect(server.stop().allSatisfy { $0.isAccepted })
  }
}
