/// The order and timing of attempts on a host's addresses, and their results.
import Foundation
@testable import FootageServing
import Synchronization
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageFetching

@Suite(.timeLimit(.minutes(1))) struct AddressRaceTests {
  static func four(_ last: UInt8) -> SocketAddress { SocketAddress(addressBytes: [10, 0, 0, last], port: 8443) }

  static func six(_ last: UInt8) -> SocketAddress {
    SocketAddress(addressBytes: [0xFD] + [UInt8](repeating: 0, count: 14) + [last], port: 8443)
  }

  static let pause = Deadline.Delay(.milliseconds(250))

  // MARK: The order

  @Test(
    arguments: [
      ([], nil, []), ([four(1)], nil, [four(1)]),
      ([six(1), six(2), four(1), four(2)], nil, [six(1), four(1), six(2), four(2)]),
      ([four(1), six(1), six(2), six(3)], nil, [four(1), six(1), six(2), six(3)]),
      ([six(1), six(2), four(1)], four(1), [four(1), six(1), six(2)]),
      ([six(1), six(2), four(1)], six(1), [six(1), four(1), six(2)]),
      ([six(1), four(1)], four(9), [six(1), four(1)]),
    ] as [([SocketAddress], SocketAddress?, [SocketAddress])])
  func `the families take turns, and the one that answered last is first`(
    addresses: [SocketAddress], last: SocketAddress?, order: [SocketAddress]
  ) {
    #expect(AddressRace.order(addresses, first: last) == order)
  }

  @Test func `the next one begins a quarter of a second later, beside the first`() {
    var race = AddressRace([Self.six(1), Self.four(1)], first: nil, pause: Self.pause)
    let moments = (0...3).map { Deadline(milliseconds: 10_000 + 125 * $0) }
    #expect(race.step(at: moments[0]) == .begin(Self.six(1)))
    #expect(race.step(at: moments[0]) == .wait(until: moments[2]))
    #expect(race.step(at: moments[1]) == .wait(until: moments[2]))
    #expect(!race.hasBegun(Self.four(1)))
    #expect(race.step(at: moments[2]) == .begin(Self.four(1)))
    #expect(race.step(at: moments[3]) == .wait(until: .never))
    #expect(race.hasBegun(Self.four(1)) && !race.hasBegun(nil))
  }

  @Test func `where one fails the next begins at once, and after the last all is lost`() {
    var race = AddressRace([Self.six(1), Self.four(1), Self.six(2)], first: nil, pause: Self.pause)
    let now = Deadline(milliseconds: 10_000)
    #expect(race.step(at: now) == .begin(Self.six(1)))
    race.failed()
    #expect(race.step(at: now) == .begin(Self.four(1)))
    race.failed()
    #expect(race.step(at: now) == .begin(Self.six(2)))
    #expect(race.step(at: now) == .wait(until: .never))
    race.failed()
    #expect(race.step(at: now) == .lost)
  }

  // MARK: Connecting

  static func here(_ port: UInt16) -> SocketAddress { SocketAddress(addressBytes: [127, 0, 0, 1], port: port) }

  /// Returns the client of a robot whose addresses the closure supplies at each attempt.
  private static func client(
    _ addresses: @escaping @Sendable () -> [SocketAddress], on loop: EventLoop? = nil,
    _ adjust: (inout ClientLimits) -> Void = { _ in }
  ) throws -> HTTPClient {
    var limits = ClientLimits()
    adjust(&limits)
    return HTTPClient(
      host: "robot.test", port: 1, tls: nil, on: try loop ?? ClientRuntime.shared().loop,
      resolver: HostResolver { _, _ in .success(addresses()) }, limits: limits)
  }

  /// Sends a request over a new connection.
  private static func ask(_ client: HTTPClient, within duration: Duration? = nil) async throws -> String {
    var request = HTTPClientRequest("/")
    request.isOnNewConnection = true
    request.connecting = duration
    return try await HTTPClientTests.body(try await client.send(request))
  }

  @Test func `an address that leads nowhere holds up the next one for a moment`() async throws {
    let hole = try FullPort()
    let scene = try MovedScene()
    let server = try HTTPClientTests.answering(HTTPClientTests.ok("x"))
    // No attempt ends by itself within the test's time.
    let client = try Self.client({ [Self.here(hole.port), Self.here(server.port)] }, on: scene.loop) {
      $0.connect = .seconds(3600)
    }
    let asking = Task { try await Self.ask(client) }
    let passed = await scene.pass { server.connectionCount > 0 }
    #expect(try await asking.value == "x")
    #expect(passed >= .milliseconds(250))
  }

  @Test func `the one that answered is tried first from then on, until it fails`() async throws {
    let hole = try FullPort()
    let servers = try ["first", "second"].map { try HTTPClientTests.answering(HTTPClientTests.ok($0)) }
    let (first, second) = (Self.here(servers[0].port), Self.here(servers[1].port))
    let addresses = Mutex([Self.here(hole.port), first])
    let scene = try MovedScene()
    let client = try Self.client({ addresses.withLock { $0 } }, on: scene.loop)
    let asking = Task { try await Self.ask(client) }
    _ = await scene.pass { servers[0].connectionCount > 0 }
    #expect(try await asking.value == "first")
    // No time passes from here on, so a later address is tried only if the first one fails.
    addresses.withLock { $0 = [second, first] }
    #expect(try await Self.ask(client) == "first")
    servers[0].stop()
    #expect(try await Self.ask(client) == "second")
    #expect(try await Self.ask(client) == "second")
  }

  @Test func `where none answers the time is over for all together`() async throws {
    let holes = try [FullPort(), FullPort()]
    let scene = try MovedScene()
    let client = try Self.client({ holes.map { Self.here($0.port) } }, on: scene.loop)
    let isOver = EventLog<Void>()
    let asking = Task(executorPreference: scene.loop) {
      defer { isOver.append(()) }
      return try await Self.ask(client, within: .seconds(5))
    }
    let passed = await scene.pass { !isOver.all.isEmpty }
    await #expect(throws: HTTPClientError.timedOut(.connection)) { try await asking.value }
    #expect(passed >= .seconds(5) && passed < .seconds(8))
  }

  @Test func `cancelling ends all attempts`() async throws {
    let holes = try [FullPort(), FullPort()]
    let client = try Self.client({ holes.map { Self.here($0.port) } }) { $0.connect = .seconds(3600) }
    let asking = Task { try await Self.ask(client) }
    // Both attempts have begun, or are about to.
    for _ in 0..<20 { await required(client.executor as? EventLoop).turn() }
    asking.cancel()
    await #expect(throws: HTTPClientError.cancelled) { try await asking.value }
  }

  @Test func `the interface of an address is not the robot's to know`() async throws {
    let heads = EventLog<String>()
    let server = try ScriptedServer { connection, _ in
      while let head = connection.readHead() {
        heads.append(head)
        connection.send(HTTPClientTests.ok("x"))
      }
    }
    let port = server.port
    let client = HTTPClient(
      host: "fe80::1%footage-test-x", port: 8443, tls: nil, on: try ClientRuntime.shared().loop,
      resolver: HostResolver { host, _ in
        host == "fe80::1%footage-test-x" ? .success([Self.here(port)]) : .success([])
      })
    #expect(try await Self.ask(client) == "x")
    #expect(heads.all.first?.contains("Host: [fe80::1]:8443\r\n") == true)
  }
}
