/// The same over sockets, with a robot that moves and one that misbehaves on the wire.
import FootageAPI
import FootageClient
import FootageBase
import Foundation
import FootageFetching
import FootageServing
import Synchronization
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.unhurried) struct NetworkTests {
  static let recording = content(300_000)

  /// Returns the connection to a robot whose address is looked up for each connection.
  static func connection(
    _ port: @escaping @Sendable () -> UInt16, retries: Int = 20, on loop: EventLoop? = nil,
    _ adjust: (inout ClientLimits) -> Void = { _ in }
  ) throws -> RobotConnection {
    var limits = ClientLimits()
    adjust(&limits)
    let resolver = HostResolver { _, _ in .success([SocketAddress(addressBytes: [127, 0, 0, 1], port: port())]) }
    let client = HTTPClient(
      host: "robot.test", port: 8443, tls: nil, on: try loop ?? ClientRuntime.shared().loop, resolver: resolver,
      limits: limits)
    let retrying = RetryPolicy(retries: retries, base: .milliseconds(1), maximum: .milliseconds(5))
    return RobotConnection(to: required(RobotAddress("robot.test")), over: PinnedTransport(client), retrying: retrying)
  }

  /// Returns the first byte of a request's range; nil if it has none.
  static func start(of head: String) -> Int? {
    head.components(separatedBy: "Range: bytes=").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
  }

  static func answer(_ head: String, _ recording: [UInt8] = recording, tag: String = "\"v1\"") -> [UInt8] {
    guard let start = start(of: head), head.contains("If-Range: \(tag)\r\n") else {
      return Array("HTTP/1.1 200 OK\r\nETag: \(tag)\r\nContent-Length: \(recording.count)\r\n\r\n".utf8) + recording
    }
    let range = "\(start)-\(recording.count - 1)/\(recording.count)"
    return Array(
      "HTTP/1.1 206 Partial Content\r\nETag: \(tag)\r\nContent-Range: bytes \(range)\r\nContent-Length: \(recording.count - start)\r\n\r\n"
        .utf8) + recording[start...]
  }

  /// Returns the next request for bytes. It first answers the request for the recording's item with 404.
  static func readHead(_ connection: ScriptedServer.Connection) -> String? {
    while let head = connection.readHead() {
      guard head.hasPrefix("GET /recordings/a.json ") else { return head }
      connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    }
    return nil
  }

  static func download(_ connection: RobotConnection, to path: String) async -> RobotError? {
    do throws(RobotError) {
      try await connection.download("a", to: path)
      return nil
    } catch { return error }
  }

  @Test func `a robot that loses power in the middle and comes back elsewhere is gone on with`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let port = Mutex<UInt16>(0)
    let heads = Mutex<[String]>([])
    let second = try ScriptedServer { connection, _ in
      while let head = Self.readHead(connection) {
        heads.withLock { $0.append(head) }
        connection.send(Self.answer(head))
      }
    }
    let secondPort = second.port
    let first = try ScriptedServer { connection, _ in
      guard let head = Self.readHead(connection) else { return }
      connection.send(Array(Self.answer(head).prefix(100_000)))
      port.withLock { $0 = secondPort }
    }
    port.withLock { $0 = first.port }
    let connection = try Self.connection { port.withLock { $0 } }
    #expect(await Self.download(connection, to: path) == nil)
    #expect(DownloadTests.file(path) == Self.recording)
    let resumed = try #require(heads.withLock { $0 }.first)
    #expect(resumed.contains("If-Range: \"v1\"\r\n"))
    #expect((Self.start(of: resumed) ?? 0) > 90_000)
  }

  @Test func `a robot that is away and comes back is waited for`() async throws {
    let folder = try TemporaryFolder()
    let here = try ScriptedServer { connection, _ in
      while let head = Self.readHead(connection) { connection.send(Self.answer(head)) }
    }
    let (awayPort, herePort) = (try HeldPort.next(), here.port)
    let tries = Mutex(0)
    let connection = try Self.connection {
      tries.withLock { tries in
        tries += 1
        return tries < 5 ? awayPort : herePort
      }
    }
    #expect(await Self.download(connection, to: folder.path("a.mp4")) == nil)
    #expect(tries.withLock { $0 } == 5)
    #expect(DownloadTests.file(folder.path("a.mp4")) == Self.recording)
  }

  @Test func `one that stalls, drips, resets, or sends too much costs time and no byte`() async throws {
    let folder = try TemporaryFolder()
    let time = MovableClock()
    let loop = try EventLoop(clock: time.clock)
    try loop.start()
    defer { loop.stop() }
    let server = try ScriptedServer { connection, number in
      guard let head = Self.readHead(connection) else { return }
      let answer = Self.answer(head)
      // Time passes while the server sends nothing or next to nothing, and stands still otherwise.
      switch number {
      case 0:
        connection.send(Array(answer.prefix(20_000)))
        while !connection.socket.hasEnded {
          time.advance(by: .seconds(1))
          usleep(1_000)
        }
      case 1:
        connection.send(Array(answer.prefix(40_000)))
        for byte in answer[40_000...] {
          guard !connection.socket.hasEnded else { break }
          connection.send([byte])
          time.advance(by: .seconds(1))
          usleep(1_000)
        }
      case 2:
        connection.send(Array(answer.prefix(60_000)))
        connection.reset()
      case 3: connection.send("")
      default: connection.send(answer + Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8))
      }
    }
    let port = server.port
    let connection = try Self.connection({ port }, on: loop)
    #expect(await Self.download(connection, to: folder.path("a.mp4")) == nil)
    #expect(DownloadTests.file(folder.path("a.mp4")) == Self.recording)
    #expect(await Self.download(connection, to: folder.path("b.mp4")) == nil)
    #expect(DownloadTests.file(folder.path("b.mp4")) == Self.recording)
  }

  @Test(
    arguments: [
      "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 302 Found\r\nLocation: https://elsewhere/\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 99999999999999999999\r\n\r\nhello", "SSH-2.0-x\r\n",
      "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 5\r\ncontent-encoding: GZip\r\n\r\nhello",
    ])
  func `an answer without what makes it safe is refused at once, and leaves nothing`(answer: String) async throws {
    let folder = try TemporaryFolder()
    let server = try ScriptedServer { connection, _ in
      _ = Self.readHead(connection)
      connection.send(answer)
      connection.finish()
      _ = connection.waitForEnd()
    }
    let port = server.port
    let error = await Self.download(try Self.connection { port }, to: folder.path("a.mp4"))
    #expect(error != nil && error?.canPass == false, "\(String(describing: error))")
    #expect(server.connectionCount == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == [])
  }

  @Test func `a recording that is replaced while the robot is away is fetched anew`() async throws {
    let folder = try TemporaryFolder()
    let other = content(200_000, seed: 9)
    let server = try ScriptedServer { connection, number in
      guard let head = Self.readHead(connection) else { return }
      if number == 0 {
        connection.send(Array(Self.answer(head).prefix(100_000)))
      } else {
        connection.send(Self.answer(head, other, tag: "\"v2\""))
      }
    }
    let port = server.port
    #expect(await Self.download(try Self.connection { port }, to: folder.path("a.mp4")) == nil)
    #expect(DownloadTests.file(folder.path("a.mp4")) == other)
  }

  @Test func `so many connections are made to a robot, and no more, however much is asked for`() async throws {
    let recording = content(2000)
    let open = Mutex((now: 0, most: 0))
    let server = try ScriptedServer { connection, _ in
      open.withLock { open in
        open.now += 1
        open.most = max(open.most, open.now)
      }
      while let head = connection.readHead() { connection.send(Self.answer(head, recording)) }
      open.withLock { $0.now -= 1 }
    }
    let port = server.port
    let connection = try Self.connection({ port }) { $0.connections = 3 }
    let isRight = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 {
        group.addTask {
          var bytes: [UInt8] = []
          for try await chunk in connection.read("a") { bytes += chunk }
          return bytes == recording
        }
      }
      return try await group.reduce(true) { $0 && $1 }
    }
    #expect(isRight)
    #expect(open.withLock { $0.most } <= 3)
    #expect(server.connectionCount <= 3)
  }

  @Test func `cancelling ends the connection, whatever is waited for`() async throws {
    for byteCount in [nil, 0, 500, 100_000] {
      let (asked, ended) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Bool.self))
      let server = try ScriptedServer { connection, _ in
        guard let head = Self.readHead(connection) else { return }
        // No answer, a head, or a part of a body; then nothing more.
        if let byteCount {
          let answer = Self.answer(head)
          let bodyStart = answer.count - Self.recording.count
          connection.send(Array(answer.prefix(bodyStart + byteCount)))
        }
        asked.continuation.yield()
        ended.continuation.yield(connection.waitForEnd())
      }
      let port = server.port
      let folder = try TemporaryFolder()
      let task = Task { await Self.download(try Self.connection { port }, to: folder.path("a.mp4")) }
      for await _ in asked.stream { break }
      task.cancel()
      #expect(try await task.value == .cancelled)
      for await isEnded in ended.stream {
        #expect(isEnded)
        break
      }
      DownloadTests.expectSound(folder.path("a.mp4"), Self.recording)
    }
  }

  @Test func `who stops reading, or lets go of the robot, leaves no connection behind`() async throws {
    let ended = AsyncStream.makeStream(of: String.self)
    let server = try ScriptedServer { connection, number in
      while let head = connection.readHead() {
        let answer = Self.answer(head)
        // Most of the first body has not been sent.
        connection.send(number == 0 ? Array(answer.prefix(answer.count - 1000)) : answer)
      }
      ended.continuation.yield("connection \(number)")
    }
    let port = server.port
    var endings = ended.stream.makeAsyncIterator()
    var robot: RobotConnection? = try Self.connection { port }
    if let robot {
      for try await _ in robot.read("a") { break }
      #expect(await endings.next() == "connection 0")
      var count = 0
      for try await chunk in robot.read("a") { count += chunk.count }
      #expect(count == Self.recording.count)
    }
    // The second connection is kept for as long as the robot's connection object exists.
    robot = nil
    #expect(await endings.next() == "connection 1")
  }

  // MARK: A list arrives within seconds, or not at all

  /// Returns requests to a robot without limits for connections and attempts. If something ends them all the same, it
  /// is the patience, which uses a clock that the test moves.
  private static func requests(
    _ port: @escaping @Sendable () -> UInt16, _ patience: DocumentPatience, _ time: MovableClock,
    _ events: EventLog<RobotEvent> = EventLog()
  ) throws -> RobotRequests {
    let resolver = HostResolver { _, _ in .success([SocketAddress(addressBytes: [127, 0, 0, 1], port: port())]) }
    var limits = ClientLimits()
    limits.head = .seconds(3600)
    limits.bodyIdle = .seconds(3600)
    let client = HTTPClient(
      host: "robot.test", port: 8443, tls: nil, on: try ClientRuntime.shared().loop, resolver: resolver, limits: limits)
    let policy = RetryPolicy(retries: .max, base: .milliseconds(20), maximum: .seconds(3600))
    return RobotRequests(
      transport: PinnedTransport(client), policy: policy, onEvent: { events.append($0) }, patience: patience,
      clock: time.clock)
  }

  /// Lets time pass until a closure is finished.
  private static func passing<Value: Sendable>(
    _ time: MovableClock, until body: @Sendable () async throws -> Value
  ) async rethrows -> Value {
    let passing = Task.detached {
      while !Task.isCancelled {
        time.advance(by: .milliseconds(50))
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    defer { passing.cancel() }
    return try await body()
  }

  private static func list(_ requests: RobotRequests) async -> RobotError? {
    do throws(RobotError) {
      for try await _ in RecordingSequence(requests: requests, query: .init(), memory: nil) {}
      return nil
    } catch { return error }
  }

  private static let long = Duration.seconds(3600)

  @Test(.timeLimit(.minutes(1))) func `a robot that refuses is given up soon, and told of before`() async throws {
    let (port, events, time) = (try HeldPort.next(), EventLog<RobotEvent>(), MovableClock())
    let requests = try Self.requests(
      { port }, DocumentPatience(reaching: .seconds(4), silence: Self.long, whole: Self.long), time, events)
    let listing = Task { await Self.list(requests) }
    try await eventually("it to be told") { () async -> Bool in !events.all.isEmpty }
    guard case .retrying(.unreachable, _)? = events.all.first else { return #expect(Bool(false), "\(events.all)") }
    let error = await Self.passing(time) { await listing.value }
    guard case .unreachable? = error else { return #expect(Bool(false), "\(events.all)") }
  }

  /// The ways in which a robot can keep a list from ending.
  enum Delay: CaseIterable { case silence, drip, endless, retryAfter, unavailable, brokenOff }

  @Test(.timeLimit(.minutes(1)), arguments: Delay.allCases)
  func `whatever a robot answers, a list ends`(delay: Delay) async throws {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let server = try ScriptedServer { connection, _ in
      while connection.readHead() != nil {
        switch delay {
        case .silence: _ = connection.waitForEnd()
        case .drip:
          connection.send(head)
          while connection.send(Array("1\r\n \r\n".utf8)) { usleep(20_000) }
        case .endless:
          connection.send(head)
          while connection.send(Array("1000\r\n".utf8) + [UInt8](repeating: 32, count: 0x1000) + [13, 10]) {}
        case .retryAfter:
          connection.send("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 86400\r\nContent-Length: 0\r\n\r\n")
        case .unavailable: connection.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        case .brokenOff:
          connection.send(head)
          return
        }
      }
    }
    let (port, time) = (server.port, MovableClock())
    let requests = try Self.requests(
      { port }, DocumentPatience(reaching: .seconds(1), silence: .milliseconds(300), whole: .seconds(2)), time)
    #expect(await Self.passing(time) { await Self.list(requests) } != nil)
  }

  @Test(.timeLimit(.minutes(1))) func `a connection that was kept and leads nowhere is found out by a new one`()
    async throws
  {
    // The first connection goes dead, and then no server is there any more.
    let isOff = Mutex(false)
    let server = try ScriptedServer { connection, _ in
      _ = connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
      isOff.withLock { $0 = true }
      _ = connection.waitForEnd()
      _ = connection.waitForEnd()
    }
    let (port, offPort, time) = (server.port, try HeldPort.next(), MovableClock())
    let requests = try Self.requests(
      { isOff.withLock { $0 } ? offPort : port },
      DocumentPatience(reaching: .seconds(2), silence: .milliseconds(200), whole: Self.long), time)
    _ = try await requests.json("/first", name: "it")
    await #expect(throws: RobotError.self) {
      try await Self.passing(time) { try await requests.json("/second", name: "it") }
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a kept connection that says nothing has a rival, and the first answer counts`()
    async throws
  {
    let server = try ScriptedServer { connection, number in
      while connection.readHead() != nil {
        // The first connection never answers.
        guard number > 0 else { continue }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 29\r\n\r\n{\"recordings\":[],\"next\":null}")
      }
    }
    let (port, time) = (server.port, MovableClock())
    let requests = try Self.requests(
      { port }, DocumentPatience(reaching: Self.long, silence: .milliseconds(200), whole: Self.long), time)
    #expect(await Self.passing(time) { await Self.list(requests) } == nil)
    #expect(server.connectionCount == 2)
  }

  @Test(.timeLimit(.minutes(1))) func `a list that is waited for has that much longer`() async throws {
    let (news, asked) = (DispatchSemaphore(value: 0), EventLog<Void>())
    let server = try ScriptedServer { connection, _ in
      while connection.readHead() != nil {
        asked.append(())
        Self.wait(for: news)
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
      }
    }
    let (port, time) = (server.port, MovableClock())
    let requests = try Self.requests(
      { port }, DocumentPatience(reaching: .seconds(1), silence: Self.long, whole: .seconds(1)), time)
    await #expect(throws: RobotError.unreachable("it was not complete after 1 s")) {
      try await Self.passing(time) { try await requests.json("/now", name: "it") }
    }
    let before = asked.all.count
    let later = Task { try await requests.json("/later", name: "it", waiting: Self.long) }
    try await eventually("a request") { () async -> Bool in asked.all.count > before }
    // The news arrives when the first limit would have passed many times.
    for _ in 0..<100 {
      time.advance(by: .seconds(1))
      await Task.yield()
    }
    for _ in 0..<2 { news.signal() }
    #expect(try await later.value.array?.isEmpty == true)
  }

  private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
}
