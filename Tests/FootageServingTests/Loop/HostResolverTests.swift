/// The resolution of names to addresses.
import FootageServing
import FootageSystem
import Testing

@Suite struct HostResolverTests {
  @Test(
    arguments: [
      ("127.0.0.1", "127.0.0.1:8443"), ("::1", "[::1]:8443"), ("10.0.0.7", "10.0.0.7:8443"),
      ("2001:db8::2", "[2001:db8::2]:8443"),
    ])
  func `an address is taken as it is`(host: String, shown: String) {
    #expect(SocketAddress(literal: host, port: 8443)?.description == shown)
  }

  @Test func `an address of one interface keeps it, by name or by number`() throws {
    let byName = try #require(SocketAddress(literal: "fe80::1%lo", port: 8443))
    #expect(byName.zone > 0 && byName.description == "[fe80::1%lo]:8443" && byName.host == "fe80::1")
    #expect(SocketAddress(literal: "fe80::1%\(byName.zone)", port: 8443) == byName)
    #expect(SocketAddress(literal: "fe80::1", port: 8443) != byName)
    #expect(try SocketAddress.lookUp("fe80::1%lo", port: 8443) == [byName])
    #expect(SocketAddress(literal: "127.0.0.1%lo", port: 1) == nil)
  }

  @Test func `an interface that is not there is told`() {
    let error = #expect(throws: HostLookUpError.self) { try SocketAddress.lookUp("fe80::1%none9", port: 1) }
    #expect(
      error?.reason == "this machine has no interface 'none9'", "\(String(describing: error))")
  }

  @Test(arguments: [
    "localhost", "robot.local", "", "127.0.0", "[::1]", "1.2.3.4.5", "127.0.0.1 ", "fe80::1%none9", "::1%",
  ])
  func `what is no address is not taken for one`(host: String) {
    #expect(SocketAddress(literal: host, port: 1) == nil)
  }

  @Test func `a name is looked up, with each address once`() throws {
    let addresses = try SocketAddress.lookUp("localhost", port: 7)
    #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 7 })
    #expect(Set(addresses).count == addresses.count && !addresses.isEmpty)
  }

  @Test func `a look-up that does not come back is left behind when the task is cancelled`() async throws {
    let loop = try EventLoop()
    try loop.start()
    let asked = AsyncStream.makeStream(of: Void.self)
    let stuck = HostResolver { _, _ in
      asked.continuation.yield()
      // Cancellation does not reach a lookup, so this one ignores it, too.
      await Task.detached { try? await Task.sleep(for: .seconds(3600)) }.value
      return .success([])
    }
    let task = Task(executorPreference: loop) {
      await stuck.addresses(of: "robot.invalid", port: 1, until: loop.clock.deadline(after: .seconds(1000)), on: loop)
    }
    for await _ in asked.stream { break }
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test func `a look-up that does not come back ends at the deadline`() async throws {
    let loop = try EventLoop()
    try loop.start()
    let stuck = HostResolver { _, _ in
      await Task.detached { try? await Task.sleep(for: .seconds(3600)) }.value
      return .success([])
    }
    let task = Task(executorPreference: loop) {
      await stuck.addresses(of: "robot.invalid", port: 1, until: loop.clock.now, on: loop)
    }
    #expect(await task.value == nil)
  }
}
