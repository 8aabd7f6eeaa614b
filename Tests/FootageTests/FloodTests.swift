import FootageAPI
import Foundation
import LinuxTestSupport
import Synchronization
import Testing

/// A viewer who requests expensive resources over many connections at once, and another one who watches a film.
@Suite(.serialized, .offThePool) struct FloodTests {
  /// A viewer's connections, each of which repeats the same request.
  private final class Flood: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let counts = Mutex<[Int: Int]>([:])
    private let threads = DispatchGroup()

    static let connections = 64

    init(_ server: Server, by client: String, _ target: String) throws {
      for _ in 0..<Self.connections {
        nonisolated(unsafe) let connection = try server.connect(client: client)
        threads.enter()
        Thread.detachNewThread { [self] in
          defer { threads.leave() }
          while !isOver.load(ordering: .relaxed), let status = try? connection.get(target).status {
            counts.withLock { $0[status, default: 0] += 1 }
            // Refusals are made at once, so a pause keeps them from becoming a flood of their own.
            if status == 503 { usleep(20_000) }
          }
        }
      }
    }

    /// The number of answers with each status.
    var statuses: [Int: Int] { counts.withLock { $0 } }

    func end() {
      isOver.store(true, ordering: .relaxed)
      threads.wait()
    }
  }

  /// Returns the median time of this number of answers to a request.
  private func median(_ count: Int, _ target: String, over connection: RawConnection) throws -> Duration {
    var times: [Duration] = []
    for _ in 0..<count {
      let start = ContinuousClock.now
      let response = try connection.get(target)
      times.append(ContinuousClock.now - start)
      #expect(response.status == 200)
    }
    return times.sorted()[count / 2]
  }

  /// The factor by which a segment may take longer than without the flood.
  private static let factor = 20
  /// The time that a segment may always take, because of the load of a busy machine.
  private static let floor = Duration.milliseconds(250)
  /// The number of one camera's files, which a timeline lists although they cannot be played.
  private static let fileCount = 8_000

  private static let targets = [
    "/cameras/many.json?from=2026-11-01&to=2026-12-01", "/cameras", "/recordings?limit=1000",
    "/recordings?state=recording",
    "/cameras/front.mp4?from=2026-11-20T10:00:00Z&to=2026-11-20T10:01:00Z",
    "/cameras/front.m3u8?from=2026-11-20T10:00:00Z&to=2026-11-20T10:01:00Z",
    "/recordings/front/2026-11-20T10-00-08.mp4?keyframe=4", "/recordings/front/2026-11-20T10-00-08.mp4?start=1&end=7",
    "/recordings/front/2026-11-20T10-00-08.manifest", "/recordings/front/2026-11-20T10-00-08.index",
    "/hls/KEY/0.m4s",
  ]

  @Test func `one viewer who floods a resource does not stop another one's film`() throws {
    let folder = try TemporaryFolder()
    for camera in ["front", "many"] {
      try FileManager.default.createDirectory(
        atPath: folder.path("recordings/\(camera)"), withIntermediateDirectories: true)
    }
    for second in stride(from: 0, to: 56, by: 8) {
      let name = "2026-11-20T10-00-\(second < 10 ? "0" : "")\(second)"
      try FileManager.default.copyItem(
        atPath: try Fixtures.clip(), toPath: folder.path("recordings/front/\(name).mp4"))
    }
    for number in 0..<Self.fileCount {
      let (day, minute) = (number / 1_440 + 10, number % 1_440)
      let name = "2026-11-\(day)T\(minute / 600)\(minute / 60 % 10)-\(minute % 60 / 10)\(minute % 10)-00"
      try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path("recordings/many/\(name).mp4")))
    }
    let server = try Server(["--client-auth", "require", "--manifests"], folder: folder)
    defer { server.kill() }
    let bob = try server.connect(client: "bob")
    try eventually("all to be looked at; \(server.story)", within: .seconds(240)) {
      let health = try bob.get("/health?live").text
      return health.contains("\"recordings\":\(Self.fileCount + 7)")
    }
    let item = try eventually("the first to be ready") {
      try bob.get("/recordings/front/2026-11-20T10-00-08.json").text.firstMatch(of: /"etag":"\\"([0-9a-f]+)\\""/)
    }
    let film = FilmKey(ofRecording: "front/2026-11-20T10-00-08", entityTag: String(item.1)).text
    let segment = "/hls/\(film)/0.m4s"
    _ = try median(20, segment, over: bob)
    for target in Self.targets {
      let target = target.replacing("KEY", with: film)
      let quiet = try median(20, segment, over: bob)
      let flood = try Flood(server, by: "alice", target)
      try eventually("the flood to be there") { flood.statuses.values.reduce(0, +) >= Flood.connections }
      let flooded = try median(10, segment, over: bob)
      // The other viewer's own request is not refused, however many requests of the first one are waiting.
      let own = try bob.get(target)
      flood.end()
      #expect(own.status == 200 || own.status == 202, "\(target): \(own.status)")
      #expect(
        flooded <= max(quiet * Self.factor, Self.floor),
        "\(target): \(quiet) without the flood, and \(flooded) with it: \(flood.statuses)")
      #expect(
        flood.statuses.keys.allSatisfy { [200, 202, 503].contains($0) }, "\(target): \(flood.statuses)")
      #expect(flood.statuses[200, default: 0] + flood.statuses[202, default: 0] > 0)
    }
    try server.stop()
  }
}
