import FootageAPI
import FootageHTTP
import LinuxTestSupport
import Testing

@testable import FootageServer

/// The recordings that a loop keeps open between requests.
@MainActor
@Suite struct OpenFileCacheTests {
  nonisolated private static let target = "/recordings/\(RobotScene.good).mp4"

  /// Returns true if this request is answered without waiting, with this body.
  private func isOpen(_ scene: RobotScene, _ target: String, _ body: (any ResponseBody)?) throws -> Bool {
    let found = try scene.atOnce(target)
    return found != nil && found === body
  }

  @Test func `a recording is opened once, and found by the target as it was written`() async throws {
    let scene = try RobotScene()
    #expect(try scene.atOnce(Self.target) == nil)
    let first = try await scene.ask(Self.target).body
    #expect(try isOpen(scene, Self.target, first))
    #expect(try scene.atOnce(Self.target, method: "HEAD") === first)
    #expect(try scene.atOnce(Self.target, method: "POST") == nil)
    #expect(try scene.atOnce(Self.target, method: "OPTIONS") == nil)
    // The whole target counts, with its query.
    #expect(try scene.atOnce(Self.target + "?x=1") == nil)
    #expect(try await scene.bytes(of: first).count == Samples.moovLast.count)
  }

  @Test func `another spelling of the same resource is the same body, and a version is another`() async throws {
    let scene = try RobotScene()
    let first = try await scene.ask(Self.target).body
    #expect(try await scene.ask(Self.target.replacing("front", with: "%66ront")).body === first)
    #expect(try await scene.ask(Self.target + "?x=1").body === first)
    let tag = try scene.tag(RobotScene.good)
    let version = try await scene.ask(Self.target + "?v=\(tag)").body
    #expect(version != nil && version !== first)
    #expect(try isOpen(scene, Self.target + "?v=\(tag)", version))
  }

  @Test func `the one that was asked for least lately makes room`() async throws {
    let scene = try RobotScene(openFiles: 2)
    for name in ["a", "b", "c"] { try scene.add(name, Samples.moovLast) }
    scene.publish()
    let targets = ["a", "b", "c"].map { "/recordings/\($0).mp4" }
    let first = try await scene.ask(targets[0]).body
    _ = try await scene.ask(targets[1])
    #expect(try isOpen(scene, targets[0], first))
    _ = try await scene.ask(targets[2])
    #expect(try targets.map { try scene.atOnce($0) != nil } == [true, false, true])
  }

  @Test func `one that is deleted, or is another one, is closed when the library says so`() async throws {
    let scene = try RobotScene()
    _ = try await scene.ask(Self.target)
    scene.publish()
    #expect(try scene.atOnce(Self.target) != nil)
    try scene.add(RobotScene.good, Samples.other, age: 1_800)
    scene.publish()
    #expect(try scene.atOnce(Self.target) == nil)
    let next = try await scene.ask(Self.target).body
    #expect(try await scene.bytes(of: next).count == Samples.other.count)
  }

  @Test func `what nobody asks for in a minute is closed`() async throws {
    let scene = try RobotScene()
    _ = try await scene.ask(Self.target)
    for _ in 0..<59 { scene.handler.secondPassed() }
    #expect(try scene.atOnce(Self.target) != nil)
    for _ in 0..<59 { scene.handler.secondPassed() }
    #expect(try scene.atOnce(Self.target) != nil)
    for _ in 0..<60 { scene.handler.secondPassed() }
    #expect(try scene.atOnce(Self.target) == nil)
  }

  @Test func `one that cannot be read is given up, and opened anew`() async throws {
    let scene = try RobotScene()
    let body = try #require(try await scene.ask(Self.target).body)
    scene.handler.noteFailure(of: body, .unreadable("the disk is gone"), answering: try request(Self.target, []))
    #expect(try scene.atOnce(Self.target) == nil)
    #expect(try await scene.ask(Self.target).body !== body)
    try scene.log.wait { $0.joined().contains("<4>the response to \(Self.target) was cut short: ") }
  }
}
