/// The recordings that a robot listed last are available without it.
import FootageAPI
import FootageClientTesting
import FootageBase
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(1))) struct OfflineListTests {
  private let folder: TemporaryFolder
  private let robot: InMemoryRobot
  private static let start = UnixTime(seconds: 1_795_169_730)

  init() throws {
    folder = try TemporaryFolder()
    robot = InMemoryRobot(
      SampleRecording.row(ofCamera: "front", count: 5, from: Self.start)
        + SampleRecording.row(ofCamera: "rear", count: 2, from: UnixTime(seconds: Self.start.seconds + 4)),
      name: "Greenhouse", zone: "Europe/Berlin")
  }

  private func cache() throws -> MediaCache { try MediaCache(at: folder.path("cache"), quota: .megabytes(1)) }

  /// Returns the names, whether they come from an earlier list, the reason for that, and the failure.
  private static func list(
    _ recordings: RecordingSequence
  ) async -> (names: [String], areOld: Set<Bool>, reason: RobotError?, failure: RobotError?) {
    var iterator = recordings.makeAsyncIterator()
    var names: [String] = []
    var areOld: Set<Bool> = []
    do throws(RobotError) {
      while let recording = try await iterator.next() {
        names.append(recording.name)
        areOld.insert(recording.listedAt != nil)
      }
    } catch { return (names, areOld, iterator.offlineReason, error) }
    return (names, areOld, iterator.offlineReason, nil)
  }

  @Test func `what was listed is listed without the robot, also by the next process, and marked`() async throws {
    let first = try cache()
    let listed = await Self.list(robot.connection(cache: first).recordings())
    #expect(listed.names == robot.names && listed.areOld == [false] && listed.reason == nil)
    await first.close()
    robot.isReachable = false
    let second = try cache()
    let connection = robot.connection(cache: second)
    let offline = await Self.list(connection.recordings())
    #expect(offline.names == listed.names && offline.areOld == [true] && offline.reason?.canPass == true)
    #expect(await Self.list(connection.recordings(camera: "rear")).names == robot.names.filter { $0.hasPrefix("rear") })
    let since = UnixTime(seconds: Self.start.seconds + 16)
    #expect(await Self.list(connection.recordings(camera: "front", since: since)).names.count == 3)
    let known = try #require(await second.knownRobots().first)
    #expect(known.name == "Greenhouse" && known.zone == "Europe/Berlin" && known.listedAt != nil)
    let remembered = try #require(await second.listedRecordings(ofRobot: known.id).first)
    #expect(remembered.video?.codec == SampleMovie.codec && remembered.duration == 8)
  }

  @Test func `what was never listed fails, and what is not trusted does, too`() async throws {
    let connection = robot.connection(cache: try cache())
    robot.isReachable = false
    #expect(await Self.list(connection.recordings()).failure?.canPass == true)
    robot.isReachable = true
    _ = await Self.list(connection.recordings())
    robot.failAll(with: .otherKey)
    let strange = await Self.list(connection.recordings())
    guard case .trust? = strange.failure else {
      Issue.record("\(String(describing: strange.failure))")
      return
    }
    #expect(strange.names.isEmpty)
  }

  @Test func `a list that breaks off goes on with what was listed before`() async throws {
    let connection = robot.connection(cache: try cache())
    let all = await Self.list(connection.recordings()).names
    robot.pageLength = 3
    robot.fail(.documents, with: .delayed(.zero), .unreachable)
    let broken = await Self.list(connection.recordings())
    #expect(broken.names == all && broken.areOld == [false, true] && broken.reason != nil && broken.failure == nil)
  }

  @Test func `what the robot has no more is forgotten with the list that shows it, and nothing else is`() async throws {
    let cache = try cache()
    let connection = robot.connection(cache: cache)
    _ = await Self.list(connection.recordings())
    let rear = robot.names.filter { $0.hasPrefix("rear") }
    robot.remove(rear[0])
    robot.remove("front/2026-11-20T10-15-30")
    _ = await Self.list(connection.recordings(camera: "rear"))
    robot.isReachable = false
    let offline = await Self.list(connection.recordings())
    #expect(!offline.names.contains(rear[0]) && offline.names.contains(rear[1]))
    #expect(offline.names.contains("front/2026-11-20T10-15-30") && offline.names.count == 6)
  }

  /// A recording that was growing when it was listed may have become ready. If a list does not contain it, and selects
  /// recordings by properties that change, that does not mean that it is gone, only that it no longer grows.
  @Test(arguments: [ListQuery(state: .recording), ListQuery(lasting: DecimalSeconds("5")), ListQuery(camera: "front")])
  func `what was growing is forgotten by those lists alone that would have it whatever became of it`(query: ListQuery) {
    var list = ListedRecordings(robot: "r")
    let growing = RobotRecording(name: "front/1", startedAt: Self.start, duration: 8, state: .recording)
    let whole = RobotRecording(name: "front/2", startedAt: Self.start, duration: 8, state: .ready)
    list.take(
      ListedRecordings.Page(query: ListQuery(), end: nil, recordings: [growing, whole], isLast: true, robot: nil),
      at: Self.start)
    list.take(
      ListedRecordings.Page(query: query, end: nil, recordings: [], isLast: true, robot: nil), at: Self.start)
    let isMeant = query.includes(whole.facts)
    #expect(
      list.recordings.map(\.name).sorted()
        == (query.camera == nil ? ["front/1"] : []) + (isMeant ? [] : ["front/2"]))
    #expect(!list.recordings.contains { $0.state == .recording })
    #expect(list.rest(ListQuery(state: .recording), after: nil).isEmpty)
    // The whole list shows the state of each recording.
    list.take(
      ListedRecordings.Page(query: ListQuery(), end: nil, recordings: [whole], isLast: true, robot: nil),
      at: Self.start)
    #expect(list.recordings.map(\.name) == ["front/2"])
  }

  @Test func `what lasts long enough is listed, by the robot and without it`() async throws {
    let connection = robot.connection(cache: try cache())
    _ = await Self.list(connection.recordings())
    for isReachable in [true, false] {
      robot.isReachable = isReachable
      #expect(await Self.list(connection.recordings(lasting: 8)).names == robot.names)
      #expect(await Self.list(connection.recordings(lasting: 8.001)).names.isEmpty)
      for all in [0, -1, .nan, .leastNonzeroMagnitude, 5e-10] as [Double] {
        #expect(await Self.list(connection.recordings(lasting: all)).names == robot.names, "\(all)")
      }
      #expect(await Self.list(connection.recordings(lasting: .infinity)).names.isEmpty)
    }
  }

  @Test func `a list that makes no sense is none, and one of another version is left alone until it is written`()
    async throws
  {
    let first = try cache()
    _ = await Self.list(robot.connection(cache: first).recordings())
    await first.close()
    let lists = folder.path("cache/lists")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: lists).first)
    let file = URL(fileURLWithPath: "\(lists)/\(name)")
    let whole = try Data(contentsOf: file)
    robot.isReachable = false
    for bad in [Data(), whole.dropLast(5), Data("footage-list 9\n".utf8) + whole.dropFirst(15), Data(count: 9 << 20)] {
      try bad.write(to: file)
      let cache = try cache()
      #expect(await cache.knownRobots().isEmpty)
      #expect(await Self.list(robot.connection(cache: cache).recordings()).failure != nil)
      await cache.close()
      #expect(try Data(contentsOf: file) == bad)
    }
    let broken = String(decoding: whole, as: UTF8.self).replacing("\"name\":", with: "\"nom\":", maxReplacements: 2)
    try Data(broken.utf8).write(to: file)
    let cache = try cache()
    #expect(await Self.list(robot.connection(cache: cache).recordings()).names.count == 5)
  }

  @Test func `a cache tells what is complete, and what goes`() async throws {
    let cache = try cache()
    let connection = robot.connection(cache: cache)
    let playback = try await connection.playback(of: robot.names[0])
    var events = cache.events().makeAsyncIterator()
    try await playback.download()
    #expect(await events.next() == .completed(playback.key, playback.version))
    try await cache.remove(playback.key)
    #expect(await events.next() == .removed(playback.key, playback.version))
  }

  @Test func `what is remembered is bounded`() {
    var list = ListedRecordings(robot: "r")
    let many = (0..<(ListedRecordings.limit + 100)).map {
      RobotRecording(name: "c/\($0)", startedAt: UnixTime(seconds: Int64($0)))
    }
    list.take(
      ListedRecordings.Page(query: ListQuery(), end: nil, recordings: many.reversed(), isLast: true, robot: nil),
      at: Self.start)
    #expect(list.recordings.count == ListedRecordings.limit && list.recordings.first?.name == many.last?.name)
    let text = list.text
    #expect(text.count <= ListedRecordings.longestText)
    #expect(ListedRecordings(text)?.recordings.map(\.name) == list.recordings.map(\.name))
  }

  @Test func `lists, usage and quota are one call each`() async throws {
    let cache = try cache()
    let connection = robot.connection(cache: cache)
    let names = Array(robot.names.prefix(3))
    let seen = EventLog<DownloadProgress>()
    for name in names { try await connection.playback(of: name).download { seen.append($0) } }
    _ = await Self.list(connection.recordings())
    let length = UInt64(SampleMovie.bytes.count)
    #expect(seen.all.last?.received == length && seen.all.last?.total == length)
    try await eventually("all to be put away") { () async -> Bool in await cache.isAtRest }
    #expect(await cache.recordingsOnThisDevice().map(\.key.name) == names)
    let key = try #require(await cache.recordingsOnThisDevice().last).key
    try await cache.keep(key)
    var usage = await cache.usage
    #expect(usage.count == 3 && usage.completeCount == 3 && usage.quota == .megabytes(1))
    #expect(usage.usedBytes >= 3 * length && usage.keptBytes >= length && usage.keptBytes < 2 * length)
    try await cache.setQuota(.bytes(2 * length))
    usage = await cache.usage
    #expect(usage.count == 2 && usage.usedBytes <= 2 * length)
    try await cache.setQuota(.bytes(0))
    #expect(await cache.entries().map(\.key) == [key])
    #expect(await cache.quota == .bytes(0))
  }
}
