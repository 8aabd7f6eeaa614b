/// The proxy for players over Network's listener, in front of a robot in memory.
import Foundation
import FootageClientTesting
@testable import FootageCore
import Network
import Synchronization
import LinuxTestSupport
import Testing

/// The tests run one at a time, because the process has only one proxy, and its listener is taken away.
@Suite(.serialized, .offThePool, .timeLimit(.minutes(2))) struct LoopbackTests {
  private static let name = "front/2026-11-20T10-15-30"
  private static let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  /// A playback, its robot, and its address for players.
  private struct Scene {
    let robot: InMemoryRobot
    let playback: Playback
    let folder: TemporaryFolder
    let port: UInt16
    let path: String

    init() async throws {
      robot = InMemoryRobot([
        SampleRecording(
          RobotRecording(name: name, startedAt: UnixTime(seconds: 1_795_169_730)), bytes: bytes)
      ])
      folder = try TemporaryFolder()
      let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 30)
      playback = try await robot.connection(cache: cache).playback(of: name)
      let url = try #require(URL(string: try playback.playerLink()))
      port = UInt16(try #require(url.port))
      path = url.path
      #expect(url.host == "127.0.0.1" && path.hasSuffix(".mp4"))
    }

    func get(_ fields: String..., method: String = "GET", path other: String? = nil) throws -> RawConnection.Response {
      let connection = try RawConnection(to: port)
      try connection.send(
        "\(method) \(other ?? path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
          + fields.map { "\($0)\r\n" }.joined() + "\r\n")
      return try connection.response(to: method)
    }
  }

  @Test(
    arguments: [
      (nil, 200, 0..<700_000), ("0-1", 206, 0..<2), ("0-", 206, 0..<700_000), ("699999-", 206, 699_999..<700_000),
      ("-1", 206, 699_999..<700_000), ("300000-399999", 206, 300_000..<400_000),
    ] as [(String?, Int, Range<Int>)])
  func `a range is answered with exactly its bytes`(range: String?, status: Int, bytes: Range<Int>) async throws {
    let scene = try await Scene()
    let response = try range.map { try scene.get("Range: bytes=\($0)") } ?? scene.get()
    #expect(response.status == status)
    #expect(response.body == Array(Self.bytes[bytes]))
    #expect(response["Content-Type"] == "video/mp4" && response["Accept-Ranges"] == "bytes")
    #expect(response["Cross-Origin-Resource-Policy"] == "cross-origin")
    if status == 206 {
      #expect(response["Content-Range"] == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/700000")
    }
  }

  @Test func `several ranges come as one body, and a connection is used again`() async throws {
    let scene = try await Scene()
    let connection = try RawConnection(to: scene.port)
    for _ in 0..<3 {
      try connection.send(
        "GET \(scene.path) HTTP/1.1\r\nHost: localhost:\(scene.port)\r\nRange: bytes=0-0,10-11\r\n\r\n")
      let response = try connection.response()
      #expect(response.status == 206)
      #expect(response["Content-Type"]?.hasPrefix("multipart/byteranges") == true)
      #expect(response.body.count == response["Content-Length"].flatMap { Int($0) })
    }
    try connection.send("HEAD \(scene.path) HTTP/1.1\r\nHost: localhost:\(scene.port)\r\n\r\n")
    let head = try connection.response(to: "HEAD")
    #expect(head.status == 200 && head["Content-Length"] == "700000")
  }

  @Test func `what cannot be answered is told, and why`() async throws {
    let scene = try await Scene()
    #expect(try scene.get("Range: bytes=700000-").status == 416)
    #expect(try scene.get("If-Match: \"other\"").status == 412)
    #expect(try scene.get(method: "POST").status == 405)
    #expect(try scene.get(path: "/0123456789abcdef/x.mp4").status == 404)
    #expect(try scene.get(path: "/").status == 404)
    let connection = try RawConnection(to: scene.port)
    try connection.send("GET \(scene.path) HTTP/1.1\r\nHost: evil.example:\(scene.port)\r\n\r\n")
    #expect(try connection.response().status == 421)
    #expect(connection.receivesEnd())
    let junk = try RawConnection(to: scene.port)
    try junk.send("no HTTP at all\r\n\r\n")
    #expect(try junk.response().status == 400)
  }

  @Test func `what the robot does not give is refused before anything has left`() async throws {
    let scene = try await Scene()
    scene.robot.failAll(.media, with: .problem(status: 404, code: .notFound, detail: "It is gone."))
    let response = try scene.get("Range: bytes=650000-650099")
    #expect(response.status == 502, "\(String(decoding: response.body.prefix(300), as: UTF8.self))")
  }

  @Test func `what nobody plays any more is not served`() async throws {
    let (port, path) = try await Self.pastScene()
    let connection = try RawConnection(to: port)
    try connection.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    #expect(try connection.response().status == 404)
  }

  /// Returns the port and path of a playback that no longer exists.
  private static func pastScene() async throws -> (port: UInt16, path: String) {
    let scene = try await Scene()
    return (scene.port, scene.path)
  }

  @Test func `whatever connects without a token keeps no player out`() async throws {
    let scene = try await Scene()
    let idlers = try (0..<80).map { _ in try RawConnection(to: scene.port) }
    #expect(try scene.get("Range: bytes=0-1").body == Array(Self.bytes[..<2]))
    // The first connections were closed to make room for the last ones.
    #expect(idlers[0].receivesEnd())
    withExtendedLifetime(idlers) {}
  }

  @Test(arguments: FakeNetwork.Suspension.allCases)
  func `a listener that the system took away comes back on its port, and what is open goes on`(
    suspension: FakeNetwork.Suspension
  ) async throws {
    let scene = try await Scene()
    #expect(try scene.get("Range: bytes=0-1").status == 206)
    FakeNetwork.suspendListeners(suspension)
    // A silent suspension is noticed only when the next URL is handed out.
    if suspension == .silent {
      #expect((try? RawConnection(to: scene.port)) == nil)
      #expect(try scene.playback.playerLink().contains(":\(scene.port)/"))
    }
    try eventually("it listens again") { (try? scene.get("Range: bytes=5-6").body) == Array(Self.bytes[5..<7]) }
    #expect(try scene.playback.playerLink().contains(":\(scene.port)/"))
  }
}
