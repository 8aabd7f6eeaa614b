/// An impostor gets nothing, whatever is requested, and the app's identity stays secret.
import Foundation
import FootageServing
import Synchronization
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.unhurried, .offThePool) struct RobotTrustTests {
  enum Verb: CaseIterable { case list, metadata, read, download }

  static let address = required(RobotAddress("robot.test"))

  /// Returns a robot whose address is looked up for each connection.
  static func robot(
    at port: @escaping @Sendable () -> UInt16, as identity: IdentitySource? = nil, tries: EventLog<UInt16> = EventLog()
  ) async throws -> RobotConnection {
    let resolver = HostResolver { _, _ in
      tries.append(port())
      return .success([SocketAddress(addressBytes: [127, 0, 0, 1], port: port())])
    }
    let transport = try PinnedTransport(
      to: address, trusting: .pinned([.publicKey(try RobotKeys.pin("robot"))]),
      as: try await RobotConnection.open(identity),
      resolver: resolver
    ) { _ in }
    return RobotConnection(to: address, over: transport, retrying: .immediate)
  }

  static func error(_ verb: Verb, _ robot: RobotConnection, _ folder: TemporaryFolder) async -> RobotError? {
    do throws(RobotError) {
      switch verb {
      case .list: for try await _ in robot.recordings() {}
      case .metadata: _ = try await robot.recording("a")
      case .read: for try await _ in robot.read("a") {}
      case .download: try await robot.download("a", to: folder.path("a.mp4"))
      }
      return nil
    } catch { return error }
  }

  @Test(arguments: Verb.allCases)
  func `who has the robot's names and number, or its certificate, but not its key, learns nothing`(
    verb: Verb
  ) async throws {
    for (material, seen, reason) in [
      (try Material.server("twin"), "twin", .otherKey), (try Material.thief(), "robot", .keyNotProven),
    ] as [(ServerMaterial, String, TrustFailure.Reason)] {
      let folder = try TemporaryFolder()
      let server = try RawServer(material, .init(asksForCertificate: true))
      let port = server.port
      let error = await Self.error(verb, try await Self.robot(at: { port }, as: try RobotKeys.alice()), folder)
      guard case .trust(let failure)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(failure.reason == reason && failure.host == "robot.test:8443")
      #expect(failure.seen == (try RobotKeys.pin(seen)))
      #expect(failure.expected == [.publicKey(try RobotKeys.pin("robot"))])
      #expect(error?.description.contains("nothing was sent") == true)
      RobotKeys.expectNothing(server.stop())
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == [])
    }
  }

  @Test func `who takes the robot's place between two requests is shown its ticket, and nothing else`() async throws {
    let folder = try TemporaryFolder()
    let list = #"{"recordings":[],"next":null}"#
    let genuine = try RawServer(
      try Material.server("robot"),
      .init(
        asksForCertificate: true,
        answer: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(list.utf8.count)\r\n\r\n\(list)"))
    let twin = try RawServer(
      try Material.server("twin"), .init(asksForCertificate: true, ticketKeys: [UInt8](repeating: 9, count: 80)))
    let port = Mutex(genuine.port)
    let robot = try await Self.robot(at: { port.withLock { $0 } }, as: try RobotKeys.alice())
    for _ in 0..<2 { #expect(await Self.error(.list, robot, folder) == nil) }
    let visits = genuine.stop()
    // Sessions with this robot are resumed, so there was one that the impostor might have received.
    #expect(visits.map(\.isResumed) == [false, true])
    #expect(visits.first?.clientCertificates.first == "/CN=alice")
    port.withLock { $0 = twin.port }
    guard case .trust(let failure)? = await Self.error(.download, robot, folder) else {
      Issue.record("the impostor was trusted")
      return
    }
    #expect(failure.reason == .otherKey)
    RobotKeys.expectNothing(twin.stop())
  }

  @Test func `without a pin nobody is asked, and the pin of who is there is seen`() async throws {
    let server = try RawServer(try Material.server("twin"), .init(asksForCertificate: true))
    #expect(try await RobotConnection.shownPin(at: "127.0.0.1:\(server.port)") == RobotKeys.pin("twin"))
    RobotKeys.expectNothing(server.stop())
  }

  // MARK: The app's identity

  @Test(
    arguments: [
      ("modern.p12", "wrong", .wrongPassphrase), ("nokey.p12", "open", .noKey), ("alice.key", nil, .noCertificate),
      ("mismatch.pem", nil, .keyDoesNotBelong),
    ] as [(String, String?, IdentityFailure)])
  func `an identity that cannot be shown is told before anybody is asked`(
    file: String, passphrase: String?, failure: IdentityFailure
  ) async throws {
    let bytes = try Material.file(file)
    let identity: IdentitySource =
      file.hasSuffix(".p12") ? .pkcs12(bytes, passphrase: passphrase ?? "") : .pem(bytes, passphrase: passphrase)
    let tries = EventLog<UInt16>()
    await #expect(throws: RobotError.identity(failure)) {
      try await Self.robot(at: { 1 }, as: identity, tries: tries)
    }
    // The error is the same when an app makes the connection.
    await #expect(throws: RobotError.identity(failure)) {
      try await RobotConnection(to: "robot.test", trusting: .pinned([]), as: identity)
    }
    #expect(tries.all.isEmpty)
  }

  @Test(arguments: Verb.allCases) func `a robot that refuses the identity, or wants one, is asked once`(
    verb: Verb
  ) async throws {
    let folder = try TemporaryFolder()
    for identity in [try RobotKeys.alice(), nil] {
      let tries = EventLog<UInt16>()
      let server = try RawServer(try Material.server("robot"), .init(asksForCertificate: true, refusal: 1))
      let port = server.port
      let error = await Self.error(verb, try await Self.robot(at: { port }, as: identity, tries: tries), folder)
      switch error {
      case .identity(.refused): #expect(identity != nil)
      case .identity(.needed): #expect(identity == nil)
      default: Issue.record("\(String(describing: error))")
      }
      #expect(tries.all.count <= 1)
      let visits = server.stop()
      #expect(visits.count == 1 && visits.allSatisfy { $0.received == [] })
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == [])
  }
}
