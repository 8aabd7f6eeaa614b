/// How often a loop asks for memory: seldom for a request, and for a long answer no more often than for a short one.
import AllocationCount
import FootageServing
import LinuxTestSupport
import Testing

/// One after the other, since there is one count.
@Suite(.serialized, .enabled(if: allocation_count_works())) struct AllocationTests {
  /// The head that is parsed, and the fields that are kept of it.
  private static let allocationsPerRequest = 2

  /// The fewest allocations on the server's loop that one of several equal requests caused: what the socket does not
  /// take at once is put aside, and how often that is the case is not the server's to decide.
  private func fewestAllocations(
    on server: TestServer, _ client: RawConnection, _ fields: String...
  ) async throws -> Int {
    var fewest = Int.max
    for _ in 0..<30 {
      await count(on: server, true)
      let before = allocation_count()
      let response = try client.get("/kept", fields.joined(separator: "\r\n"))
      // The loop runs what it has in turn, so that nothing of the request is left.
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
    // What is made once is there afterwards.
    _ = try client.get("/kept")
    let probe = try await fewestAllocations(on: server, client, "Range: bytes=0-1")
    #expect(probe == Self.allocationsPerRequest)
    #expect(TestHandler.big.count > 10 * BufferSize.turn)
    let whole = try await fewestAllocations(on: server, client, "Range: bytes=0-")
    #expect(whole == Self.allocationsPerRequest)
  }
}
