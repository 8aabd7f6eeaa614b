import Synchronization
import Testing

@testable import FootageSystem

@Suite struct BlockingPoolTests {
  private final class Held: Sendable {
    let onEnd: @Sendable () -> Void
    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
    deinit { onEnd() }
  }

  @Test func `what is done is let go although the queue never becomes empty`() async throws {
    let pool = try BlockingPool(threadCount: 1)
    defer { pool.stop() }
    let ended = Atomic(0)
    let gate = Semaphore()
    try await withThrowingTaskGroup(of: Void.self) { group in
      // One job runs and occupies the thread, and the next one waits, so the queue is never empty.
      for _ in 0..<100 {
        let held = Held { ended.add(1, ordering: .sequentiallyConsistent) }
        group.addTask {
          await pool.run {
            gate.wait()
            _ = held.onEnd
          }
        }
      }
      for _ in 0..<98 { gate.signal() }
      let deadline = ContinuousClock.now + .seconds(60)
      // The requesting tasks hold their own references while they live. If the queue held any, 98 would remain.
      while ended.load(ordering: .sequentiallyConsistent) < 97, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(2))
      }
      let count = ended.load(ordering: .sequentiallyConsistent)
      #expect(count >= 97)
      for _ in 0..<2 { gate.signal() }
      try await group.waitForAll()
    }
  }

  @Test func `a reference that is handed over is dropped on a thread of the pool`() throws {
    let pool = try BlockingPool(threadCount: 1)
    let caller = Thread.current
    let other = Mutex<Bool?>(nil)
    unsafe pool.release(
      Unmanaged.passRetained(Held { other.withLock { $0 = caller != Thread.current } }))
    pool.stop()
    #expect(other.withLock { $0 } == true)
  }

  @Test func `after the end of the pool it is dropped at once`() throws {
    let pool = try BlockingPool(threadCount: 1)
    pool.stop()
    let isOver = Atomic(false)
    unsafe pool.release(Unmanaged.passRetained(Held { isOver.store(true, ordering: .relaxed) }))
    let isDropped = isOver.load(ordering: .relaxed)
    #expect(isDropped)
  }

  @Test func `after the end of the pool whoever asks does the work`() async throws {
    let pool = try BlockingPool(threadCount: 2)
    #expect(await pool.run { 1 } == 1)
    pool.stop()
    #expect(await pool.run { 2 } == 2)
  }
}
