/// Recordings to be downloaded to this device: their order, their reasons to wait, and their state across processes.
import FootageClientTesting
@testable import FootageCore
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DownloadQueueTests {
  private let folder: TemporaryFolder
  private let robot: InMemoryRobot
  private static let start = UnixTime(seconds: 1_795_169_730)

  init() throws {
    folder = try TemporaryFolder()
    robot = InMemoryRobot(SampleRecording.row(ofCamera: "front", count: 4, from: Self.start))
  }

  private func cache(clock: TestClock? = nil) throws -> MediaCache {
    try TestDisk(at: folder.path("cache")).cache(clock: clock)
  }

  /// A network that a test changes.
  private final class TestNetwork: NetworkConditions {
    private let source: Mutex<(NetworkCondition?, [AsyncStream<NetworkCondition>.Continuation])>

    init(known condition: NetworkCondition? = .init()) { source = Mutex((condition, [])) }

    func conditions() -> AsyncStream<NetworkCondition> {
      AsyncStream { continuation in
        source.withLock { source in
          source.1.append(continuation)
          if let condition = source.0 { continuation.yield(condition) }
        }
      }
    }

    func become(_ condition: NetworkCondition) {
      source.withLock { source in
        source.0 = condition
        for continuation in source.1 { continuation.yield(condition) }
      }
    }
  }

  private static func wait(
    for queue: DownloadQueue, _ what: String, _ condition: @escaping @Sendable ([DownloadQueue.Item]) -> Bool
  ) async throws {
    for await items in queue.updates() where condition(items) { return }
    Issue.record("the queue ended before \(what)")
  }

  private static func states(_ items: [DownloadQueue.Item]) -> [DownloadQueue.State] { items.map(\.state) }

  @Test func `what is added is fetched in order, kept, and there without the robot`() async throws {
    let cache = try cache()
    let queue = await DownloadQueue(in: cache)
    let connection = robot.connection(cache: cache)
    let names = robot.names
    var listed: [RobotRecording] = []
    for name in names { listed.append(try await connection.recording(name)) }
    #expect(await queue.add(contentsOf: listed, of: connection).map(\.name) == names)
    #expect(await queue.add(names[0], of: connection).name == names[0])
    try await Self.wait(for: queue, "all") { $0.allSatisfy { $0.state == .finished } }
    let items = await queue.items
    #expect(items.map(\.key.name) == names)
    #expect(items.allSatisfy { $0.progress?.received == UInt64(SampleMovie.bytes.count) })
    #expect(await cache.entries().allSatisfy { $0.isKept && $0.isComplete && $0.recording?.duration == 8 })
    let asked = robot.requests.map(\.target).filter { $0.contains(".mp4") }.map { $0.prefix { $0 != "?" } }
    #expect(asked.first?.hasSuffix("\(names[0]).mp4") == true && asked.last?.hasSuffix("\(names[3]).mp4") == true)
    await queue.removeFinished()
    #expect(await queue.items.isEmpty)
    #expect(await cache.recordingsOnThisDevice().count == 4)
  }

  @Test func `what was removed from the cache is fetched again when it is added again`() async throws {
    let cache = try cache()
    let queue = await DownloadQueue(in: cache)
    let connection = robot.connection(cache: cache)
    let names = Array(robot.names.prefix(2))
    var keys: [RecordingKey] = []
    for name in names { keys.append(await queue.add(name, of: connection)) }
    try await Self.wait(for: queue, "both") { $0.allSatisfy { $0.state == .finished } }
    try await eventually("it is put away") { await cache.isAtRest }
    try await cache.remove(keys[0])
    robot.isReachable = false
    for name in names { await queue.add(name, of: connection) }
    let items = await queue.items
    #expect(items.map(\.key) == [keys[1], keys[0]])
    #expect(items.map { $0.state == .finished } == [true, false])
    robot.isReachable = true
    await queue.connect(robot.connection(cache: cache))
    try await Self.wait(for: queue, "it") { $0.allSatisfy { $0.state == .finished } }
    #expect(await cache.recordingsOnThisDevice().count == 2)
  }

  @Test func `what is removed from the cache is no finished item any more`() async throws {
    let cache = try cache()
    let connection = robot.connection(cache: cache)
    let names = Array(robot.names.prefix(3))
    var keys: [RecordingKey] = []
    do {
      let queue = await DownloadQueue(in: cache)
      for name in names { keys.append(await queue.add(name, of: connection)) }
      try await Self.wait(for: queue, "all") { $0.allSatisfy { $0.state == .finished } }
      try await eventually("they are put away") { await cache.isAtRest }
      try await cache.remove(keys[0])
      try await Self.wait(for: queue, "the first to go") { $0.map(\.key.name) == Array(names[1...]) }
    }
    // This happens while there is no queue.
    try await cache.remove(keys[1])
    #expect(await DownloadQueue(in: cache).items.map(\.key) == [keys[2]])
  }

  @Test func `the next process goes on with it, by the connection that it makes`() async throws {
    let names = robot.names
    do {
      let first = try cache()
      let queue = await DownloadQueue(in: first)
      await queue.pause()
      let connection = robot.connection(cache: first)
      let listed = try await connection.recording(names[0])
      await queue.add(listed, of: connection, allowsMeteredNetworks: true)
      for name in names.dropFirst() { await queue.add(name, of: connection) }
      await queue.pause(RecordingKey(robot: InMemoryRobot.pin?.description ?? "", name: names[1]))
      await queue.move(RecordingKey(robot: InMemoryRobot.pin?.description ?? "", name: names[3]), to: 0)
      await queue.setParallelism(100)
      #expect(await Set(Self.states(queue.items)) == [.waiting(.queue), .paused])
      await first.close()
    }
    let second = try cache()
    let queue = await DownloadQueue(in: second)
    #expect(await queue.isPaused)
    #expect(await queue.parallelism == DownloadQueue.parallelLimit)
    let items = await queue.items
    #expect(items.map(\.key.name) == [names[3], names[0], names[1], names[2]])
    #expect(items[1].recording?.duration == 8 && items.map(\.allowsMeteredNetworks) == [false, true, false, false])
    await queue.resume()
    #expect(await queue.items.first?.state == .waiting(.connection))
    await queue.connect(robot.connection(cache: second))
    try await Self.wait(for: queue, "three") { $0.count { $0.state == .finished } == 3 }
    #expect(await queue.items[2].state == .paused)
    await queue.resume(items[2].key)
    try await Self.wait(for: queue, "all") { $0.allSatisfy { $0.state == .finished } }
  }

  @Test func `on a metered network only what may be fetched there is`() async throws {
    let cache = try cache()
    let network = TestNetwork()
    network.become(NetworkCondition(isMetered: true))
    let queue = await DownloadQueue(in: cache, network: network)
    let connection = robot.connection(cache: cache)
    let names = robot.names
    await queue.pause()
    await queue.add(names[0], of: connection)
    await queue.add(names[1], of: connection, allowsMeteredNetworks: true)
    try await Self.wait(for: queue, "the network to be known") { _ in true }
    await queue.resume()
    try await Self.wait(for: queue, "the second") { $0[1].state == .finished }
    #expect(await queue.items[0].state == .waiting(.network))
    network.become(NetworkCondition(isAvailable: false))
    network.become(NetworkCondition())
    try await Self.wait(for: queue, "the first") { $0[0].state == .finished }
  }

  @Test func `a robot that is away is waited for, and what it does not have is a failure`() async throws {
    let clock = TestClock()
    let cache = try cache(clock: clock)
    let queue = await DownloadQueue(in: cache)
    let connection = robot.connection(cache: cache)
    let names = robot.names
    robot.isReachable = false
    await queue.add(names[0], of: connection)
    try await Self.wait(for: queue, "the robot to be missed") { items in
      if case .waiting(.robot(let error)) = items[0].state { error.canPass } else { false }
    }
    robot.isReachable = true
    let asking = Task { while !Task.isCancelled { clock.advance(by: .seconds(1)); await Task.yield() } }
    try await Self.wait(for: queue, "the first") { $0[0].state == .finished }
    robot.remove(names[1])
    let gone = await queue.add(names[1], of: connection)
    try await Self.wait(for: queue, "the second to fail") { items in
      if case .failed(.robot(.notFound)) = items[1].state { true } else { false }
    }
    asking.cancel()
    await queue.remove(gone)
    #expect(await queue.items.map(\.key.name) == [names[0]])
  }

  @Test func `an item that is paused stops, and goes on where it was`() async throws {
    let cache = try cache()
    let queue = await DownloadQueue(in: cache)
    let connection = robot.connection(cache: cache)
    robot.failAll(.media, with: .stalled(after: 3_000))
    let key = await queue.add(robot.names[0], of: connection)
    try await Self.wait(for: queue, "some bytes") { ($0[0].progress?.received ?? 0) >= 3_000 }
    await queue.pause(key)
    #expect(await queue.items[0].state == .paused)
    robot.failAll(.media, with: nil)
    await queue.resume(key)
    try await Self.wait(for: queue, "all of it") { $0[0].state == .finished }
    #expect(try await cache.playback(of: key).readAll() == SampleMovie.bytes)
  }

  @Test func `a list that makes no sense is put aside, and lines that are not known are left out`() async throws {
    let first = try cache()
    await first.close()
    let file = URL(fileURLWithPath: folder.path("cache/downloads"))
    try Data("footage-downloads 7\nend\n".utf8).write(to: file)
    let second = try cache()
    let queue = await DownloadQueue(in: second)
    #expect(await queue.items.isEmpty)
    #expect(await queue.folderProblem == nil)
    // The file stays unchanged as long as there is nothing to write.
    #expect(try text(of: file.path) == "footage-downloads 7\nend\n")
    await queue.pause()
    #expect(try text(of: file.path + ".unread") == "footage-downloads 7\nend\n")
    #expect(try text(of: file.path).hasPrefix("footage-downloads 1\npaused 1\n"))
    // A file that is longer than any list is treated the same.
    try Data(count: 17 << 20).write(to: file)
    await queue.resume()
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path + ".unread")).count == 17 << 20)
    #expect(try text(of: file.path).hasPrefix("footage-downloads 1\npaused 0\n"))
    await second.close()
    let key = RecordingKey(robot: "sha256/a b", name: "front/ü \n")
    var list = DownloadList()
    list.add(contentsOf: [.init(key: key, state: .failed(.earlier("no room"))), .init(key: key)])
    #expect(list.items.count == 1 && list.add(contentsOf: [.init(key: key)]).isEmpty)
    let lines = String(decoding: list.text(), as: UTF8.self).replacing("end\n", with: "later x\nitem odd\nend\n")
    let read = try #require(DownloadList(Array(lines.utf8)))
    #expect(read.items == list.items)
    #expect(DownloadList(Array(list.text().dropLast(1))) == nil && DownloadList([]) == nil)
  }

  // MARK: The file

  private var file: String { folder.path("cache/downloads") }

  @Test func `a list that cannot be read just now is not written over, and taken up once it can be`() async throws {
    let disk = TestDisk(at: folder.path("cache"))
    let names = robot.names
    do {
      let first = try disk.cache()
      let queue = await DownloadQueue(in: first)
      await queue.pause()
      await queue.add(names[0], of: robot.connection(cache: first))
      await first.close()
    }
    let before = try text(of: file)
    let cache = try disk.cache()
    disk.fault = .broken
    let queue = await DownloadQueue(in: cache)
    guard case .folder? = await queue.folderProblem else { return #expect(Bool(false)) }
    await queue.add(names[1], of: robot.connection(cache: cache))
    #expect(try text(of: file) == before)
    disk.fault = nil
    await queue.add(names[2], of: robot.connection(cache: cache))
    #expect(await queue.items.map(\.key.name) == Array(names.prefix(3)))
    #expect(await queue.isPaused)
    #expect(await queue.folderProblem == nil)
    let written = try #require(DownloadList(Array(try text(of: file).utf8)))
    #expect(written.items.map(\.key.name) == Array(names.prefix(3)) && written.isPaused)
  }

  @Test func `what another process has written meanwhile is not lost`() async throws {
    let names = robot.names
    let first = try cache()
    let queue = await DownloadQueue(in: first)
    await queue.pause()
    await queue.add(names[0], of: robot.connection(cache: first))
    // Another process cannot write while this one owns the folder.
    let second = try cache()
    let other = await DownloadQueue(in: second)
    await other.add(names[3], of: robot.connection(cache: second))
    guard case .owned? = await other.folderProblem else { return #expect(Bool(false)) }
    await queue.add(names[1], of: robot.connection(cache: first))
    await queue.remove(RecordingKey(robot: InMemoryRobot.pin?.description ?? "", name: names[0]))
    await first.close()
    _ = await second.entries()
    await other.add(names[2], of: robot.connection(cache: second))
    #expect(await other.folderProblem == nil)
    let written = try #require(DownloadList(Array(try text(of: file).utf8)))
    #expect(written.items.map(\.key.name) == [names[1], names[3], names[2]])
    #expect(written.isPaused)
  }

  @Test func `what is added at once is written at once`() async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/cache", quota: 1 << 30, files: disk)
    let queue = await DownloadQueue(in: cache)
    await queue.pause()
    let connection = robot.connection(cache: cache)
    let listed = Self.recordings(200)
    let writes = { disk.state.withLock { $0.calls.count { $0 == "rename /cache/downloads.draft" } } }
    let before = writes()
    await queue.add(contentsOf: listed, of: connection)
    #expect(await queue.items.count == 200)
    #expect(writes() == before + 1)
    // The same with many tasks: items that are added while the file is being written wait for the next write.
    await withTaskGroup(of: Void.self) { group in
      for recording in Self.recordings(100, from: 1_000) {
        group.addTask { await queue.add(recording, of: connection) }
      }
    }
    #expect(await queue.items.count == 300)
    #expect(writes() < before + 50)
  }

  private static func recordings(_ count: Int, from first: Int = 0) -> [RobotRecording] {
    (0..<count).map { RobotRecording(name: "front/\(first + $0)", startedAt: start) }
  }

  @Test func `a list has room for so many, and its file for so much`() throws {
    func item(_ number: Int, _ state: DownloadQueue.State = .paused) -> DownloadQueue.Item {
      .init(key: RecordingKey(robot: "r", name: "\(number)"), state: state)
    }
    var list = DownloadList()
    list.add(contentsOf: (0..<DownloadQueue.limit).map { item($0, $0 % 4 == 0 ? .finished : .paused) })
    #expect(list.add(contentsOf: [item(20_000), item(20_001)]).count == 2)
    #expect(list.items.count == DownloadQueue.limit)
    #expect(list.items.prefix(5).map(\.key.name) == ["1", "2", "3", "5", "6"])
    list.removeFinished()
    list.add(contentsOf: (30_000..<40_000).map { item($0) })
    #expect(list.items.count == DownloadQueue.limit)
    #expect(list.add(contentsOf: [item(50_000)]).isEmpty)
    // Names, reasons and items, each longer than most.
    let long = String(repeating: "ü", count: 30)
    var large = DownloadList()
    large.add(
      contentsOf: (100..<200).map { number in
        .init(
          key: RecordingKey(robot: "r", name: "\(long)\(number)"),
          recording: RobotRecording(name: "\(long)\(number)", startedAt: Self.start),
          state: .failed(.earlier(String(repeating: "x", count: 5_000))))
      })
    let whole = try #require(DownloadList(large.text()))
    #expect(whole.items.map(\.key) == large.items.map(\.key) && whole.items.allSatisfy { $0.recording != nil })
    for limit in [10_000, 50_000, 75_000, 100_000] {
      let text = large.text(limit: limit)
      let read = try #require(DownloadList(text))
      #expect(text.count <= limit && text.count > limit - 2_000)
      #expect(read.items.map(\.key) == Array(large.items.map(\.key).prefix(read.items.count)))
      // An item is left out only if no stored list entry occupies its room.
      #expect(read.items.count == 100 || read.items.allSatisfy { $0.recording == nil })
    }
  }

  // MARK: Robots and networks

  @Test func `a robot that may still be away stops nothing that comes`() throws {
    let keys = ["a", "b", "c"].map { RecordingKey(robot: "r", name: $0) }
    var list = DownloadList()
    list.add(contentsOf: keys.map { .init(key: $0) })
    list.connected = ["r"]
    #expect(list.plan(running: []) { _ in nil }.starting.isEmpty, "the network is not known yet")
    #expect(list.items.allSatisfy { $0.state == .waiting(.network) })
    list.network = NetworkCondition()
    let away = DownloadList.Absence(error: .unreachable("away"), isOver: false)
    let due = DownloadList.Absence(error: .unreachable("away"), isOver: true)
    #expect(list.plan(running: []) { $0 == keys[0] ? away : nil }.starting == [keys[1]])
    #expect(list.items[0].state == .waiting(.robot(.unreachable("away"))))
    // Its time has come, but the second item is being fetched.
    let plan = list.plan(running: [keys[1]]) { $0 == keys[0] ? due : nil }
    #expect(plan.starting.isEmpty && plan.stopping.isEmpty)
    #expect(list.items.map(\.state) == [.waiting(.robot(.unreachable("away"))), .downloading, .waiting(.turn)])
    // It has meanwhile waited for something else, with the same result.
    list.isPaused = true
    #expect(list.plan(running: [keys[1]]) { $0 == keys[0] ? due : nil }.stopping == [keys[1]])
    list.isPaused = false
    #expect(list.plan(running: [keys[1]]) { $0 == keys[0] ? due : nil }.stopping.isEmpty)
    // Now nothing is being fetched, so it goes before the item that waits behind it.
    list.remove(keys[1])
    #expect(list.plan(running: []) { $0 == keys[0] ? due : nil }.starting == [keys[0]])
    // An item that a person has moved to the front goes first all the same.
    list.move(keys[2], to: 0)
    let moved = list.plan(running: [keys[0]]) { _ in nil }
    #expect(moved.starting == [keys[2]] && moved.stopping == [keys[0]])
  }

  @Test func `nothing is fetched before it is known what the network is like`() async throws {
    let cache = try cache()
    let network = TestNetwork(known: nil)
    let queue = await DownloadQueue(in: cache, network: network)
    await queue.add(robot.names[0], of: robot.connection(cache: cache))
    #expect(await Self.states(queue.items) == [.waiting(.network)])
    network.become(NetworkCondition(isMetered: true))
    try await Self.wait(for: queue, "the network to be known") { _ in true }
    #expect(!robot.requests.contains { $0.target.contains(".mp4") })
    network.become(NetworkCondition())
    try await Self.wait(for: queue, "all") { $0[0].state == .finished }
  }

  @Test func `whoever waits for all of it goes on when it is here, when it is paused, and with its task`() async throws
  {
    let cache = try cache()
    let network = TestNetwork(known: NetworkCondition(isMetered: true))
    let queue = await DownloadQueue(in: cache, network: network)
    await queue.waitUntilAtRest()
    for name in robot.names { await queue.add(name, of: robot.connection(cache: cache)) }
    let impatient = Task { await queue.waitUntilAtRest() }
    impatient.cancel()
    await impatient.value
    #expect(await queue.items.allSatisfy { $0.state == .waiting(.network) })
    let waiting = Task { await queue.waitUntilAtRest() }
    await queue.pause()
    await waiting.value
    await queue.resume()
    let all = Task { await queue.waitUntilAtRest() }
    network.become(NetworkCondition())
    await all.value
    #expect(await queue.items.map(\.state) == [.finished, .finished, .finished, .finished])
  }

  @Test func `a connection that is taken back is not the one that came after it`() async throws {
    let cache = try cache()
    let queue = await DownloadQueue(in: cache)
    let (former, present) = (robot.connection(cache: cache), robot.connection(cache: cache))
    await queue.connect(former)
    await queue.connect(present)
    await queue.disconnect(former)
    await queue.add(robot.names[0], of: present)
    await queue.disconnect(former)
    try await Self.wait(for: queue, "all") { $0[0].state == .finished }
    await queue.disconnect(present)
    await queue.pause()
    await queue.resume()
    #expect(await Self.states(queue.items) == [.finished])
  }

  @Test func `what the robot replaces while it comes is fetched as it is by then`() async throws {
    let clock = TestClock()
    let robot = InMemoryRobot(SampleRecording.row(ofCamera: "front", count: 1, from: Self.start), clock: clock)
    let cache = try cache(clock: clock)
    let queue = await DownloadQueue(in: cache)
    let listed = RobotRecording(name: robot.names[0], startedAt: Self.start)
    // The recording is so long that it is not complete before it is replaced, however often the rest is requested.
    let long = [0, 0x40, 0, 0] + Array("free".utf8) + [UInt8](repeating: 0, count: 0x40_0000 - 8)
    robot.add(SampleRecording(listed, bytes: SampleMovie.bytes + long))
    robot.failAll(.media, with: .stalled(after: 3_000))
    let asking = Task { while !Task.isCancelled { clock.advance(by: .milliseconds(100)); await Task.yield() } }
    defer { asking.cancel() }
    await queue.add(robot.names[0], of: robot.connection(cache: cache))
    try await Self.wait(for: queue, "some bytes") { ($0[0].progress?.received ?? 0) >= 3_000 }
    robot.add(SampleRecording(listed, bytes: SampleMovie.bytes + [0, 0, 0, 8] + Array("free".utf8)))
    robot.failAll(.media, with: nil)
    try await Self.wait(for: queue, "all of it") { items in
      if case .failed = items[0].state { return true }
      return items[0].state == .finished
    }
    #expect(await Self.states(queue.items) == [.finished])
    #expect(await queue.items.first?.progress?.received == UInt64(SampleMovie.bytes.count + 8))
  }
}
