/// The answers to players on this machine: ranges as requested, from the cache and the robot together.
import Foundation
import Synchronization
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(2))) struct LoopbackProxyTests {
  static let recording = content(100_000)

  @Test(
    arguments: [
      (nil, 200, 0..<100_000), ("0-1", 206, 0..<2), ("0-", 206, 0..<100_000), ("99999-", 206, 99_999..<100_000),
      ("-1", 206, 99_999..<100_000), ("-200000", 206, 0..<100_000), ("50000-59999", 206, 50_000..<60_000),
      ("50000-999999", 206, 50_000..<100_000),
    ] as [(String?, Int, Range<Int>)])
  func `a range is answered with exactly its bytes`(range: String?, status: Int, bytes: Range<Int>) async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    let fetched = try await curl(
      playback.playerLink(), arguments: range.map { ["--header", "Range: bytes=\($0)"] } ?? [])
    #expect(fetched.exitCode == 0)
    #expect(fetched.status == status)
    #expect(fetched.body == Array(Self.recording[bytes]))
    #expect(fetched.fields["content-length"] == "\(bytes.count)")
    #expect(fetched.fields["accept-ranges"] == "bytes")
    #expect(fetched.fields["content-type"] == "video/mp4")
    #expect(fetched.fields["etag"] == scene.robot.tag)
    #expect(
      fetched.fields["content-range"]
        == (status == 206 ? "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/100000" : nil))
  }

  @Test func `what cannot be answered is told, and why`() async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    let url = try playback.playerLink()
    let behind = try await curl(url, "--header", "Range: bytes=100000-")
    #expect(behind.status == 416 && behind.fields["content-range"] == "bytes */100000")
    #expect(try await curl(url, "--request", "POST").status == 405)
    #expect(try await curl(url, "--header", "If-None-Match: \(scene.robot.tag)").status == 304)
    #expect(try await curl(url, "--header", "If-Match: \"other\"").status == 412)
    let stale = try await curl(url, "--header", "If-Range: \"other\"", "--range", "5-9")
    #expect(stale.status == 200 && stale.body == Self.recording)
    let head = try await curl(url, "--head")
    #expect(head.status == 200 && head.fields["content-length"] == "100000")
    let parts = try await curl(url, "--range", "0-0,99999-99999")
    #expect(parts.status == 206 && parts.fields["content-type"]?.hasPrefix("multipart/byteranges") == true)
    #expect(scene.robot.requests.filter { $0.range != nil }.isEmpty == false)
  }

  @Test func `only who knows the token is served, and only on 127.0.0.1`() async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    let url = try playback.playerLink()
    let parts = try #require(url.wholeMatch(of: #/http://127\.0\.0\.1:([0-9]+)/([0-9a-f]{32})/front/a%20b\.mp4/#))
    #expect(try await curl("http://127.0.0.1:\(parts.1)/\(String(repeating: "0", count: 32))/a.mp4").status == 404)
    #expect(try await curl("http://127.0.0.1:\(parts.1)/").status == 404)
    // 127.0.0.2 is this machine, too, and nothing listens there.
    #expect(try await curl("http://127.0.0.2:\(parts.1)/\(parts.2)/front/a.mp4").exitCode == 7)
    let other = try await scene.open()
    #expect(try other.playerLink() != url)
  }

  @Test func `a playback that is over is served no longer`() async throws {
    let scene = try PlayingScene(Self.recording)
    var url = ""
    do {
      let playback = try await scene.open()
      url = try playback.playerLink()
      #expect(try playback.playerLink() == url)
      #expect(try await curl(url).status == 200)
    }
    #expect(try await curl(url).status == 404)
  }

  @Test func `what was played is not fetched again, however many players there are`() async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    let url = try playback.playerLink()
    let before = scene.robot.delivered
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<6 {
        group.addTask {
          let start = number * 9_000
          return try await curl(url, "--range", "\(start)-").body == Array(Self.recording[start...])
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(try await curl(url).body == Self.recording)
    // By design, bytes that were in transit when a fetch was no longer wanted may come twice, and so may a sliver for
    // each hole.
    #expect(scene.robot.delivered - before <= Self.recording.count + 6 * scene.robot.pieceSize + 6 * 20_000)
  }

  @Test func `a robot that breaks off is taken up inside the player's response`() async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.openListed()
    scene.misbehave(.cut(1500), .unreachable, .status(503), .cut(40_000), .unreachable)
    let fetched = try await curl(playback.playerLink())
    #expect(fetched.exitCode == 0 && fetched.body == Self.recording)
  }

  /// Returns what a player gets from a robot that goes away. Time advances in small steps until that many requests were
  /// sent, and then in steps of a second.
  private func fetch(
    _ playback: Playback, of scene: PlayingScene, by time: MovableClock, goneAtRequest number: Int
  ) async throws -> Fetched {
    let (robot, before) = (scene.robot, scene.robot.requests.count)
    let passing = Task.detached {
      while !Task.isCancelled {
        time.advance(by: robot.requests.count - before < number ? .milliseconds(1) : .seconds(1))
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    defer { passing.cancel() }
    return try await curl(playback.playerLink())
  }

  @Test func `a robot that stays away ends the response visibly`() async throws {
    let time = MovableClock()
    let scene = try PlayingScene(Self.recording, clock: time.clock)
    let playback = try await scene.openListed()
    scene.misbehave(.cut(30_000))
    for _ in 0..<100 { scene.misbehave(.unreachable) }
    let fetched = try await fetch(playback, of: scene, by: time, goneAtRequest: 2)
    // curl's 18 means "transfer closed with bytes remaining".
    #expect(fetched.status == 200 && fetched.exitCode == 18)
    #expect(fetched.body == Array(Self.recording.prefix(fetched.body.count)))
  }

  @Test func `a robot that is away from the start gives an answer that says so`() async throws {
    let time = MovableClock()
    let scene = try PlayingScene(Self.recording, clock: time.clock)
    let playback = try await scene.openListed()
    for _ in 0..<100 { scene.misbehave(.unreachable) }
    let fetched = try await fetch(playback, of: scene, by: time, goneAtRequest: 1)
    #expect(fetched.status == 502 && fetched.fields["retry-after"] != nil)
    #expect(String(decoding: fetched.body, as: UTF8.self).contains("connection refused"))
  }

  @Test(arguments: [
    ScriptedRobot.Fault.replaced(content(100_000, seed: 7)), .removed, .otherTag, .shifted(3), .ignoresRange,
  ])
  func `bytes of something else reach no player`(fault: ScriptedRobot.Fault) async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.openListed()
    scene.misbehave(.cut(30_100), fault)
    let fetched = try await curl(playback.playerLink())
    #expect(fetched.exitCode == 18)
    #expect(fetched.body == Array(Self.recording.prefix(fetched.body.count)))
    #expect(fetched.body.count >= 30_000 && fetched.body.count < 100_000)
  }

  @Test func `a player that leaves ends what was waited for`() async throws {
    let robot = SilentRobot()
    let connection = RobotConnection(to: try #require(RobotAddress("robot.test")), over: robot)
    let playback = try await connection.playback(of: try await connection.recording("x"))
    let player = try Command("curl", "--silent", "--output", "/dev/null", try playback.playerLink()).start()
    var events = robot.events.makeAsyncIterator()
    #expect(await events.next() == .asked)
    player.signal(SIGTERM)
    #expect(await events.next() == .cancelled)
  }
}

/// A robot that sends what it has, and then nothing more.
private final class SilentRobot: MediaTransport {
  enum Event { case asked, cancelled }

  let events: AsyncStream<Event>
  private let happened: AsyncStream<Event>.Continuation

  init() { (events, happened) = AsyncStream.makeStream() }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    guard request.range != nil else {
      let json = #"{"name":"x","state":"ready","size":1000,"etag":"\"v\"","startedAt":"2026-11-20T10:15:30Z"}"#
      return MediaResponse(status: 200, body: Document(Array(json.utf8)))
    }
    happened.yield(.asked)
    do { try await Task.sleep(for: .seconds(3600)) } catch { happened.yield(.cancelled) }
    throw .cancelled
  }

  private final class Document: MediaBody {
    private let rest: Mutex<[UInt8]?>
    init(_ bytes: [UInt8]) { rest = Mutex(bytes) }
    func next() async throws(TransportFailure) -> [UInt8]? { rest.withLock { $0.take() } }
  }
}
