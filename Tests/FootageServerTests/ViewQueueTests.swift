import FootageAPI
import FootageBase
import FootageHTTP
import FootageLibrary
import FootageSystem
import Testing

@testable import FootageServer

@MainActor
@Suite struct ViewQueueTests {
  @Test func `a viewer has sixteen unfinished views, and all have as many as there may be`() throws {
    let queue = try ViewQueue(limit: 64)
    var places = (0..<17).compactMap { _ in queue.place(for: .thisMachine) }
    #expect(places.count == 16)
    for viewer in ["a", "b", "c"] { places += (0..<17).compactMap { _ in queue.place(for: .certificate(viewer)) } }
    // A quarter is for viewers without a view; the last one got one of those places.
    #expect(places.count == 49 && queue.place(for: .certificate("c")) == nil)
    places += (0..<16).compactMap { queue.place(for: .certificate("new \($0)")) }
    #expect(places.count == 64 && queue.unfinishedCount == 64)
    places.removeFirst()
    #expect(queue.unfinishedCount == 63 && queue.place(for: .thisMachine) == nil)
    #expect(queue.place(for: .certificate("newest")) != nil)
    places = []
    #expect(queue.unfinishedCount == 0)
    queue.stop()
  }

  @Test func `where there are few places, one viewer has a quarter of them, and one at least`() throws {
    for (limit, most) in [(1, 1), (2, 1), (3, 1), (8, 2), (40, 10)] {
      let queue = try ViewQueue(limit: limit)
      var places = (0..<limit).compactMap { _ in queue.place(for: .thisMachine) }
      #expect(places.count == most, "\(limit)")
      places += (0..<limit).compactMap { queue.place(for: .certificate("\($0)")) }
      #expect(places.count == limit && queue.place(for: .certificate("more")) == nil)
      queue.stop()
    }
  }

  /// Takes a turn, and records its number.
  private func take(
    _ name: Int, _ turns: ViewTurns, _ order: Order, for viewer: Viewer = .thisMachine, _ target: [UInt8] = [],
    over connection: HeldRequest
  ) -> Task<Bool, Never> {
    Task {
      guard await turns.take(for: viewer, target, over: connection) else { return false }
      order.names.append(name)
      return true
    }
  }

  private final class Order { var names: [Int] = [] }

  @Test func `turns come in order, and none to a client that has gone`() async {
    let turns = ViewTurns()
    let order = Order()
    let connections = (0..<5).map { _ in HeldRequest() }
    #expect(await take(0, turns, order, over: connections[0]).value)
    var waiting: [Task<Bool, Never>] = []
    for number in 1..<5 {
      waiting.append(take(number, turns, order, over: connections[number]))
      await connections[number].waitUntilHeld()
    }
    #expect(connections[0].holdCount == 0)
    // The second request leaves while it waits.
    connections[2].expire()
    #expect(await !waiting[1].value)
    // That does not free a turn: it had none, and the first request still has it.
    for _ in 0..<20 { await Task.yield() }
    #expect(order.names == [0])
    #expect(connections.map(\.isHeld) == [false, true, false, true, true])
    for number in [1, 3, 4] {
      turns.leave()
      #expect(await waiting[number - 1].value)
    }
    #expect(order.names == [0, 1, 3, 4])
    turns.leave()
    #expect(await take(5, turns, order, over: HeldRequest()).value, "it is free again")
  }

  @Test func `turns go round the viewers`() async {
    let turns = ViewTurns()
    let order = Order()
    #expect(await take(0, turns, order, over: HeldRequest()).value)
    var waiting: [Task<Bool, Never>] = []
    for (number, viewer) in ["a", "a", "a", "b", "b", "c"].enumerated() {
      let connection = HeldRequest()
      waiting.append(take(number + 1, turns, order, for: .certificate(viewer), over: connection))
      await connection.waitUntilHeld()
    }
    for number in [1, 4, 6, 2, 5, 3] {
      turns.leave()
      #expect(await waiting[number - 1].value)
    }
    #expect(order.names == [0, 1, 4, 6, 2, 5, 3])
  }

  @Test func `what is made is there for equal requests that wait meanwhile, and for no others`() async throws {
    let scene = try RobotScene()
    let recording = try #require(scene.library.snapshot.recording(named: RobotScene.good))
    let view = ViewTurns.View(recording: recording, representation: try scene.library.open(recording))
    let origin = try #require(ViewTurns.Origin(recording))
    let range = recording.startedAt..<recording.startedAt.advanced(byMilliseconds: 1)
    let other = ViewTurns.Origin(range, of: .all, generation: 1)
    let (turns, order) = (ViewTurns(), Order())
    let (wanted, different): ([UInt8], [UInt8]) = ([1], [2])
    #expect(await take(0, turns, order, wanted, over: HeldRequest()).value)
    turns.keep(view, at: wanted, of: origin)
    #expect(turns.view(at: wanted, of: origin) == nil, "nobody waits for it")
    var waiting: [Task<Bool, Never>] = []
    for (number, target) in [wanted, wanted, different].enumerated() {
      let connection = HeldRequest()
      waiting.append(take(number + 1, turns, order, target, over: connection))
      await connection.waitUntilHeld()
    }
    turns.keep(view, at: wanted, of: origin)
    turns.keep(view, at: [3], of: origin)
    for (number, isThere) in [true, true, false].enumerated() {
      turns.leave()
      #expect(await waiting[number].value)
      #expect((turns.view(at: wanted, of: origin) != nil) == isThere)
      #expect(turns.view(at: wanted, of: other) == nil && turns.view(at: wanted, of: nil) == nil)
      #expect(turns.view(at: different, of: origin) == nil && turns.view(at: [3], of: origin) == nil)
    }
    turns.leave()
  }

  @Test func `a look-up that waits for the disk holds no turn`() async throws {
    let scene = try RobotScene()
    let gate = Semaphore()
    let reading = Task { [pool = scene.pool] in await pool.run(for: .certificate("alice")) { gate.wait() } }
    let missing = Task {
      try await scene.ask("/recordings/none.mp4?keyframe=1", over: HeldRequest(client: "alice")).status
    }
    for _ in 0..<100 { await Task.yield() }
    let shown = try await scene.ask("/recordings/\(RobotScene.good).mp4?keyframe=1", over: HeldRequest(client: "bob"))
    #expect(shown.status == 200)
    gate.signal()
    await reading.value
    #expect(try await missing.value == 404)
  }
}
