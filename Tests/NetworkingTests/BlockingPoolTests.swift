import Glibc
import Synchronization
import Testing

@testable import Networking

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
      // One runs and holds the thread, the next waits behind it: the queue has had something all the time.
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
      let deadline = ContinuousClock.now + .seconds(20)
      // The task that asked holds its own for as long as it lives; what the queue holds would be 98 for ever.
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
    let caller = pthread_self()
    let other = Mutex<Bool?>(nil)
    unsafe pool.release(
      Unmanaged.passRetained(Held { other.withLock { $0 = pthread_equal(caller, pthread_self()) == 0 } }))
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
}

@Suite struct FIFOQueueTests {
  @Test func `elements come out in the order in which they went in, however it grows and shrinks`() {
    var queue = FIFOQueue<Int>()
    var next = 0
    var expected = 0
    for (added, taken) in [(10, 4), (40, 30), (1, 17), (200, 199), (3, 4), (1000, 990), (0, 10)] {
      for _ in 0..<added {
        queue.append(next)
        next += 1
      }
      for _ in 0..<taken {
        #expect(queue.popFirst() == expected)
        expected += 1
      }
      #expect(queue.count == next - expected)
    }
    #expect(queue.isEmpty && queue.popFirst() == nil)
  }

  @Test func `room that is no longer needed is given back`() {
    var queue = FIFOQueue<Int>()
    for number in 0..<10_000 { queue.append(number) }
    for _ in 0..<9_990 { _ = queue.popFirst() }
    #expect(queue.capacity <= 64)
  }
}
