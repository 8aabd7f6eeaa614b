/// The robot in memory answers like a real robot, as far as an app can tell.
import FootageAPI
import FootageClient
import FootageClientTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct InMemoryRobotTests {
  static let start = UnixTime(seconds: 1_795_169_730)

  static func robot(_ count: Int = 3, clock: TestClock? = nil) -> InMemoryRobot {
    InMemoryRobot(
      SampleRecording.row(ofCamera: "front", count: count, from: start)
        + [SampleRecording("rear/one", startedAt: UnixTime(seconds: start.seconds + 60))],
      clock: clock)
  }

  static func names(_ recordings: RecordingSequence) async throws -> [String] {
    var names: [String] = []
    for try await recording in recordings { names.append(recording.name) }
    return names
  }

  static func bytes(_ bytes: RecordingBytes) async throws -> [UInt8] {
    var all: [UInt8] = []
    for try await piece in bytes { all += piece }
    return all
  }

  @Test(arguments: [1, 2, 200]) func `it lists, page by page, what is asked for`(pageLength: Int) async throws {
    let robot = Self.robot()
    robot.pageLength = pageLength
    let connection = robot.connection()
    let front = ["front/2026-11-20T10-15-46", "front/2026-11-20T10-15-38", "front/2026-11-20T10-15-30"]
    #expect(try await Self.names(connection.recordings()) == ["rear/one"] + front)
    #expect(try await Self.names(connection.recordings(camera: "front")) == front)
    let later = UnixTime(seconds: Self.start.seconds + 8)
    #expect(try await Self.names(connection.recordings(camera: "front", since: later)) == Array(front.prefix(2)))
    #expect(try await Self.names(connection.recordings(camera: "front", until: later)) == Array(front.suffix(1)))
    #expect(try await Self.names(connection.recordings(state: .refused)).isEmpty)
    #expect(robot.names == ["rear/one"] + front)
  }

  @Test func `what it lists says what is in the recording`() async throws {
    let recording = try await Self.robot().connection().recording("rear/one")
    #expect(recording.state == .ready && recording.camera == "rear" && recording.duration == 8)
    #expect(recording.size == UInt64(SampleMovie.bytes.count) && recording.keyInterval == SampleMovie.keyInterval)
    #expect(recording.video?.codec == SampleMovie.codec && recording.video?.width == 96)
    #expect(recording.entityTag?.count == 34)
  }

  @Test func `it serves whole recordings, ranges, and one version alone`() async throws {
    let robot = Self.robot()
    let connection = robot.connection()
    let movie = SampleMovie.bytes
    #expect(try await Self.bytes(connection.read("rear/one")) == movie)
    #expect(try await Self.bytes(connection.read("rear/one", range: 100..<2_000)) == Array(movie[100..<2_000]))
    let tag = try await connection.recording("rear/one").entityTag
    robot.add(SampleRecording(RobotRecording(name: "rear/one", startedAt: Self.start), bytes: [1, 2, 3]))
    await #expect(throws: RobotError.replaced(name: "rear/one")) {
      try await Self.bytes(connection.read("rear/one", range: 0..<2, version: tag))
    }
    #expect(try await Self.bytes(connection.read("rear/one")) == [1, 2, 3])
    robot.remove("rear/one")
    let error = await #expect(throws: RobotError.self) { try await connection.recording("rear/one") }
    guard case .notFound("rear/one", .notFound, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `it makes pictures, clips, films and timelines that are movies`() async throws {
    let folder = try TemporaryFolder()
    let connection = Self.robot().connection()
    let picture = try await connection.keyFrame(of: "rear/one", at: 5)
    try Data(picture).write(to: URL(fileURLWithPath: folder.path("picture.mp4")))
    #expect(try Self.frames(folder.path("picture.mp4")) == 1)
    try await connection.clip(of: "rear/one", seconds: 2..<5).download(to: folder.path("clip.mp4"))
    #expect(try Self.frames(folder.path("clip.mp4")) == 15)
    // The only video track may also be selected by its number.
    #expect(try await connection.recording("rear/one").videoTracks.map(\.number) == [1])
    #expect(try await connection.keyFrame(of: "rear/one", at: 5, track: 1) == picture)
    await #expect {
      _ = try await connection.keyFrame(of: "rear/one", at: 5, track: 2)
    } throws: { error in
      guard case .notFound(_, .noSuchView, _)? = error as? RobotError else { return false }
      return true
    }
    await #expect(throws: RobotError.self) {
      try await connection.clip(of: "rear/one", seconds: 2..<5, track: 2).download(to: folder.path("other.mp4"))
    }
    let (from, to) = (UnixTime(seconds: Self.start.seconds + 4), UnixTime(seconds: Self.start.seconds + 20))
    try await connection.clip(ofCamera: "front", from: from, to: to).download(to: folder.path("time.mp4"))
    #expect(try Self.frames(folder.path("time.mp4")) == 80)

    let cameras = try await connection.cameras()
    #expect(cameras.map(\.name) == ["front", "rear"] && cameras.map(\.recordingCount) == [3, 1])
    let timeline = try await connection.timeline(
      camera: "front", from: Self.start, to: UnixTime(seconds: Self.start.seconds + 100))
    #expect(timeline.spans.count == 1 && timeline.spans.first?.recordings.count == 3)
    let film = try await connection.playback(ofCamera: "front", from: from, to: to)
    let list = try await Command("curl", "--silent", "--fail", film.filmURL().absoluteString).finished()
    #expect(list.succeeded && list.output.contains("#EXT-X-ENDLIST"))
    #expect(list.output.split(separator: "\n").count { $0.hasSuffix(".m4s") } == 5)
    await #expect(throws: RobotError.self) {
      try await connection.clip(ofCamera: "front", from: UnixTime(seconds: 5), to: UnixTime(seconds: 9))
        .download(to: folder.path("none.mp4"))
    }
  }

  /// An earlier robot lists a film's parts by the tags of versions, and does not know `rows=films`.
  private final class EarlierRobot: MediaTransport {
    final class Whole: MediaBody {
      private let bytes: Mutex<[UInt8]?>

      init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

      func next() async throws(TransportFailure) -> [UInt8]? { bytes.withLock { $0.take() } }
    }

    let robot: InMemoryRobot
    let tags: [String: String]

    init(_ robot: InMemoryRobot, tags: [String: String]) {
      self.robot = robot
      self.tags = tags
    }

    func prepare() async {}

    func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
      if request.target.contains("rows=films") {
        let problem = Array(#"{"status":400,"code":"bad-query","detail":"The parameter rows must be 0 or 1."}"#.utf8)
        return MediaResponse(status: 400, body: Whole(problem))
      }
      var response = try await robot.open(request)
      guard request.target.contains(".m3u8") else { return response }
      var text = ""
      while let piece = try await response.body.next() { text += String(decoding: piece, as: UTF8.self) }
      ServedMedia.check(request.target, text.utf8)
      for (key, tag) in tags { text = text.replacing(key, with: tag) }
      response.body = Whole(Array(text.utf8))
      response.contentLength = UInt64(text.utf8.count)
      return response
    }
  }

  @Test(arguments: [true, false])
  func `the parts of a camera's film come through the cache, also from an earlier robot`(isEarlier: Bool) async throws {
    let folder = try TemporaryFolder()
    let robot = Self.robot()
    let cache = try TestDisk(at: folder.path("cache")).cache()
    var tags: [String: String] = [:]
    for try await recording in robot.connection().recordings(camera: "front") {
      let tag = try #require(recording.entityTag)
      tags[FilmKey(ofRecording: recording.name, entityTag: tag).text] = VersionTag(entityTag: tag).text
    }
    #expect(tags.count == 3)
    let connection =
      isEarlier
      ? RobotConnection(to: RobotAddress(host: "robot.test"), over: EarlierRobot(robot, tags: tags), cache: cache)
      : robot.connection(cache: cache)
    let film = try await connection.playback(
      ofCamera: "front", from: Self.start, to: UnixTime(seconds: Self.start.seconds + 100))
    let url = try film.filmURL().absoluteString
    let place = try #require(url.range(of: "cameras/")).lowerBound
    let list = try await Command("curl", "--silent", "--fail", url).finished().output
    let parts = list.split(separator: "\n").filter { $0.hasSuffix(".m4s") }.map { String($0.dropFirst(3)) }
    #expect(Set(parts.map { $0.split(separator: "/")[1].count }) == [isEarlier ? 16 : 32], "\(parts)")
    for part in parts {
      let answer = try await Command(
        "curl", "--silent", "--fail", "--output", folder.path("x"), url[..<place] + part
      ).finished()
      #expect(answer.succeeded, "\(part)")
    }
    // These recordings have the same bytes and tag, so an earlier robot has one film for all of them.
    #expect(film.playbacks.count == (isEarlier ? 1 : 3))
  }

  @Test func `it plays through the cache, and without the robot`() async throws {
    let folder = try TemporaryFolder()
    let robot = Self.robot()
    let cache = try TestDisk(at: folder.path("cache")).cache()
    let connection = robot.connection(cache: cache)
    let playback = try await connection.playback(of: "rear/one")
    try await playback.download()
    robot.isReachable = false
    let again = try await connection.playback(of: "rear/one")
    let fetched = try await Command(
      "curl", "--silent", "--fail", "--output", folder.path("x"), again.playerURL().absoluteString
    )
    .finished()
    #expect(fetched.succeeded)
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: folder.path("x")))) == SampleMovie.bytes)
  }

  @Test func `it protects what it is asked to`() async throws {
    let connection = Self.robot().connection()
    try await connection.keep("rear/one")
    #expect(try await connection.recording("rear/one").isKeptByRobot)
    try await connection.release("rear/one")
    #expect(try await !connection.recording("rear/one").isKeptByRobot)
  }

  /// Returns the number of pictures that ffprobe decodes.
  static func frames(_ path: String) throws -> Int {
    let outcome = try Command(
      "ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames",
      "-of", "csv=p=0", path
    ).run()
    return outcome.output.split(whereSeparator: \.isNewline).first.flatMap { Int($0) } ?? -1
  }
}
