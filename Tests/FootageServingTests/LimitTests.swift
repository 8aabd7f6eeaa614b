import Foundation
import FootageServing
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing

@Suite(.offThePool) struct LimitTests {
  @Test func `in a full table the one that has waited longest makes room`() async throws {
    let server = try TestServer(loops: 2) { $0.connections = 2 }
    let first = try server.connect()
    #expect(try first.get("/file").status == 200)
    await server.turn()
    await server.pass(.seconds(1))
    let second = try server.connect()
    #expect(try second.get("/file").status == 200)
    await server.turn()
    await server.pass(.seconds(1))
    let third = try server.connect()
    #expect(try third.get("/file").status == 200)
    #expect(first.receiveToEnd().isEmpty && first.end == .proper)
    #expect(try second.get("/file").status == 200)
    guard case .gaveUp(_, .waiting) = try #require(server.events.all.first) else {
      Issue.record("another event: \(server.events.all)")
      return
    }
    #expect(server.server.connectionCount == 2)
  }

  @Test func `a handshake that goes nowhere makes room`() async throws {
    let server = try TestServer(.tls13, loops: 2) { $0.connections = 3 }
    let silent = try (0..<3).map { _ in try RawConnection(to: server.server.address.port) }
    server.eventually { server.server.connectionCount == 3 }
    await server.turn()
    await server.pass(.seconds(3))
    let viewer = try server.connect()
    #expect(try viewer.get("/file").status == 200)
    guard case .gaveUp(_, .handshaking) = try #require(server.events.all.first) else {
      Issue.record("another event: \(server.events.all)")
      return
    }
    _ = silent
  }

  @Test(arguments: Transport.allCases)
  func `a reader who stands still makes room, and none who reads`(transport: Transport) throws {
    let server = try TestServer(transport, loops: 2) {
      $0.connections = 2
      $0.room.leastBytesPerSecond = 1
      $0.room.stall = .seconds(2)
      $0.room.waiting = .seconds(60)
      $0.room.held = .seconds(60)
    }
    let stalled = try server.connect(receiveBuffer: 4096)
    for _ in 0..<4 { try stalled.send("GET /big HTTP/1.1\r\nHost: t\r\n\r\n") }
    let reader = try server.connect(receiveBuffer: 4096)
    #expect(try reader.get("/big").body == TestHandler.big)
    let viewer = try RawConnection(to: server.server.address.port)
    server.eventually {
      server.time.advance(by: .milliseconds(500))
      _ = try? reader.get("/big")
      return !server.events.all.isEmpty
    }
    guard case .gaveUp(_, .stalled) = try #require(server.events.all.first) else {
      Issue.record("another event: \(server.events.all)")
      return
    }
    #expect(try reader.get("/big").body == TestHandler.big)
    _ = (stalled, viewer)
  }

  @Test func `whoever finds nothing but busy connections waits, and is turned away in the end`() async throws {
    let server = try TestServer {
      $0.connections = 1
      $0.room.held = .seconds(3)
      $0.room.stall = .seconds(60)
    }
    let busy = try server.connect()
    for _ in 0..<4 { try busy.send("GET /big HTTP/1.1\r\nHost: t\r\n\r\n") }
    server.eventually { server.server.connectionCount == 1 }
    let late = try server.connect()
    await server.pass { !server.events.all.isEmpty }
    #expect(late.receiveToEnd().isEmpty)
    guard case .refused(_, .tooMany(limit: 1)) = try #require(server.events.all.first) else {
      Issue.record("another event: \(server.events.all)")
      return
    }
    for _ in 0..<4 { #expect(try busy.response().body == TestHandler.big) }
    await server.turn()
    await server.pass(.seconds(1))
    #expect(try server.connect().get("/file").status == 200)
  }

  @Test func `a crowd that takes all places, and all that one can wait for, turns nobody away`() async throws {
    let server = try TestServer(.tls13, loops: 2) {
      $0.connections = 8
      // The newcomers have no deadlines by the moved clock, so only the clients that came first make room.
      let forever = Duration.seconds(1_000_000)
      ($0.handshake, $0.idle, $0.request, $0.room.waiting) = (forever, forever, forever, forever)
    }
    // Eight have places, one waits for a place, and the others wait in the kernel.
    let crowd = try (0..<40).map { _ in try RawConnection(to: server.server.address.port) }
    server.eventually { server.server.connectionCount == 8 }
    let port = server.server.address.port
    let newcomers = (0..<6).map { _ in
      Task { try await onThread { try RawConnection(to: port, .tls13).get("/file").status } }
    }
    let answered = EventLog<Int>()
    for newcomer in newcomers { Task { if let status = try? await newcomer.value { answered.append(status) } } }
    await server.pass { answered.all.count == newcomers.count }
    #expect(answered.all == Array(repeating: 200, count: newcomers.count))
    for event in server.events.all {
      if case .refused = event { Issue.record("somebody was turned away: \(event)") }
    }
    withExtendedLifetime(crowd) {}
  }

  @Test func `a server that stops while nobody can be accepted ends`() throws {
    let server = try TestServer(.tls13) { $0.connections = 8 }
    let crowd = try (0..<20).map { _ in try RawConnection(to: server.server.address.port) }
    server.eventually { server.server.connectionCount == 8 }
    server.server.stop()
    server.server.abort()
    server.eventually {
      server.time.advance(by: .seconds(1))
      return server.server.isOver
    }
    withExtendedLifetime(crowd) {}
  }

  @Test func `connections of one address are limited where that is wanted`() throws {
    let server = try TestServer(.plain) { $0.connectionsPerAddress = .count(1) }
    let first = try server.connect()
    #expect(try first.get("/file").status == 200)
    #expect(throws: RawConnection.Closed.self) { try server.connect().get("/file") }
    #expect(try first.get("/file").status == 200)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: robot.local:8443\r\n\r\n", "TLS, robot.local:8443"),
    ("GET / HTTP/1.0\r\n\r\n", "TLS, somewhere"), ("GET / HTTP/1.1\r\nHo", "TLS, somewhere"),
    ("POST / HTTP/1.1\r\nHost: <script>\r\n\r\n", "TLS, somewhere"),
  ])
  func `a request without TLS is answered without TLS, and that is all`(sent: String, words: String) async throws {
    let server = try TestServer(.tls13)
    let client = try RawConnection(to: server.server.address.port)
    try client.send(sent)
    let response = try client.response()
    #expect(response.status == 400 && response["Connection"] == "close")
    #expect(String(decoding: response.body, as: UTF8.self) == words)
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
    await server.pass { server.server.connectionCount == 0 }
    #expect(try server.connect().get("/file").status == 200)
  }

  /// OpenSSL would allocate memory for all of it at once.
  @Test func `a handshake that announces more than any client says is refused`() throws {
    let server = try TestServer(.tls13)
    let client = try RawConnection(to: server.server.address.port)
    // RFC 8446 §5.1, §4: a handshake record of 16 KiB, which contains a ClientHello of 128,000 bytes.
    try client.send([22, 3, 1, 0x40, 0, 1, 1, 0xF4, 0, 3, 3])
    _ = client.receiveToEnd()
    server.eventually { server.log.errors == [.handshakeTooLong] }
  }

  @Test func `a handshake that never comes is given up`() async throws {
    let server = try TestServer(.tls13)
    let client = try RawConnection(to: server.server.address.port)
    await server.pass { server.log.errors == [.tls(.timedOut)] }
    #expect(client.receiveToEnd().isEmpty)
  }

  @Test func `half a head is given up`() async throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send("GET /file HTT")
    client.socket.waitUntilDelivered()
    await server.turn()
    await server.pass(.seconds(9))
    #expect(server.log.errors.isEmpty)
    await server.pass(.seconds(2))
    #expect(server.log.errors == [.deadlinePassed])
    #expect(client.receiveToEnd().isEmpty)
  }

  @Test(arguments: Transport.allCases)
  func `an idle connection is closed without a fuss`(transport: Transport) async throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    #expect(try client.get("/file").status == 200)
    await server.turn()
    await server.pass(.seconds(74))
    #expect(server.server.connectionCount == 1)
    await server.pass(.seconds(2))
    #expect(client.receiveToEnd().isEmpty)
    #expect(client.end == .proper)
    #expect(server.log.errors.isEmpty)
  }

  @Test(arguments: Transport.allCases)
  func `a reader that stands still is given up`(transport: Transport) async throws {
    let server = try TestServer(transport)
    let client = try server.connect(receiveBuffer: 32768)
    for _ in 0..<8 { try client.send("GET /big HTTP/1.1\r\nHost: t\r\n\r\n") }
    // Its first bytes are on the way, so the response is running.
    try client.waitForBytes()
    await server.pass { server.log.errors == [.deadlinePassed] }
    server.eventually { server.server.connectionCount == 0 }
  }

  /// An incomplete TLS record does not reveal what it is a part of. The server can only wait for the rest, once.
  @Test(arguments: [Transport.tls12, .tls13])
  func `half a record is waited for until the deadline`(transport: Transport) async throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    #expect(try client.get("/kept", "Range: bytes=0-1").status == 206)
    // RFC 8446 §5.1: application data of 64 bytes, of which 3 arrive.
    let half: [UInt8] = [23, 3, 3, 0, 64, 1, 2, 3]
    #expect(client.socket.send(half))
    client.socket.waitUntilDelivered()
    await server.turn()
    await server.pass { server.server.connectionCount == 0 }
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
  }

  /// A head has ten seconds, an idle connection more. Bytes after half a head do not make the connection idle.
  @Test(arguments: [Transport.tls12, .tls13])
  func `half a head with half a record behind it has the head's time`(transport: Transport) async throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    #expect(try client.get("/kept", "Range: bytes=0-1").status == 206)
    // All in one segment.
    client.socket.cork(true)
    try client.send("GET /kept HTTP/1.1\r\nHost:")
    let half: [UInt8] = [23, 3, 3, 0, 64, 1, 2, 3]
    #expect(client.socket.send(half))
    client.socket.cork(false)
    client.socket.waitUntilDelivered()
    await server.turn()
    await server.pass(.seconds(9))
    #expect(server.log.errors.isEmpty)
    await server.pass(.seconds(2))
    #expect(server.log.errors == [.deadlinePassed])
    #expect(client.receiveToEnd().isEmpty)
  }

  @Test func `who sends key updates and nothing else is cut off, and the others are served`() throws {
    let server = try TestServer(.tls13)
    let flood = try server.connect()
    var count = 0
    while count < 1 << 20, flood.updateKeys() { count += 1 }
    server.eventually { server.log.errors == [.emptyRecordFlood] }
    #expect(count < 1 << 20)
    // A few key updates are legitimate.
    let client = try server.connect()
    for _ in 0..<100 { #expect(client.updateKeys()) }
    #expect(try client.get("/file").body == TestHandler.file)
    server.eventually { server.server.connectionCount == 1 }
  }

  /// Bytes after a request in the same segment cause no event of their own.
  @Test(arguments: [Transport.tls12, .tls13])
  func `a goodbye right behind a request is heard`(transport: Transport) throws {
    let server = try TestServer(transport)
    let client = try server.connect()
    client.socket.cork(true)
    try client.send("GET /kept HTTP/1.1\r\nHost: t\r\nRange: bytes=0-1\r\n\r\n")
    client.sayGoodbye()
    client.socket.cork(false)
    #expect(try client.response().status == 206)
    server.eventually { server.server.connectionCount == 0 }
  }

  @Test(arguments: Transport.allCases)
  func `what is aborted just when its socket has room again is over`(transport: Transport) async throws {
    for _ in 0..<5 {
      let server = try TestServer(transport)
      let client = try server.connect(receiveBuffer: 32768)
      try client.send("GET /big HTTP/1.1\r\nHost: t\r\n\r\n")
      // This is enough that the server has waited for room before, and waits again.
      client.drop(atLeast: 1 << 19)
      nonisolated(unsafe) let reader = client
      let aborted = server.server
      await aborted.workers[0].update { _ in
        reader.drop(atLeast: 1 << 16)
        let aborting = Thread { aborted.abort() }
        aborting.start()
        while !aborting.isFinished { sched_yield() }
      }
      server.eventually { aborted.connectionCount == 0 }
    }
  }

  @Test(arguments: Transport.allCases)
  func `stopping lets the running response finish and closes the idle`(transport: Transport) async throws {
    let server = try TestServer(transport)
    let idle = try server.connect()
    #expect(try idle.get("/file").status == 200)
    let busy = try server.connect(receiveBuffer: 32768)
    try busy.send("GET /big HTTP/1.1\r\nHost: t\r\n\r\n")
    server.eventually { server.server.connectionCount == 2 }
    // Its first bytes are on the way, so the response is running.
    try busy.waitForBytes()
    server.server.stop()
    #expect(idle.receiveToEnd().isEmpty)
    #expect(idle.end == .proper)
    #expect(try busy.response().body == TestHandler.big)
    #expect(busy.receiveToEnd().isEmpty && busy.end == .proper)
    await server.pass { server.server.connectionCount == 0 }
    #expect(throws: RawConnection.Closed.self) { try server.connect().get("/file") }
  }

  @Test func `a server that stops tells when nothing of it runs any more`() async throws {
    let server = try TestServer()
    let busy = try server.connect()
    try busy.send("GET /big HTTP/1.1\r\nHost: t\r\n\r\n")
    try busy.waitForBytes()
    let isOver = Semaphore()
    server.server.stop { isOver.signal() }
    #expect(!isOver.wait(until: Clock.system.now))
    #expect(try busy.response().body == TestHandler.big)
    await server.pass { isOver.wait(until: Clock.system.now) }
    #expect(server.server.connectionCount == 0)
    #expect(server.server.isOver)
    // There is nothing left to wait for.
    server.server.stop { isOver.signal() }
    #expect(isOver.wait(until: Clock.system.deadline(after: .seconds(20))))
  }

  @Test func `a server that accepts is not over until it is told to stop`() async throws {
    let server = try TestServer(.plain)
    await server.turn()
    #expect(!server.server.isOver)
    #expect(server.server.connectionCount == 0)
    server.server.abort()
    await server.pass { server.server.isOver }
  }

  @Test func `a request that the stop comes right behind is answered`() async throws {
    let server = try TestServer()
    let client = try server.connect()
    #expect(try client.get("/file").status == 200)
    // The loop is blocked until both are there, and then finds the request first.
    nonisolated(unsafe) let sender = client
    let stopped = server.server
    await stopped.workers[0].update { _ in
      #expect(throws: Never.self) { try sender.send("GET /big HTTP/1.1\r\nHost: t\r\n\r\n") }
      sender.socket.waitUntilDelivered()
      let stopping = Thread { stopped.stop() }
      stopping.start()
      while !stopping.isFinished { sched_yield() }
    }
    #expect(try client.response().body == TestHandler.big)
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
  }

  @Test func `loops share connections evenly`() throws {
    let server = try TestServer(loops: 2)
    let clients = try (0..<20).map { _ in try server.connect() }
    for client in clients { #expect(try client.get("/big").body == TestHandler.big) }
    #expect(server.server.connectionCount == 20)
  }
}
