/// Recordings that are to be on this device: their order, what they wait for, and what survives a process.
import FootageClientTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FootageCore

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
    private let source = Mutex<(NetworkCondition, [AsyncStream<NetworkCondition>.Continuation])>((.init(), []))

    func conditions() -> AsyncStream<NetworkCondition> {
      AsyncStream { continuation in
        source.withLock { source in
          source.1.append(continuation)
          continuation.yield(source.0)
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
    for name in names { await queue.add(name, of: connection) }
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
    try await Self.wait(for: queue, "some bytes") { $0[0].progress?.received == 3_000 }
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
    #expect(await DownloadQueue(in: second).items.isEmpty)
    #expect(FileManager.default.fileExists(atPath: file.path + ".unread"))
    await second.close()
    let key = RecordingKey(robot: "sha256/a b", name: "front/ü \n")
    var list = DownloadList()
    #expect(list.add(.init(key: key, state: .failed(.earlier("no room")))) && !list.add(.init(key: key)))
    let lines = String(decoding: list.text, as: UTF8.self).replacing("end\n", with: "later x\nitem odd\nend\n")
    let read = try #require(DownloadList(Array(lines.utf8)))
    #expect(read.items == list.items)
    #expect(DownloadList(Array(list.text.dropLast(1))) == nil && DownloadList([]) == nil)
  }
}
