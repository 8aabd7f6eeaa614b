import Synchronization
import FootageSystem
import Testing

@Suite struct WorkQueueTests {
  private actor Counter {
    let queue: WorkQueue
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    var count = 0

    init() throws { queue = try WorkQueue(name: "counter") }

    func add() -> UInt {
      count += 1
      return Thread.current
    }
  }

  @Test func `an actor on a work queue runs on one thread of its own`() async throws {
    let counter = try Counter()
    let threads = await withTaskGroup { group in
      for _ in 0..<200 { group.addTask { await counter.add() } }
      return await group.reduce(into: Set<UInt>()) { $0.insert($1) }
    }
    #expect(threads.count == 1 && !threads.contains(Thread.current))
    #expect(await counter.count == 200)
  }
}
