/// Downloads: after any failure, the file is the recording or does not exist, and the stored part is correct.
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct DownloadTests {
  static let recording = content(50_000)

  struct Outcome {
    var error: RobotError?
    var recording: DownloadedRecording?
  }

  static func download(
    _ robot: ScriptedRobot, to path: String, _ progress: EventLog<DownloadProgress> = EventLog()
  ) async -> Outcome {
    do throws(RobotError) {
      return Outcome(recording: try await ReadTests.connection(robot).download("a", to: path) { progress.append($0) })
    } catch { return Outcome(error: error) }
  }

  static func file(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
  }

  static func map(_ path: String) -> PartialFileMap? { file(path + ".part.map").flatMap { PartialFileMap($0) } }

  /// Expects the stored part to be the beginning of a version, as far as the map says.
  static func expectSound(
    _ path: String, _ recording: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let map = map(path) else {
      let text = file(path + ".part.map")
      #expect(text == nil || text == Array(PartialFileMap.empty.utf8), sourceLocation: sourceLocation)
      return
    }
    let kept = (file(path + ".part") ?? []).prefix(Int(map.received))
    #expect(Array(kept) == Array(recording.prefix(Int(map.received))), sourceLocation: sourceLocation)
  }

  @Test func `a recording becomes a file, and nothing is left beside it`() async throws {
    let folder = try TemporaryFolder()
    let robot = ScriptedRobot(Self.recording)
    let progress = EventLog<DownloadProgress>()
    let outcome = await Self.download(robot, to: folder.path("a.mp4"), progress)
    #expect(outcome.recording == DownloadedRecording(name: "a", entityTag: robot.tag, length: 50_000))
    #expect(Self.file(folder.path("a.mp4")) == Self.recording)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["a.mp4"])
    #expect(progress.all.last?.received == 50_000 && progress.all.last?.total == 50_000)
    #expect(robot.requests.map(\.target) == ["/recordings/a.mp4"])
    #expect(robot.requests.map(\.range) == [nil])
  }

  @Test(arguments: [".part", ".part.map"])
  func `another program's file beside the recording's stays as it is`(_ ending: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path + ending))
    let robot = ScriptedRobot(Self.recording)
    let outcome = await Self.download(robot, to: path)
    guard case .file(let failure)? = outcome.error else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.description.contains("\(path)\(ending)"), "\(failure)")
    #expect(failure.description.contains("not a Footage download"), "\(failure)")
    #expect(Self.file(path + ending) == Array("precious".utf8))
    #expect(Self.file(path) == nil && robot.requests.isEmpty)
    // An empty partial file may be about to be written by its owner. An empty map contains nothing that could be lost.
    try Data().write(to: URL(fileURLWithPath: path + ending))
    #expect(await (Self.download(robot, to: path).error == nil) == (ending == ".part.map"))
    let left = ending == ".part.map" ? ["a.mp4"] : ["a.mp4.part"]
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == left)
  }

  @Test func `a file that needs nothing is no matter of another program's file beside it`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording)
    _ = await Self.download(robot, to: path)
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path + ".part"))
    #expect(await Self.download(robot, to: path).recording?.wasThere == true)
    // Another version cannot be downloaded next to it.
    robot.state.withLock { $0.faults = [.replaced(content(70_000, seed: 3))] }
    #expect(await Self.download(robot, to: path).error != nil)
    #expect(Self.file(path) == Self.recording)
    #expect(Self.file(path + ".part") == Array("precious".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location).sorted() == ["a.mp4", "a.mp4.part"])
  }

  @Test func `a file that takes a download's place is neither renamed nor taken for one`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording, [.cut(30_000), .stalls])
    let task = Task { await Self.download(robot, to: path).error }
    while robot.requests.count < 2 { await Task.yield() }
    let precious = Array("precious".utf8)
    try FileManager.default.removeItem(atPath: path + ".part")
    try Data(precious).write(to: URL(fileURLWithPath: path + ".part"))
    task.cancel()
    _ = await task.value
    #expect(Self.file(path + ".part") == precious)
    #expect(await Self.download(ScriptedRobot(Self.recording), to: path).error != nil)
    #expect(Self.file(path + ".part") == precious && Self.file(path) == nil)

    let file = try PartialFile("a", to: folder.path("b.mp4"))
    _ = try await file.open()
    try await file.begin(RecordingVersion(tag: "\"v\"", length: 0))
    try FileManager.default.removeItem(atPath: folder.path("b.mp4.part"))
    try Data(precious).write(to: URL(fileURLWithPath: folder.path("b.mp4.part")))
    await #expect(throws: RobotError.self) { try await file.finish() }
    try await file.leave()
    #expect(Self.file(folder.path("b.mp4.part")) == precious && Self.file(folder.path("b.mp4")) == nil)
    #expect(Self.file(folder.path("b.mp4.part.map")) == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `a disk that takes no more is told while the robot says nothing`() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .success) { [path = folder.path("a.mp4") as String] in
      // With SIGXFSZ ignored, a write fails with EFBIG instead (man 2 setrlimit).
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 20_000, rlim_max: 20_000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let robot = ScriptedRobot(DownloadTests.recording, [.stallsAfter(30_000)], pieceSize: 30_000)
      let outcome = await DownloadTests.download(robot, to: path)
      guard case .file = outcome.error else { exit(1) }
    }
  }

  @Test func `an empty recording becomes an empty file`() async throws {
    let folder = try TemporaryFolder()
    #expect(await Self.download(ScriptedRobot([]), to: folder.path("a.mp4")).error == nil)
    #expect(Self.file(folder.path("a.mp4")) == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["a.mp4"])
  }

  @Test func `a file that was there is replaced when the new one is whole, and not before`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    let failing = ScriptedRobot(Self.recording, [.cut(1000)] + Array(repeating: .unreachable, count: 9))
    #expect(await Self.download(failing, to: path).error == .unreachable("connection refused"))
    #expect(Self.file(path) == Array("old".utf8))
    #expect(await Self.download(ScriptedRobot(Self.recording), to: path).error == nil)
    #expect(Self.file(path) == Self.recording)
  }

  @Test func `what an earlier run has fetched is not fetched again, but for one byte`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let first = ScriptedRobot(Self.recording, [.cut(30_000)] + Array(repeating: .unreachable, count: 9))
    _ = await Self.download(first, to: path)
    #expect(Self.map(path)?.received == 30_000)
    Self.expectSound(path, Self.recording)
    let second = ScriptedRobot(Self.recording)
    #expect(await Self.download(second, to: path).error == nil)
    #expect(Self.file(path) == Self.recording)
    #expect(second.requests.map(\.range) == [30_000..<UInt64.max])
    #expect(second.requests.map(\.ifRange) == [second.tag])
    #expect(second.delivered == 20_000)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["a.mp4"])
  }

  @Test func `what was all there but its name asks the robot whether it still is the recording`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording)
    try Data(Self.recording).write(to: URL(fileURLWithPath: path + ".part"))
    let map = PartialFileMap(name: "a", version: RecordingVersion(tag: robot.tag, length: 50_000), received: 50_000)
    try Data(map.text.utf8).write(to: URL(fileURLWithPath: path + ".part.map"))
    #expect(await Self.download(robot, to: path).error == nil)
    #expect(Self.file(path) == Self.recording)
    #expect(robot.delivered == 1)
  }

  @Test(arguments: [content(50_000, seed: 2), content(20_000, seed: 2), content(90_000, seed: 2), []])
  func `a recording that was replaced between two runs, or in one, is fetched from its beginning`(
    other: [UInt8]
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let first = ScriptedRobot(Self.recording, [.cut(30_000)] + Array(repeating: .unreachable, count: 9))
    _ = await Self.download(first, to: path)
    let second = ScriptedRobot(Self.recording, [.replaced(other)])
    #expect(await Self.download(second, to: path).recording?.length == UInt64(other.count))
    #expect(Self.file(path) == other)
    let inOne = ScriptedRobot(Self.recording, [.cut(30_000), .unreachable, .replaced(other)])
    #expect(await Self.download(inOne, to: folder.path("b.mp4")).recording?.entityTag == inOne.tag)
    #expect(Self.file(folder.path("b.mp4")) == other)
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.location)) == ["a.mp4", "b.mp4"])
  }

  @Test func `a server that ignores ranges makes it start over, and never writes at an offset`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording, [.cut(30_000), .ignoresRange])
    #expect(await Self.download(robot, to: path).error == nil)
    #expect(Self.file(path) == Self.recording)
  }

  @Test func `a server that ignores ranges and always breaks off is given up`() async throws {
    let folder = try TemporaryFolder()
    let robot = ScriptedRobot(Self.recording, Array(repeating: .cutWhole(30_000), count: 100))
    #expect(await Self.download(robot, to: folder.path("a.mp4")).error == .unreachable("cut off"))
    // The first attempt and three more, which brought nothing new.
    #expect(robot.requests.count == 1 + 3)
    Self.expectSound(folder.path("a.mp4"), Self.recording)
  }

  @Test(
    arguments: [
      .otherTag, .noTag, .weakTag, .noContentRange, .shifted(1), .otherLength(1), .otherLength(-1),
      .otherContentLength(1), .short(1000), .excess(1), .excess(10_000),
    ] as [ScriptedRobot.Fault])
  func `of an answer that lies nothing is kept, and of the one before everything`(
    fault: ScriptedRobot.Fault
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording, [.cut(30_000), fault])
    let error = await Self.download(robot, to: path).error
    switch error {
    case .malformed, .shortBody: break
    default: Issue.record("\(String(describing: error))")
    }
    #expect(Self.file(path) == nil)
    #expect(Self.map(path)?.received == 30_000)
    Self.expectSound(path, Self.recording)
    #expect(await Self.download(ScriptedRobot(Self.recording), to: path).error == nil)
    #expect(Self.file(path) == Self.recording)
  }

  @Test(arguments: [401, 403, 404]) func `what cannot pass leaves nothing where nothing was`(status: Int) async throws {
    let folder = try TemporaryFolder()
    let robot = ScriptedRobot(Self.recording, [.status(status)])
    #expect(await Self.download(robot, to: folder.path("a.mp4")).error != nil)
    #expect(robot.requests.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == [])
  }

  @Test(
    arguments: [
      "", "footage-part 9\ngarbage", "footage-part 1\nname a\netag \"v1\"\nlength 50000\nreceived 30000\n",
      "footage-part 2\nname a\netag \"v1\"\nlength 50000\nreceived 30000\nend\n",
      "footage-part 1\nname b\netag \"v1\"\nlength 50000\nreceived 30000\nend\n",
      "footage-part 1\nname a\netag \"v1\"\nlength 50000\nreceived 50001\nend\n",
      "footage-part 1\nname a\netag \"v1\"\nlength 50000\nreceived 40000\nend\n",
    ])
  func `a map that does not fit is not believed`(map: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    // Wrong bytes, and fewer than the last of the maps claims.
    try Data(repeating: 0xEE, count: 35_000).write(to: URL(fileURLWithPath: path + ".part"))
    try Data(map.utf8).write(to: URL(fileURLWithPath: path + ".part.map"))
    let robot = ScriptedRobot(Self.recording)
    #expect(await Self.download(robot, to: path).error == nil)
    #expect(Self.file(path) == Self.recording)
    #expect(robot.delivered == 50_000)
  }

  /// Leaves a partial file of the first bytes, as an interrupted run does.
  private func broken(_ path: String, _ recording: [UInt8], after count: Int) async -> ScriptedRobot {
    let robot = ScriptedRobot(
      recording, [.cut(count)] + Array(repeating: .unreachable, count: 9), pieceSize: 100_000)
    _ = await Self.download(robot, to: path)
    return robot
  }

  static let long = content(3_500_000)

  @Test(arguments: [0, 1_500_000, 2_999_999])
  func `what was damaged between two runs is found, and its block alone is fetched again`(_ offset: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    _ = await broken(path, Self.long, after: 3_000_000)
    #expect(Self.map(path)?.checksums?.checksums.count == 3)
    var part = try #require(Self.file(path + ".part"))
    part[offset] ^= 1
    try Data(part).write(to: URL(fileURLWithPath: path + ".part"))
    let robot = ScriptedRobot(Self.long, pieceSize: 100_000)
    #expect(await Self.download(robot, to: path).error == nil)
    #expect(Self.file(path) == Self.long)
    let block = UInt64(offset) & ~0xF_FFFF
    // The last block is requested together with the bytes after it.
    let expected =
      block + 0x10_0000 < 3_000_000
      ? [block..<block + 0x10_0000, 3_000_000..<UInt64.max] : [block..<UInt64.max]
    #expect(robot.requests.map(\.range) == expected)
    #expect(robot.requests.allSatisfy { $0.ifRange == robot.tag })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["a.mp4"])
  }

  @Test func `damage to what the robot has replaced begins anew`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    _ = await broken(path, Self.long, after: 3_000_000)
    var part = try #require(Self.file(path + ".part"))
    part[100] ^= 1
    try Data(part).write(to: URL(fileURLWithPath: path + ".part"))
    let next = content(60_000, seed: 9)
    let robot = ScriptedRobot(Self.long, [.replaced(next)])
    #expect(await Self.download(robot, to: path).recording?.length == 60_000)
    #expect(Self.file(path) == next)
  }

  @Test func `damage that cannot be mended now is found again by the next run`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    _ = await broken(path, Self.long, after: 3_000_000)
    var part = try #require(Self.file(path + ".part"))
    part[100] ^= 1
    try Data(part).write(to: URL(fileURLWithPath: path + ".part"))
    let away = ScriptedRobot(Self.long, [.cut(10)] + Array(repeating: .unreachable, count: 9))
    #expect(await Self.download(away, to: path).error == .unreachable("connection refused"))
    let robot = ScriptedRobot(Self.long, pieceSize: 100_000)
    #expect(await Self.download(robot, to: path).error == nil)
    #expect(Self.file(path) == Self.long && robot.delivered <= 1 << 20 + 600_000)
  }

  @Test func `a map of an earlier footage is believed, and gets checksums`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let first = ScriptedRobot(Self.long, [.cut(600_000)] + Array(repeating: .unreachable, count: 9), pieceSize: 100_000)
    let map = PartialFileMap(
      name: "a", version: RecordingVersion(tag: first.tag, length: 3_500_000), received: 2_000_000)
    #expect(map.text.hasPrefix("footage-part 1\n"))
    try Data(Self.long[..<2_000_000]).write(to: URL(fileURLWithPath: path + ".part"))
    try Data(map.text.utf8).write(to: URL(fileURLWithPath: path + ".part.map"))
    #expect(await Self.download(first, to: path).error != nil)
    #expect(first.requests.first?.range == 2_000_000..<UInt64.max)
    let now = try #require(Self.map(path))
    #expect(now.received == 2_600_000 && now.checksums?.checksums.count == 3)
    Self.expectSound(path, Self.long)
    #expect(await Self.download(ScriptedRobot(Self.long), to: path).error == nil)
    #expect(Self.file(path) == Self.long)
  }

  @Test(arguments: [1_000, 60_000])
  func `what the cache has is copied, and the robot is asked for the rest`(_ cached: Int) async throws {
    let folder = try TemporaryFolder()
    let scene = try PlayingScene(content(60_000))
    do {
      let playback = try await scene.open()
      try await playback.preload(bytes: UInt64(cached))
    }
    let (byteRequests, delivered) = (scene.robot.byteRequests.count, scene.robot.delivered)
    let outcome = try await scene.connection.download(PlayingScene.name, to: folder.path("a.mp4"))
    #expect(outcome.length == 60_000 && !outcome.wasThere)
    #expect(Self.file(folder.path("a.mp4")) == scene.robot.content)
    #expect(scene.robot.byteRequests.count == byteRequests + (cached == 60_000 ? 0 : 1))
    // If everything is here, the robot confirms its version and sends nothing.
    #expect(scene.robot.delivered - delivered <= 60_000 - cached + 400)
  }

  @Test func `what the cache has of another version is not the robot's`() async throws {
    let folder = try TemporaryFolder()
    let scene = try PlayingScene(content(60_000))
    do { try await (try await scene.open()).download() }
    let next = content(50_000, seed: 9)
    scene.replace(next)
    _ = try await scene.connection.download(PlayingScene.name, to: folder.path("a.mp4"))
    #expect(Self.file(folder.path("a.mp4")) == next)
  }

  @Test func `what is damaged in the cache is fetched`() async throws {
    let folder = try TemporaryFolder()
    let scene = try PlayingScene(content(60_000))
    do { try await (try await scene.open()).download() }
    let cache = try #require(scene.cache)
    while await !cache.isAtRest { await Task.yield() }
    let path = try #require(await cache.entries().first).path
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.seek(toOffset: 30_000)
    try handle.write(contentsOf: [scene.robot.content[30_000] ^ 1])
    try handle.close()
    _ = try await scene.connection.download(PlayingScene.name, to: folder.path("a.mp4"))
    #expect(Self.file(folder.path("a.mp4")) == scene.robot.content)
  }

  @Test func `cancelling leaves what came for another run`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording, [.cut(30_000), .stalls])
    let task = Task { await Self.download(robot, to: path).error }
    while robot.requests.count < 2 { await Task.yield() }
    task.cancel()
    #expect(await task.value == .cancelled)
    #expect(Self.map(path)?.received == 30_000)
    Self.expectSound(path, Self.recording)
    let next = ScriptedRobot(Self.recording)
    #expect(await Self.download(next, to: path).error == nil)
    #expect(next.delivered == 20_000)
  }

  @Test func `two downloads into the same file do not meet`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording, [.stalls])
    let first = Task { await Self.download(robot, to: path).error }
    while robot.requests.isEmpty { await Task.yield() }
    let error = await Self.download(ScriptedRobot(Self.recording), to: path).error
    #expect(
      error
        == .file(
          FileFailure(
            .inUse, "\(path) is being fetched by another process: let it finish, or fetch into another file")))
    first.cancel()
    _ = await first.value
    #expect(await Self.download(ScriptedRobot(Self.recording), to: path).error == nil)
  }

  @Test func `a file that is whole and of the robot's version is asked about, and left as it is`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording)
    #expect(await Self.download(robot, to: path).recording?.wasThere == false)
    let inode = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    let again = await Self.download(robot, to: path)
    #expect(again.recording?.wasThere == true && again.recording?.length == 50_000)
    #expect(robot.delivered == 50_001)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == inode)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["a.mp4"])
    // A missing answer is no reason to change the file.
    let gone = ScriptedRobot(Self.recording, Array(repeating: .unreachable, count: 9))
    #expect(await Self.download(gone, to: path).error == .unreachable("connection refused"))
    #expect(Self.file(path) == Self.recording)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["a.mp4"])
  }

  @Test(
    arguments: [
      [.replaced(content(70_000, seed: 3))], [.replaced(content(9, seed: 3))], [.replaced([])], [.ignoresRange],
      [.cut(0), .replaced(content(70_000, seed: 3)), .cut(100)],
    ] as [[ScriptedRobot.Fault]])
  func `a file that was whole is replaced by the robot's other version`(faults: [ScriptedRobot.Fault]) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording)
    _ = await Self.download(robot, to: path)
    robot.state.withLock { $0.faults = faults }
    #expect(await Self.download(robot, to: path).recording?.wasThere == false)
    #expect(Self.file(path) == robot.content)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["a.mp4"])
  }

  @Test func `a file that somebody has written to, or another recording's, is not taken for it`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording)
    _ = await Self.download(robot, to: path)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.write(contentsOf: Data("x".utf8))
    try file.close()
    #expect(await Self.download(robot, to: path).recording?.wasThere == false)
    #expect(Self.file(path) == Self.recording)
    try await ReadTests.connection(robot).download("b", to: path)
    #expect(robot.delivered == 150_000)
  }

  @Test func `what somebody has put behind a partial file does not come into the recording`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = ScriptedRobot(Self.recording)
    try Data(Self.recording.prefix(20_000) + [UInt8](repeating: 0xEE, count: 60_000)).write(
      to: URL(fileURLWithPath: path + ".part"))
    let map = PartialFileMap(name: "a", version: RecordingVersion(tag: robot.tag, length: 50_000), received: 20_000)
    try Data(map.text.utf8).write(to: URL(fileURLWithPath: path + ".part.map"))
    #expect(await Self.download(robot, to: path).error == nil)
    #expect(Self.file(path) == Self.recording)
    #expect(robot.delivered == 30_000)
  }

  @Test func `a link, a device or a folder is not replaced by a file`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path("old")))
    for make in [
      { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "old") },
      { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) },
      { #expect(mkfifo(path, 0o600) == 0) },
    ] {
      try make()
      let robot = ScriptedRobot(Self.recording)
      let error = await Self.download(robot, to: path).error
      #expect(error?.description.hasPrefix("cannot replace \(path): it is ") == true)
      #expect(robot.requests.isEmpty)
      #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.location)) == ["a.mp4", "old"])
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func `a place that cannot be written is told`() async throws {
    let folder = try TemporaryFolder()
    let error = await Self.download(ScriptedRobot(Self.recording), to: folder.path("none/a.mp4")).error
    guard case .file(let failure) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(failure.description.contains("cannot create \(folder.path("none/a.mp4.part"))"))
    #expect(failure.reason == .notFound)
  }

  @Test(arguments: [nil, "a"])
  func `any sequence of faults ends with the recording's bytes and no others`(listedName: String?) async throws {
    for seed in 1...150 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let folder = try TemporaryFolder()
      let path = folder.path("a.mp4")
      let robot = ScriptedRobot(Self.recording, pieceSize: Int.random(in: 1...9000, using: &random))
      var versions = [robot.tag: Self.recording]
      for _ in 0..<4 {
        let faults = Self.faults(&random)
        robot.state.withLock {
          $0.faults = faults
          $0.listedName = listedName
        }
        var version = robot.state.withLock { $0.version }
        for case .replaced(let content) in faults {
          version += 1
          versions["\"v\(version)\""] = content
        }
        let outcome = await Self.download(robot, to: path)
        if let file = Self.file(path) { #expect(versions.values.contains(file), "seed \(seed)") }
        if outcome.error == nil { #expect(Self.file(path) == robot.content, "seed \(seed)") }
        if let map = Self.map(path) { Self.expectSound(path, try #require(versions[map.version.tag])) }
        // The file on the disk survives in one of two states, as after a power cut.
        if Bool.random(using: &random), Self.file(path + ".part.map") != nil {
          try Data(PartialFileMap.empty.utf8).write(to: URL(fileURLWithPath: path + ".part.map"))
        }
      }
    }
  }

  private static func faults(_ random: inout SeededGenerator) -> [ScriptedRobot.Fault] {
    (0..<Int.random(in: 0...5, using: &random)).map { _ in
      let count = Int.random(in: 0...40_000, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1, 2: return .cut(count)
      case 3: return .unreachable
      case 4: return .ignoresRange
      case 5: return .replaced(content(Int.random(in: 0...60_000, using: &random), seed: random.next()))
      case 6: return .short(count)
      case 7: return .excess(max(1, count))
      case 8: return .shifted(1 + count % 7)
      case 9: return .otherTag
      case 10: return .status(503)
      default: return .otherLength(1 + count)
      }
    }
  }
}
