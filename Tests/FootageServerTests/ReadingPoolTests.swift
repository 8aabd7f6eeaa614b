import HTTPTransport
import FootageSystem
import LinuxTestSupport
import Synchronization
import Testing

@testable import FootageServer

/// Reading in turns that go round the viewers, and closing beside it.
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
    // Two viewers who want all that the thread has to give, for as long as this takes.
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
}
