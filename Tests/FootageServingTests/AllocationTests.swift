/// The number of a loop's allocations: few for a request, and no more for a long answer than for a short one.
import AllocationCount
import FootageServing
import LinuxTestSupport
import Testing

/// The tests run one at a time, since there is only one count.
@Suite(.serialized, .enabled(if: allocation_count_works())) struct AllocationTests {
  /// The parsed head, and the fields of it that are kept.
  private static let allocationsPerRequest = 2

  /// Returns the fewest allocations that one of several equal requests caused on the server's loop. Bytes that the
  /// socket does not accept at once are set aside, and the server cannot influence how often that happens.
  private func fewestAllocations(
    on server: TestServer, _ client: RawConnection, _ fields: String...
  ) async throws -> Int {
    var fewest = Int.max
    for _ in 0..<30 {
      await count(on: server, true)
      let before = allocation_count()
      let response = try client.get("/kept", fields.joined(separator: "\r\n"))
      // The loop runs its jobs in turn, so that nothing of the request is left.
      await count(on: server, false)
      #expect(response.status == 206)
      fewest = min(fewest, Int(allocation_count() - before))
    }
    return fewest
  }

  private func count(on server: TestServer, _ isCounted: Bool) async {
    await server.server.workers[0].update { _ in allocation_count_this_thread(isCounted) }
  }

  @Test(arguments: Transport.allCases)
  func `a probe takes memory twice, and a recording of many turns no more often`(transport: Transport) async throws {
    let server = try TestServer(transport, logs: false)
    let client = try server.connect()
    // One-time allocations are done after this.
    _ = try client.get("/kept")
    let probe = try await fewestAllocations(on: server, client, "Range: bytes=0-1")
    #expect(probe == Self.allocationsPerRequest)
    #expect(TestHandler.big.count > 10 * BufferSize.turn)
    let whole = try await fewestAllocations(on: server, client, "Range: bytes=0-")
    #expect(whole == Self.allocationsPerRequest)
  }
}
