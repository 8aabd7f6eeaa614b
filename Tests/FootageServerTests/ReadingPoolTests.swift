import FootageHTTP
import FootageServing
import FootageSystem
import LinuxTestSupport
import Synchronization
import Testing

@testable import FootageServer

/// Reads in turns that rotate among the viewers, and closes alongside them.
@Suite struct ReadingPoolTests {
  private final class Held: Sendable {
    let onEnd: @Sendable () -> Void
    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
    deinit { onEnd() }
  }

  @Test func `what is closed waits for no viewer's turn, and its place is free behind it`() async throws {
    let pool = try ReadingPool(threadCount: 1, name: "disk")
    defer { pool.stop() }
    let (gate, places) = (Semaphore(), ViewerPlaces())
    // Two viewers occupy the thread completely for as long as this takes.
    for viewer in ["a", "b"] {
      for _ in 0..<100 { Task { await pool.run(for: .certificate(viewer)) { gate.wait() } } }
    }
    let closed = Atomic<Int>(0)
    for _ in 0..<50 {
      let place = places.place(for: .thisMachine)
      unsafe pool.release(
        Unmanaged.passRetained(Held { closed.add(1, ordering: .sequentiallyConsistent) }), then: place)
    }
    try await eventually("all to be closed") { () async -> Bool in closed.load(ordering: .sequentiallyConsistent) == 50
    }
    try await eventually("all places to be free") { () async -> Bool in places.count == 0 }
    #expect(await pool.run(for: nil) { 1 } == 1)
    for _ in 0..<200 { gate.signal() }
  }

  @Test func `a viewer who waits for a store holds nobody else up, whatever it asks for`() async throws {
    let store = StoreTurns(count: 2)
    let begun = EventLog<String>()
    let gate = Mutex<[CheckedContinuation<Void, Never>]>([])
    /// A fetch that takes until the test lets it end.
    let fetch = { @Sendable (viewer: String) async -> Void in
      await store.run(for: .certificate(viewer)) { () async -> Void in
        begun.append(viewer)
        await withCheckedContinuation { waiting in gate.withLock { $0.append(waiting) } }
      }
    }
    var all: [Task<Void, Never>] = []
    for _ in 0..<64 { all.append(Task { await fetch("greedy") }) }
    try await eventually("the others to wait") { () async -> Bool in store.waitingCount == 62 }
    for viewer in ["a", "b", "a"] {
      let count = store.waitingCount
      all.append(Task { await fetch(viewer) })
      try await eventually("it to wait") { () async -> Bool in store.waitingCount == count + 1 }
    }
    for number in 0..<67 {
      let one = try await eventually("one to be under way") { () async -> CheckedContinuation<Void, Never>? in
        gate.withLock { $0.popLast() }
      }
      one.resume()
      try await eventually("the next one") { () async -> Bool in begun.all.count >= min(67, number + 3) }
    }
    for task in all { await task.value }
    // The two that were under way, and then each viewer in turn.
    #expect(Array(begun.all.prefix(9)) == ["greedy", "greedy", "greedy", "a", "b", "greedy", "a", "greedy", "greedy"])
    #expect(store.waitingCount == 0)
  }
}
