import Glibc
import Synchronization
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageServing

/// A connection's bytes between two ends in this process, on a clock that the test moves.
@Suite(.offThePool, .timeLimit(.minutes(1))) struct StreamTests {
  /// A stream on a loop of its own, and its blocking peer.
  private final class Scene: Sendable {
    let time = MovableClock()
    let loop: EventLoop
    let peer: BlockingSocket
    /// The socket, which is closed with the stream that gets it.
    private let socket: Mutex<Socket?>

    init() throws {
      loop = try EventLoop(clock: time.clock)
      try loop.start()
      let (socket, peer) = try SocketPair.make()
      self.socket = Mutex(socket)
      self.peer = peer
    }

    deinit { loop.stop() }

    /// Runs a closure with the stream, which is closed when the closure ends.
    func begin<Result: Sendable>(
      _ body: @escaping @Sendable (Stream) async throws(StreamError) -> Result
    ) -> Task<Swift.Result<Result, StreamError>, Never> {
      let (loop, socket) = (loop, socket.withLock { $0.take() })
      return Task(executorPreference: loop) {
        do throws(StreamError) {
          let stream = try Stream(required(socket), accepting: nil, on: loop)
          defer { stream.close() }
          return .success(try await body(stream))
        } catch { return .failure(error) }
      }
    }

    /// Lets time pass, and lets the loop process that.
    func pass(_ duration: Duration) async {
      await loop.turn()
      time.advance(by: duration)
      await loop.turn()
    }
  }

  private static func text(_ stream: Stream, until deadline: Deadline = .never) async throws(StreamError) -> String? {
    var text = ""
    let isThere = try await stream.receive(until: deadline) { text = String(decoding: $0, as: UTF8.self) }
    return isThere ? text : nil
  }

  private static func send(_ text: String, over stream: Stream) throws(StreamError) -> Bool {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { (bytes) throws(StreamError) in
      try stream.send(UnsafeRawBufferPointer(bytes))
    }
  }

  // MARK: Bytes

  @Test func `bytes go both ways, and the end is told`() async throws {
    let scene = try Scene()
    let story = EventLog<String?>()
    let talk = scene.begin { stream throws(StreamError) in
      while let text = try await Self.text(stream) {
        story.append(text)
        _ = try Self.send("you said: \(text)", over: stream)
      }
      story.append(nil)
    }
    for text in ["hello", "again"] {
      scene.peer.send(Array(text.utf8))
      guard case .bytes(let answer) = scene.peer.receive() else { return #expect(Bool(false), "no answer") }
      #expect(String(decoding: answer, as: UTF8.self) == "you said: \(text)")
    }
    scene.peer.finish()
    #expect(await talk.value.isSuccess)
    #expect(story.all == ["hello", "again", nil])
    guard case .end = scene.peer.receive() else { return #expect(Bool(false), "it goes on") }
  }

  @Test func `a peer that has said its last word is answered all the same`() async throws {
    let scene = try Scene()
    scene.peer.send(Array("last".utf8))
    scene.peer.finish()
    let talk = scene.begin { stream throws(StreamError) in
      let words = try await Self.text(stream)
      let end = try await Self.text(stream)
      let isSent = try Self.send("bye", over: stream)
      return words == "last" && end == nil && isSent
    }
    #expect(try await talk.value.get())
    guard case .bytes(let answer) = scene.peer.receive() else { return #expect(Bool(false), "no answer") }
    #expect(answer == Array("bye".utf8))
  }

  @Test func `what the socket does not take is kept, and leaves in order when it does`() async throws {
    let scene = try Scene()
    let kept = EventLog<Bool>()
    let count = 1 << 20
    let talk = scene.begin { stream throws(StreamError) in
      var sent = 0
      while sent < count {
        let turn = min(stream.turnByteCount, count - sent)
        let bytes = (0..<turn).map { UInt8(truncatingIfNeeded: (sent + $0) &* 7) }
        let isDone = try bytes.withUnsafeBufferPointer { (bytes) throws(StreamError) in
          try stream.send(UnsafeRawBufferPointer(bytes))
        }
        kept.append(!isDone && stream.isWaitingToSend)
        try await stream.flush(idle: .seconds(10))
        sent += turn
      }
    }
    // The peer does not read until the stream has bytes to wait for.
    try kept.wait { $0.contains(true) }
    var received: [UInt8] = []
    while received.count < count, case .bytes(let bytes) = scene.peer.receive() { received += bytes }
    #expect(received == (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    #expect(await talk.value.isSuccess)
  }

  @Test func `a peer that went away is told from one that ended`() async throws {
    let scene = try Scene()
    let talk = scene.begin { stream throws(StreamError) in
      _ = try await Self.text(stream)
      while true {
        _ = try Self.send(String(repeating: "x", count: 65_536), over: stream)
        try await stream.flush(idle: .seconds(10))
      }
    }
    scene.peer.shutDown()
    #expect(await talk.value.failure == .disconnected(Errno(rawValue: EPIPE)))
  }

  // MARK: Deadlines

  @Test func `who waits for bytes waits until its deadline, and no longer`() async throws {
    let scene = try Scene()
    let story = EventLog<String>()
    let talk = scene.begin { stream throws(StreamError) in
      story.append("waits")
      defer { story.append("over") }
      return try await Self.text(stream, until: stream.loop.clock.deadline(after: .seconds(10)))
    }
    try story.wait { $0 == ["waits"] }
    await scene.pass(.seconds(9))
    #expect(story.all == ["waits"])
    await scene.pass(.seconds(2))
    #expect(await talk.value.failure == .deadlinePassed)
  }

  @Test func `who waits for a reader waits as long as that takes some of it now and then`() async throws {
    let scene = try Scene()
    let story = EventLog<String>()
    let talk = scene.begin { stream throws(StreamError) in
      defer { story.append("over") }
      while true {
        guard try !Self.send(String(repeating: "x", count: 65_536), over: stream) else { continue }
        story.append("full")
        try await stream.flush(idle: .seconds(10))
      }
    }
    try story.wait { !$0.isEmpty }
    await scene.pass(.seconds(9))
    let times = story.all.count
    // More bytes than the peer's buffer holds for one turn, so that there is room and it fills up again.
    var taken = 0
    while taken < 400_000, case .bytes(let bytes) = scene.peer.receive() { taken += bytes.count }
    try story.wait { $0.count > times }
    await scene.pass(.seconds(9))
    #expect(!story.all.contains("over"))
    await scene.pass(.seconds(2))
    #expect(await talk.value.failure == .deadlinePassed)
  }

  @Test func `a deadline is looked at once a second, and for all`() async throws {
    let scene = try Scene()
    let story = EventLog<String>()
    let loop = scene.loop
    let others = [300, 1_000, 60_000].map { milliseconds in
      Task(executorPreference: loop) {
        await loop.sleep(for: .milliseconds(milliseconds))
        story.append("\(milliseconds)")
      }
    }
    await loop.turn()
    await scene.pass(.milliseconds(299))
    #expect(story.all.isEmpty)
    await scene.pass(.milliseconds(1))
    #expect(story.all == ["300"])
    await scene.pass(.milliseconds(59_700))
    for other in others { await other.value }
    #expect(story.all == ["300", "1000", "60000"])
  }

  // MARK: Holding and giving up

  @Test func `who holds is woken by a word, and by nothing that the peer sends`() async throws {
    let scene = try Scene()
    let story = EventLog<String>()
    let loop = scene.loop
    nonisolated(unsafe) var held: Stream?
    let talk = scene.begin { stream throws(StreamError) in
      held = stream
      story.append("holds")
      return await stream.hold(until: .never)
    }
    try story.wait { $0 == ["holds"] }
    scene.peer.send(Array("x".utf8))
    await scene.pass(.seconds(100))
    await Task(executorPreference: loop) { held?.endHold() }.value
    #expect(try await talk.value.get())
    held = nil
  }

  @Test(arguments: [true, false])
  func `a hold ends with the peer, and with its time`(isPeer: Bool) async throws {
    let scene = try Scene()
    let story = EventLog<String>()
    let talk = scene.begin { stream throws(StreamError) in
      story.append("holds")
      return await stream.hold(until: stream.loop.clock.deadline(after: .seconds(10)))
    }
    try story.wait { $0 == ["holds"] }
    if isPeer { scene.peer.finish() } else { await scene.pass(.seconds(11)) }
    #expect(try await !talk.value.get())
  }

  @Test func `a stream that is aborted tells whoever waits, and its peer gets no more`() async throws {
    let scene = try Scene()
    let story = EventLog<String>()
    let loop = scene.loop
    nonisolated(unsafe) var waiting: Stream?
    let talk = scene.begin { stream throws(StreamError) in
      waiting = stream
      story.append("waits")
      return try await Self.text(stream)
    }
    try story.wait { $0 == ["waits"] }
    await Task(executorPreference: loop) { waiting?.abort() }.value
    #expect(await talk.value.failure == .aborted)
    await Task(executorPreference: loop) {
      _ = #expect(throws: StreamError.aborted) { _ = try waiting.map { try Self.send("x", over: $0) } }
    }.value
    waiting = nil
  }

  @Test func `news that nobody waits for are told from none`() async throws {
    let scene = try Scene()
    let story = EventLog<Bool>()
    let talk = scene.begin { stream throws(StreamError) in
      story.append(stream.takeNews())
      await stream.loop.sleep(for: .seconds(1))
      story.append(stream.takeNews())
    }
    try story.wait { $0 == [false] }
    scene.peer.send(Array("x".utf8))
    await scene.pass(.seconds(1))
    #expect(await talk.value.isSuccess && story.all == [false, true])
  }

  @Test(arguments: [(100, true), (1_000_000, false)])
  func `an answer is read to its end by who still sends, up to a bound`(limit: Int, isBounded: Bool) async throws {
    let scene = try Scene()
    let talk = scene.begin { stream throws(StreamError) in
      _ = try Self.send("enough", over: stream)
      await stream.lingeringClose(until: stream.loop.clock.deadline(after: .seconds(10)), dropping: limit)
    }
    for _ in 0..<50 { scene.peer.send([UInt8](repeating: 1, count: 1_000)) }
    guard case .bytes(let bytes) = scene.peer.receive() else { return #expect(Bool(false), "no answer") }
    #expect(bytes == Array("enough".utf8))
    if !isBounded { scene.peer.finish() }
    #expect(await talk.value.isSuccess)
  }

  // MARK: Handing on

  /// A handler that records bytes until a full stop.
  private final class Listener: ReceivedBytesHandler {
    private(set) var heard = ""

    func receive(_ bytes: UnsafeRawBufferPointer) -> Deadline? {
      heard += String(decoding: bytes, as: UTF8.self)
      return heard.hasSuffix(".") ? nil : .never
    }
  }

  @Test func `what comes is handed on without waking anybody, until that is wanted`() async throws {
    let scene = try Scene()
    let story = EventLog<String>()
    let talk = scene.begin { stream throws(StreamError) in
      let listener = Listener()
      story.append("listens")
      let isOpen = try await stream.receive(until: .never, into: listener)
      story.append(listener.heard)
      let isStillOpen = try await stream.receive(until: .never, into: listener)
      return [isOpen, isStillOpen]
    }
    try story.wait { $0 == ["listens"] }
    for text in ["one", " two", " three."] {
      #expect(story.all == ["listens"])
      scene.peer.send(Array(text.utf8))
      await scene.loop.turn()
    }
    try story.wait { $0 == ["listens", "one two three."] }
    scene.peer.finish()
    #expect(try await talk.value.get() == [true, false])
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
  fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
