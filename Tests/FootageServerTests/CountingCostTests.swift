import FootageAPI
import AllocationCount
@testable import FootageHTTP
@testable import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageServer

/// The cost of metrics and audit for a range of a recording that is already being watched: no memory.
@Suite(.serialized, .enabled(if: allocation_count_works())) struct CountingCostTests {
  @Test func `a request that is like the one before is counted without taking memory`() throws {
    let writer = try LineWriter { _ in }
    defer { writer.close() }
    let tally = PlaybackTally(AuditTrail(Log(level: .debug, isUnderJournal: true, to: writer)))
    let counter = RequestCounter()
    let exchange = HTTPExchange(
      peer: SocketAddress(addressBytes: [192, 0, 2, 7], port: 1),
      identity: ClientIdentity(name: "alice", certificateDigest: Array(repeating: 7, count: 32)),
      request: try request("/recordings/front/2026-11-20T10-15-30.mp4", []), status: .partialContent, byteCount: 65_536,
      duration: nil, isCutOff: false, wasHeld: false)
    func countUp() {
      tally.ended(exchange)
      counter.ended(exchange)
    }
    // One-time allocations are done after this.
    countUp()
    var fewest = UInt64.max
    for _ in 0..<10 {
      allocation_count_this_thread(true)
      let before = allocation_count()
      countUp()
      let after = allocation_count()
      allocation_count_this_thread(false)
      fewest = min(fewest, after - before)
    }
    #expect(fewest == 0)
  }
}
