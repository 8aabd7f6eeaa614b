import Synchronization
import TestSupport
import Testing

@testable import FootageSystem

@Suite struct FairPoolTests {
  private func pool(_ threadCount: Int = 1) throws -> FairPool<String> {
    try FairPool(threadCount: threadCount, name: "fair")
  }

  @Test func `one who asks for much delays another one by a job`() throws {
    let pool = try pool()
    let (gate, isBusy) = (Semaphore(), Semaphore())
    let order = Mutex<[String]>([])
    pool.add(for: "alice") {
      isBusy.signal()
      gate.wait()
    }
    isBusy.wait()
    for number in 0..<64 { pool.add(for: "alice") { order.withLock { $0.append("alice \(number)") } } }
    pool.add(for: "bob") { order.withLock { $0.append("bob") } }
    pool.add(for: "carol") { order.withLock { $0.append("carol") } }
    gate.signal()
    pool.stop()
    let done = order.withLock { $0 }
    #expect(Array(done.prefix(4)) == ["alice 0", "bob", "carol", "alice 1"] && done.count == 66)
  }

  @Test func `what is asked for comes back, also after the end`() async throws {
    let pool = try pool(2)
    #expect(await pool.run(for: "alice") { 1 } == 1)
    pool.stop()
    #expect(await pool.run(for: "bob") { 2 } == 2)
    pool.stop()
  }

  /// Repeats the end often enough to cover the orders in which threads can be woken. Each job is done once, and each
  /// thread ends, whichever thread is woken for a job.
  @Test func `at the end everything that was taken is done, and every thread ends`() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<400 {
      let threads = Int.random(in: 1...4, using: &generator)
      let pool = try pool(threads)
      let done = Mutex<[Int: Int]>([:])
      let count = Int.random(in: 0..<24, using: &generator)
      let inner = Int.random(in: 0..<3, using: &generator)
      for number in 0..<count {
        pool.add(for: "\(number % 3)") {
          done.withLock { $0[number, default: 0] += 1 }
          // A job that adds another one while the pool ends.
          if number < inner { pool.add(for: "more") { done.withLock { $0[100 + number, default: 0] += 1 } } }
        }
      }
      let other = try Thread.start("adds") {
        for number in 0..<4 { pool.add(for: "other") { done.withLock { $0[200 + number, default: 0] += 1 } } }
      }
      pool.stop()
      other.join()
      let all = done.withLock { $0 }
      #expect(all.values.allSatisfy { $0 == 1 } && all.count == count + min(inner, count) + 4)
    }
  }
}
