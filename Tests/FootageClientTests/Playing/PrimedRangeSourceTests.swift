import FootageClient
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageCore

/// First bytes that are on their way before a reader asks for them.
@Suite(.timeLimit(.minutes(1))) struct PrimedRangeSourceTests {
  private let content = testBytes(100)

  /// Returns a source whose first 50 bytes were already requested.
  ///
  /// - Parameter end: the stream whose end marks the end of the wait.
  private func primed(_ source: TestSource, until end: AsyncStream<Void>) async throws -> PrimedRangeSource {
    let clock = MovableClock { duration in
      #expect(duration == .seconds(10))
      for await _ in end {}
    }.clock
    let stream = try await source.open(0..<50, of: testKey, testVersion(content))
    return PrimedRangeSource(source, stream, 0..<50, for: .seconds(10), clock: clock)
  }

  @Test func `they wait as long as the clock says, and then let their connection go`() async throws {
    let source = TestSource(content)
    let (end, clock) = AsyncStream.makeStream(of: Void.self)
    let primed = try await primed(source, until: end)
    #expect(!source.requests[0].isOver)
    clock.finish()
    while !source.requests[0].isOver { await Task.yield() }
    _ = try await primed.open(0..<100, of: testKey, testVersion(content))
    #expect(source.requestedRanges == [0..<50, 0..<100])
  }

  @Test func `a reader that comes in time has them, and asks for the rest alone`() async throws {
    let source = TestSource(content)
    let (end, clock) = AsyncStream.makeStream(of: Void.self)
    let primed = try await primed(source, until: end)
    let stream = try await primed.open(0..<100, of: testKey, testVersion(content))
    clock.finish()
    var bytes: [UInt8] = []
    while let next = try await stream.next() { bytes += next }
    #expect(bytes == content && source.requestedRanges == [0..<50, 50..<100])
  }
}
