/// Clips and pictures from the cache equal the robot's, and need no robot.
import FootageClientTesting
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(1))) struct CachedClipTests {
  private let folder: TemporaryFolder
  private let robot: InMemoryRobot
  private let cache: MediaCache
  private let connection: RobotConnection
  private var name: String { robot.names[0] }

  init() throws {
    folder = try TemporaryFolder()
    robot = InMemoryRobot(SampleRecording.row(ofCamera: "front", count: 1, from: UnixTime(seconds: 1_795_169_730)))
    cache = try MediaCache(at: folder.path("cache"), quota: .megabytes(1))
    connection = robot.connection(cache: cache)
  }

  @Test func `a clip out of the cache is the robot's, byte for byte, and so is a picture`() async throws {
    try await connection.clip(of: name, seconds: 1.5..<5).download(to: folder.path("robot.mp4"))
    let picture = try await connection.keyFrame(of: name, at: 5)
    let playback = try await connection.playback(of: name)
    // The robot's index comes with the first view, and is kept.
    try await playback.download()
    try await playback.preload(around: 3)
    robot.isReachable = false
    let offline = try await connection.cachedPlayback(of: name)
    try await offline.exportClip(seconds: 1.5..<5, to: folder.path("own.mp4"))
    #expect(DownloadTests.file(folder.path("own.mp4")) == DownloadTests.file(folder.path("robot.mp4")))
    #expect(try await offline.keyFrame(at: 5) == picture)
    // A list shows it through the connection to its robot.
    #expect(try await connection.keyFrame(of: name, at: 5, version: offline.version.tag) == picture)
    await #expect(throws: RobotError.self) { try await connection.keyFrame(of: name, at: 5, version: "\"another\"") }
  }

  @Test func `a picture that is here in part comes from the robot`() async throws {
    let playback = try await connection.playback(of: name)
    try await playback.preload(around: 7, for: .seconds(1))
    let picture = try await robot.connection().keyFrame(of: name, at: 0)
    let asked = robot.requests.count
    #expect(try await connection.keyFrame(of: name, at: 0) == picture)
    // Only the picture is requested, even while the recording is open.
    #expect(robot.requests.count == asked + 1 && robot.requests.last?.target.contains("keyframe=") == true)
    #expect(try await connection.keyFrame(of: name, at: 7) == playback.keyFrame(at: 7))
    #expect(robot.requests.count == asked + 1)
  }

  @Test func `what is around a moment is cut without the robot, and the rest is not to be had`() async throws {
    let key: RecordingKey
    do {
      let playback = try await connection.playback(of: try await connection.recording(name))
      try await playback.preload(around: 7, for: .seconds(1))
      key = playback.key
    }
    await cache.close()
    let later = try MediaCache(at: folder.path("cache"), quota: .megabytes(1))
    let offline = try await later.playback(of: key)
    try await offline.exportClip(seconds: 6..<8, to: folder.path("end.mp4"))
    let path = folder.path("none.mp4")
    await #expect(throws: MediaCacheError.offline(key)) { try await offline.exportClip(seconds: 0..<2, to: path) }
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location).sorted() == ["cache", "end.mp4"])
  }

  @Test func `what cannot be cut says why`() async throws {
    let playback = try await connection.playback(of: name)
    let path = folder.path("x.mp4")
    let outside = await #expect(throws: MediaCacheError.self) {
      try await playback.exportClip(seconds: 9..<10, to: path)
    }
    guard case .refused(_, .notMade(_, .outside, _))? = outside else {
      Issue.record("\(String(describing: outside))")
      return
    }
    await #expect(throws: MediaCacheError.self) { try await playback.exportClip(seconds: 2..<2, to: path) }
    let nowhere = await #expect(throws: MediaCacheError.self) {
      try await playback.exportClip(seconds: 1..<2, to: folder.path("none/x.mp4"))
    }
    guard case .file(let failure)? = nowhere else {
      Issue.record("\(String(describing: nowhere))")
      return
    }
    #expect(failure.reason == .notFound)
  }
}
