@testable import FootageHTTP
@testable import FootageServing
import FootageSystem
import Testing

/// The decisions of a connection, without a connection: the tests pass in bytes and times.
@Suite struct ConnectionStateMachineTests {
  /// A state machine and a clock.
  private struct Scene {
    var machine: HTTPConnection.StateMachine
    var now = Deadline(milliseconds: 1_000)

    init(admittedUntil admission: Deadline? = nil) {
      machine = HTTPConnection.StateMachine(
        HTTPConnection.StateMachine.Delays(idle: .seconds(75), request: .seconds(10)), admittedUntil: admission,
        at: now)
    }

    /// Returns a machine between two requests.
    static func idle() -> Scene {
      var scene = Scene()
      _ = scene.machine.handshakeEnded(at: scene.now)
      return scene
    }

    /// Returns a machine that is answering a request.
    static func answering(_ request: String = "GET / HTTP/1.1\r\nHost: t\r\n\r\n") -> Scene {
      var scene = Scene.idle()
      _ = scene.receive(request)
      return scene
    }

    mutating func pass(_ seconds: Int) { now = now.advanced(by: Deadline.Delay(.seconds(seconds))) }

    mutating func receive(_ text: String) -> Seen { receive(Array(text.utf8)) }

    mutating func receive(_ bytes: [UInt8]) -> Seen {
      let now = now
      return Seen(machine.received(bytes.span) { now })
    }

    mutating func answered(_ continuation: HTTPConnection.StateMachine.Continuation = .kept) -> Seen {
      Seen(machine.answered(continuation, at: now))
    }

    mutating func body(within limit: UInt64 = .max) throws(MessageRefusal) -> RequestBodyReader.Step {
      try machine.pullBody(within: limit, at: now)
    }

    mutating func receiveBody(_ text: String) {
      let bytes = Array(text.utf8)
      machine.receivedBody(bytes.span, after: .seconds(1))
    }

    func moment(_ seconds: Int) -> Deadline { now.advanced(by: Deadline.Delay(.seconds(seconds))) }
  }

  /// An action, as far as it can be compared.
  private enum Seen: Equatable {
    case receive(until: Deadline)
    case request(String)
    case refused(MessageRefusal.Reason)
    case close, linger, abort, fail
    case other

    init(_ action: HTTPConnection.StateMachine.Action) {
      self =
        switch action {
        case .receive(let until): .receive(until: until)
        case .answer(.request(let head)): .request(String(decoding: head.targetBytes, as: UTF8.self))
        case .answer(.refused(let refusal)): .refused(refusal.reason)
        case .answer: .other
        case .close: .close
        case .linger: .linger
        case .abort: .abort
        case .fail(let error): error == .deadlinePassed ? .fail : .other
        }
    }
  }

  private static let request = "GET /a HTTP/1.1\r\nHost: t\r\n\r\n"

  // MARK: Requests

  @Test func `after the handshake a request is waited for`() {
    var scene = Scene()
    #expect(scene.machine.waiting == .handshaking(since: scene.now))
    scene.pass(3)
    #expect(Seen(scene.machine.handshakeEnded(at: scene.now)) == .receive(until: scene.moment(75)))
    #expect(scene.machine.waiting == .waiting(since: scene.now))
  }

  @Test func `a request is handed out, and after its answer the next is waited for`() {
    var scene = Scene.idle()
    scene.pass(20)
    #expect(scene.receive(Self.request) == .request("/a"))
    #expect(scene.machine.waiting == nil && !scene.machine.hasUnreadBytes)
    scene.pass(5)
    #expect(scene.answered() == .receive(until: scene.moment(75)))
    #expect(scene.machine.waiting == .waiting(since: scene.now))
  }

  @Test func `a head that drips in has a head's time, from its first byte on`() {
    var scene = Scene.idle()
    let began = scene.now
    scene.pass(70)
    let deadline = scene.moment(10)
    for byte in Self.request.utf8.dropLast() {
      #expect(scene.receive([byte]) == .receive(until: deadline))
      #expect(scene.machine.waiting == .waiting(since: began))
      scene.pass(1)
    }
    #expect(scene.receive("\n") == .request("/a"))
    #expect(!scene.machine.hasUnreadBytes)
  }

  @Test func `requests that come together are handed out one after the other`() {
    var scene = Scene.idle()
    let second = "GET /b HTTP/1.1\r\nHost: t\r\n\r\n"
    #expect(scene.receive(Self.request + second + "GET /c HTTP") == .request("/a"))
    #expect(scene.machine.hasUnreadBytes)
    #expect(scene.answered() == .request("/b"))
    // The rest is the beginning of a head, and its time begins now.
    scene.pass(30)
    #expect(scene.answered() == .receive(until: scene.moment(10)))
    #expect(scene.machine.waiting == .waiting(since: scene.now))
    #expect(scene.receive("/1.1\r\nHost: t\r\n\r\n") == .request("/c"))
  }

  @Test(arguments: [0, 5])
  func `what is no request is refused`(split: Int) {
    var scene = Scene.idle()
    let text = "NONSENSE\r\n\r\n"
    if split > 0 { _ = scene.receive(String(text.prefix(split))) }
    #expect(scene.receive(String(text.dropFirst(split))) == .refused(.requestLineMalformed))
    #expect(scene.answered(.lingering) == .linger)
    #expect(scene.machine.waiting == nil)
  }

  @Test(
    arguments: [(.closed, "close"), (.lingering, "linger"), (.cutOff, "abort")]
      as [(HTTPConnection.StateMachine.Continuation, String)])
  func `an answer may be the last`(row: (continuation: HTTPConnection.StateMachine.Continuation, name: String)) {
    var scene = Scene.answering(Self.request + Self.request)
    #expect("\(scene.answered(row.continuation))" == row.name)
  }

  // MARK: Time

  @Test func `a deadline between two requests is no failure, and in a head it is`() {
    var scene = Scene.idle()
    #expect(Seen(scene.machine.deadlinePassed()) == .close)
    scene = .idle()
    _ = scene.receive("GET")
    #expect(Seen(scene.machine.deadlinePassed()) == .fail)
  }

  @Test func `a connection that was not let in has no more time than for that`() {
    let admission = Deadline(milliseconds: 3_000)
    var scene = Scene(admittedUntil: admission)
    #expect(Seen(scene.machine.handshakeEnded(at: scene.now)) == .receive(until: admission))
    #expect(scene.receive("GET") == .receive(until: admission))
    #expect(scene.receive(" / HTTP/1.1\r\nHost: t\r\n\r\n") == .request("/"))
    scene.machine.admit()
    #expect(scene.answered() == .receive(until: scene.moment(75)))
  }

  @Test(arguments: [false, true])
  func `a client that leaves is not missed`(hasBegun: Bool) {
    var scene = Scene.idle()
    if hasBegun { _ = scene.receive("GET") }
    #expect(Seen(scene.machine.clientLeft()) == .close)
  }

  // MARK: Bodies

  private static let upload = "PUT /u HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\n"

  @Test func `a body is pulled, and while it is waited for it is the client's turn`() throws {
    var scene = Scene.answering(Self.upload + "he")
    #expect(scene.machine.waiting == nil)
    #expect(try scene.body() == .bytes(Array("he".utf8)))
    scene.pass(2)
    #expect(try scene.body() == .needsMore(sendsContinue: false))
    #expect(scene.machine.waiting == .waiting(since: scene.now))
    scene.receiveBody("llo" + Self.request)
    #expect(scene.machine.bodyWait == .seconds(1))
    #expect(try scene.body() == .bytes(Array("llo".utf8)))
    #expect(scene.machine.waiting == nil)
    #expect(try scene.body() == .end)
    #expect(try scene.machine.dropBody(upTo: 0, at: scene.now) == .dropped)
    #expect(scene.answered() == .request("/a"))
    // That request has no body.
    #expect(try scene.body() == .end)
    #expect(scene.machine.bodyWait == .zero)
  }

  @Test func `what nobody has read is dropped, as far as it is small`() throws {
    var scene = Scene.answering(Self.upload + "he")
    #expect(try scene.machine.dropBody(upTo: 5, at: scene.now) == .needsMore)
    scene.receiveBody("llo")
    #expect(try scene.machine.dropBody(upTo: 5, at: scene.now) == .dropped)
    scene = .answering(Self.upload + "he")
    #expect(try scene.machine.dropBody(upTo: 4, at: scene.now) == .left)
    scene = .answering(Self.upload.replacing("\r\n\r\n", with: "\r\nExpect: 100-continue\r\n\r\n"))
    #expect(try scene.machine.dropBody(upTo: 5, at: scene.now) == .left)
  }

  @Test func `a body that was refused is remembered until its answer`() throws {
    let chunked = "PUT /u HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
    var scene = Scene.answering(chunked + "xyz\r\n")
    let refusal = #expect(throws: MessageRefusal.self) { try scene.body() }
    #expect(scene.machine.bodyRefusal == refusal && refusal?.reason == .chunkSizeMalformed)
    #expect(scene.answered(.lingering) == .linger)
    scene = .answering(chunked + "xyz\r\n")
    #expect(throws: MessageRefusal.self) { try scene.machine.dropBody(upTo: 5, at: scene.now) }
    scene = .answering(Self.upload)
    #expect(throws: MessageRefusal.self) { try scene.body(within: 4) }
    #expect(scene.machine.bodyRefusal?.reason == .contentTooLarge)
  }

  @Test func `a body that broke off is remembered until its answer`() throws {
    var scene = Scene.answering(Self.upload)
    #expect(try scene.body() == .needsMore(sendsContinue: false))
    scene.machine.bodyFailed(.deadlinePassed)
    #expect(scene.machine.bodyFailure == .deadlinePassed && scene.machine.waiting == nil)
  }

  // MARK: Holding

  @Test func `a request that is held waits since the first time`() {
    var scene = Scene.answering()
    let began = scene.now
    #expect(!scene.machine.wasHeld)
    for _ in 0..<3 {
      #expect(scene.machine.hold(at: scene.now) == true)
      #expect(scene.machine.waiting == .waiting(since: began))
      scene.machine.holdEnded()
      #expect(scene.machine.waiting == nil && scene.machine.wasHeld)
      scene.pass(5)
    }
    _ = scene.answered()
    #expect(!scene.machine.wasHeld)
  }

  @Test func `a server that stops holds nothing any more`() {
    var scene = Scene.answering()
    #expect(scene.machine.hold(at: scene.now) == true)
    #expect(scene.machine.stop() == .endHold)
    scene.machine.holdEnded()
    #expect(scene.machine.hold(at: scene.now) == false)
    #expect(scene.answered() == .close)
  }

  // MARK: Interruptions

  /// All states, with the effects of a stop and of the need for its place.
  private static let states:
    [(
      name: String, scene: @Sendable () -> Scene, stop: HTTPConnection.StateMachine.Interruption,
      giveUp: HTTPConnection.StateMachine.Interruption
    )] = [
      ("handshaking", { Scene() }, .close, .abort), ("idle", { .idle() }, .close, .close),
      (
        "reading a head",
        {
          var scene = Scene.idle()
          _ = scene.receive("GET")
          return scene
        }, .none, .abort
      ),
      ("answering", { .answering() }, .none, .abort),
      (
        "reading a body",
        {
          var scene = Scene.answering(upload)
          _ = try? scene.body()
          return scene
        }, .none, .abort
      ),
      (
        "held",
        {
          var scene = Scene.answering()
          _ = scene.machine.hold(at: scene.now)
          return scene
        }, .endHold, .endHold
      ),
      (
        "lingering",
        {
          var scene = Scene.answering()
          _ = scene.answered(.lingering)
          return scene
        }, .none, .abort
      ),
      (
        "closed",
        {
          var scene = Scene.answering()
          scene.machine.end()
          return scene
        }, .none, .none
      ),
    ]

  @Test(arguments: states.indices)
  func `stopping ends what waits, and giving up everything but an answer that is due`(index: Int) {
    let row = Self.states[index]
    var scene = row.scene()
    #expect(scene.machine.stop() == row.stop, "\(row.name)")
    #expect(scene.machine.isStopping && !scene.machine.isGivenUp)
    scene = row.scene()
    #expect(scene.machine.giveUp() == row.giveUp, "\(row.name)")
    #expect(scene.machine.isGivenUp)
    // The second time there is nothing left to do, except for a held request.
    #expect(scene.machine.giveUp() == (row.giveUp == .endHold ? .endHold : .none), "\(row.name)")
  }

  @Test func `a head that has begun is waited for and answered by a server that stops, and nothing else`() {
    var scene = Scene.idle()
    _ = scene.receive("GET /a HTTP")
    #expect(scene.machine.stop() == .none)
    #expect(scene.receive("/1.1\r\nHost: t\r\n\r\n" + Self.request) == .request("/a"))
    #expect(scene.answered() == .close)
  }

  @Test func `what is closed stays closed`() throws {
    var scene = Scene.answering(Self.upload)
    #expect(scene.machine.giveUp() == .abort)
    _ = try scene.body()
    #expect(scene.machine.waiting == nil)
    #expect(scene.machine.hold(at: scene.now) == false)
    scene.machine.refuse()
    #expect(scene.answered() == .abort)
    #expect(scene.receive(Self.request) == .close)
  }

  @Test(arguments: states.indices.dropFirst(3))
  func `bytes that nobody waits for are no request`(index: Int) {
    var scene = Self.states[index].scene()
    #expect(scene.receive(Self.request) == .close)
  }
}
