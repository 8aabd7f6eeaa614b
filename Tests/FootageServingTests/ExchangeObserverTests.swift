@testable import FootageHTTP
@testable import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

@Suite(.offThePool) struct ExchangeObserverTests {
  @Test(arguments: [true, false])
  func `every exchange is counted, whether a log is wanted or not`(isLogged: Bool) throws {
    let server = try TestServer(loops: 2, logs: isLogged)
    let client = try server.connect()
    // Answered at once, answered asynchronously, without a body, and refused.
    #expect(try client.get("/kept", "Range: bytes=0-9").status == 206)
    #expect(try client.get("/big").status == 200)
    #expect(try client.get("/file", "If-None-Match: \"abc\"").status == 304)
    #expect(try client.get("/file", method: "HEAD").status == 200)
    #expect(try client.get("/nothing").status == 404)
    #expect(try client.get("/broken-at-once").status == 503)
    try client.send("NONSENSE\r\n\r\n")
    #expect(try client.response().status == 400)
    #expect(client.receiveToEnd().isEmpty)
    var counts = ExchangeCounts()
    counts.exchanges = 7
    counts.successes = 3
    counts.redirections = 1
    counts.clientErrors = 2
    counts.serverErrors = 1
    counts.bodyBytes = UInt64(10 + TestHandler.big.count + "nothing".utf8.count + "body".utf8.count)
    counts.bodyBytes += UInt64("malformed-request-line".utf8.count)
    server.eventually { server.server.exchangeCounts == counts }
    #expect(server.log.exchanges.count == (isLogged ? 7 : 0))
    #expect(server.log.exchanges.allSatisfy { $0.duration != nil })
  }

  @Test func `what was cut off is counted with the bytes that left`() throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send("GET /broken HTTP/1.1\r\nHost: t\r\n\r\n")
    let received = client.receiveToEnd().count
    server.eventually { server.server.exchangeCounts.cutOffs == 1 }
    let counts = server.server.exchangeCounts
    #expect(counts.exchanges == 1 && counts.bodyBytes >= 1 << 20 && counts.bodyBytes <= UInt64(received))
  }

  @Test func `connections that fail are counted, and handshakes apart`() throws {
    let server = try TestServer(.tls13, logs: false)
    let client = try RawConnection(to: server.server.address.port)
    try client.send([22, 3, 1, 0x40, 0, 1, 1, 0xF4, 0, 3, 3])
    _ = client.receiveToEnd()
    server.eventually { server.server.exchangeCounts.failedHandshakes == 1 }
    #expect(server.server.exchangeCounts.failedConnections == 1 && server.server.exchangeCounts.exchanges == 0)
  }

  @Test func `no time is taken where nobody wants to know it`() throws {
    let clock = MovableClock().clock
    let address = SocketAddress(addressBytes: [127, 0, 0, 1], port: 1)
    for isWanted in [true, false] {
      let counter = ExchangeCounter()
      let log = ExchangeLog(isWanted: isWanted)
      let observers = ExchangeObservers(counter: counter, others: [log], clock: clock)
      #expect((observers.stopwatch() != nil) == isWanted)
      observers.ended(
        HTTPExchange(
          peer: address, identity: nil, request: nil, status: .badRequest, byteCount: 3, duration: nil, isCutOff: true,
          wasHeld: false))
      #expect(counter.counts.exchanges == 1 && counter.counts.clientErrors == 1)
      #expect(counter.counts.bodyBytes == 3 && counter.counts.cutOffs == 1)
    }
  }
}
