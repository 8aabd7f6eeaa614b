/// The client and the real server with a bad network between them.
import Foundation
import FootageFetching
import FootageServing
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct RandomFaultTests {
  /// The seeds: the same ones every time, and a new one.
  private static let seeds = Array(1...(TestRun.isSoaking ? 300 : 12)) + [TestRun.seed(of: "random faults")]
  /// The number of connections after which the network is good.
  private static let badConnections = 14

  /// Returns the fate of one connection, which follows from the seed alone.
  private static func steps(_ seed: UInt64, _ number: Int) -> [Relay.Step] {
    guard number < badConnections else { return [.passAll] }
    var random = SeededGenerator(seed: seed &+ UInt64(number) &* 7919)
    // Some break in the handshake or in a head, most in a body.
    let count =
      Bool.random(using: &random)
      ? Int.random(in: 0...6000, using: &random) : Int.random(in: 0...300_000, using: &random)
    let end: Relay.Step =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: .stall
      case 1, 2: .end
      default: .reset
      }
    return [.pass(count), end]
  }

  /// The robot's port and pin.
  private struct Place: Sendable {
    let port: Int
    let pin: PublicKeyPin
  }

  private static func robot(_ place: Place, through relay: Relay) throws -> RobotConnection {
    var limits = ClientLimits()
    // A stall is noticed soon. To treat a slow machine as a stall does no harm.
    limits.handshake = .milliseconds(500)
    limits.head = .milliseconds(500)
    limits.bodyIdle = .milliseconds(500)
    let address = try #require(RobotAddress("127.0.0.1:\(relay.port)"))
    let policy = TrustPolicy.pinned([.publicKey(place.pin)])
    let transport = try PinnedTransport(to: address, trusting: policy, as: nil, limits: limits) { _ in }
    let retrying = RetryPolicy(retries: 100, base: .milliseconds(1), maximum: .milliseconds(10))
    return RobotConnection(to: address, over: transport, retrying: retrying)
  }

  @Test func `through a network that cuts, stalls and resets anywhere every byte is right`() async throws {
    let folder = try TemporaryFolder()
    let server = try Server(["--log-level", "warning"], folder: folder)
    defer { server.kill() }
    try server.addClip("a.mp4")
    try server.waitForState("ready", of: "a")
    let place = Place(port: server.port, pin: try #require(PublicKeyPin(server.pin)))
    let recording = Array(try server.download("/recordings/a.mp4"))
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask {
          for seed in stride(from: lane, to: Self.seeds.count, by: 4).map({ Self.seeds[$0] }) {
            do { try await Self.transfer(recording, place, folder, seed) } catch {
              Issue.record("seed \(seed): \(error)")
            }
          }
        }
      }
    }
    try server.stop()
  }

  private static func transfer(
    _ recording: [UInt8], _ place: Place, _ folder: TemporaryFolder, _ seed: UInt64
  ) async throws {
    let relay = try Relay(to: place.port) { number in steps(seed, number) }
    let path = folder.path("\(seed).mp4")
    try await robot(place, through: relay).download("a", to: path)
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(Array(file) == recording, "seed \(seed)")
    #expect(relay.connectionCount > 1, "seed \(seed) breaks nothing")
    var random = SeededGenerator(seed: seed)
    let start = Int.random(in: 0..<recording.count, using: &random)
    let range = start..<Int.random(in: (start + 1)...recording.count, using: &random)
    let other = try Relay(to: place.port) { number in steps(seed &+ 1, number) }
    var bytes: [UInt8] = []
    for try await chunk in try robot(place, through: other).read(
      "a", range: UInt64(range.lowerBound)..<UInt64(range.upperBound))
    { bytes += chunk }
    #expect(bytes == Array(recording[range]), "seed \(seed), range \(range)")
  }
}
