/// Ranges of recordings, with a robot that answers correctly and one that does not.
import Foundation
import Synchronization
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct ReadTests {
  static let recording = content(5000)

  static func connection(_ robot: ScriptedRobot, _ events: EventLog<RobotEvent> = EventLog()) -> RobotConnection {
    let connection = RobotConnection(to: required(RobotAddress("robot.test")), over: robot, retrying: .immediate)
    connection.onEvent { events.append($0) }
    return connection
  }

  /// Reads a range, and returns the bytes that arrived and the error that ended them.
  static func read(
    _ robot: ScriptedRobot, _ range: Range<UInt64>? = nil, of tag: String? = nil
  ) async -> (bytes: [UInt8], error: RobotError?) {
    var bytes: [UInt8] = []
    do throws(RobotError) {
      for try await chunk in connection(robot).read("a b/ü", range: range, version: tag) { bytes += chunk }
      return (bytes, nil)
    } catch { return (bytes, error) }
  }

  @Test(
    arguments: [
      (nil, 0..<5000), (0..<1, 0..<1), (0..<5000, 0..<5000), (10..<20, 10..<20), (4999..<5000, 4999..<5000),
      (4000..<9_000_000, 4000..<5000), (1..<UInt64.max, 1..<5000),
    ] as [(Range<UInt64>?, Range<Int>)])
  func `a range is exactly its bytes`(range: Range<UInt64>?, bytes: Range<Int>) async {
    let robot = ScriptedRobot(Self.recording)
    let read = await Self.read(robot, range)
    #expect(read.bytes == Array(Self.recording[bytes]))
    #expect(read.error == nil)
    #expect(robot.requests.map(\.target) == ["/recordings/a%20b/%C3%BC.mp4"])
    #expect(robot.requests.map(\.range) == [range == nil ? nil : range])
  }

  @Test func `nothing of a recording is nothing, and nothing is asked`() async {
    let robot = ScriptedRobot(Self.recording)
    let read = await Self.read(robot, 5..<5)
    #expect(read.bytes == [] && read.error == nil && robot.requests.isEmpty)
  }

  @Test func `an empty recording is empty`() async {
    let read = await Self.read(ScriptedRobot([]))
    #expect(read.bytes == [] && read.error == nil)
  }

  @Test func `a range behind the end is an error with the length`() async {
    let read = await Self.read(ScriptedRobot(Self.recording), 5000..<6000)
    #expect(read.error == .outOfRange(name: "a b/ü", length: 5000))
  }

  @Test(arguments: [nil, 0..<5000, 1000..<4000] as [Range<UInt64>?])
  func `what breaks off is taken up where it was, bound to the version`(range: Range<UInt64>?) async throws {
    let robot = ScriptedRobot(Self.recording, [.cut(1500), .unreachable, .cut(10), .status(503)])
    let read = await Self.read(robot, range)
    let wanted = range ?? 0..<5000
    #expect(read.bytes == Array(Self.recording[Int(wanted.lowerBound)..<Int(wanted.upperBound)]))
    #expect(read.error == nil)
    let starts = ([1500, 1500, 1510, 1510] as [UInt64]).map { wanted.lowerBound + $0 }
    #expect(robot.requests.dropFirst().map { $0.range?.lowerBound } == starts)
    #expect(robot.requests.dropFirst().allSatisfy { $0.ifRange == robot.tag })
  }

  @Test func `what does not pass away is given up after a while, and what came is right`() async {
    let robot = ScriptedRobot(Self.recording, [.cut(1500)] + [ScriptedRobot.Fault](repeating: .unreachable, count: 10))
    let read = await Self.read(robot)
    #expect(read.bytes == Array(Self.recording[..<1500]))
    #expect(read.error == .unreachable("connection refused"))
    // The first attempt, and three more.
    #expect(robot.requests.count == 1 + 3)
  }

  @Test func `progress gives new patience`() async {
    let robot = ScriptedRobot(Self.recording, Array(repeating: .cut(300), count: 12))
    let read = await Self.read(robot)
    #expect(read.bytes == Self.recording && read.error == nil)
  }

  @Test func `retries are told`() async throws {
    let events = EventLog<RobotEvent>()
    let robot = ScriptedRobot(Self.recording, [.status(503)])
    for try await _ in Self.connection(robot, events).read("x") {}
    #expect(events.all.first == .retrying(.unavailable(status: 503, reason: "the test says so"), after: .zero))
    guard events.all.count == 2, case .back? = events.all.last else { return #expect(Bool(false), "\(events.all)") }
    let event = RobotEvent.retrying(.unreachable("refused"), after: .milliseconds(1260))
    #expect(event.description == "the robot cannot be reached: refused; retrying in 1.3 s")
  }

  @Test func `a robot that says when to come again is not asked before`() async throws {
    let (events, time, isOver) = (EventLog<RobotEvent>(), MovableClock(), EventLog<Void>())
    let robot = ScriptedRobot(Self.recording, [.busy(.seconds(300)), .busy(.seconds(100_000))])
    let connection = RobotConnection(
      required(RobotAddress("robot.test")), over: robot, cache: nil, cacheNames: ["robot"],
      retrying: RetryPolicy(retries: 3, base: .zero, maximum: .seconds(400)), clock: time.clock
    ) { events.append($0) }
    let start = time.clock.uptime
    let reading = Task {
      defer { isOver.append(()) }
      for try await _ in connection.read("x") {}
    }
    while isOver.all.isEmpty {
      time.advance(by: .seconds(10))
      try await Task.sleep(for: .milliseconds(1))
    }
    try await reading.value
    #expect(time.clock.uptime - start >= .seconds(700))
    let pauses = events.all.compactMap { if case .retrying(_, let pause) = $0 { pause } else { nil } }
    #expect(pauses == [.seconds(300), .seconds(400)])
  }

  @Test(
    arguments: [
      (401, .notAllowed(status: 401, reason: "the test says so")),
      (403, .notAllowed(status: 403, reason: "the test says so")),
      (404, .notFound(name: "a b/ü", code: "test-code", reason: "the test says so")),
      (416, .outOfRange(name: "a b/ü", length: nil)),
      (301, .unexpected(status: 301, reason: "the test says so")),
      (400, .unexpected(status: 400, reason: "the test says so")),
      (412, .unexpected(status: 412, reason: "the test says so")),
      (501, .unexpected(status: 501, reason: "the test says so")),
    ] as [(Int, RobotError)])
  func `what cannot pass is not tried again`(status: Int, error: RobotError) async {
    let robot = ScriptedRobot(Self.recording, [.status(status)])
    let read = await Self.read(robot)
    #expect(read.error == error)
    #expect(robot.requests.count == 1)
  }

  @Test(arguments: [429, 500, 502, 503, 504]) func `what can pass is tried again`(status: Int) async {
    let robot = ScriptedRobot(Self.recording, [.status(status), .status(status)])
    let read = await Self.read(robot)
    #expect(read.bytes == Self.recording && read.error == nil)
  }

  @Test(
    arguments: [
      .noTag, .weakTag, .noContentRange, .shifted(1), .shifted(500), .otherLength(-1),
      .otherContentLength(1), .otherContentLength(-1), .ignoresRange,
    ] as [ScriptedRobot.Fault])
  func `an answer that contradicts what was asked gives not one byte`(fault: ScriptedRobot.Fault) async {
    let robot = ScriptedRobot(Self.recording, [fault])
    let read = await Self.read(robot, 1000..<5000)
    #expect(read.bytes == [])
    guard case .malformed? = read.error else { return #expect(Bool(false), "\(String(describing: read.error))") }
    #expect(robot.requests.count == 1)
  }

  @Test(
    arguments: [
      .otherTag, .noTag, .noContentRange, .shifted(1), .otherLength(1), .otherContentLength(1), .ignoresRange,
    ] as [ScriptedRobot.Fault])
  func `nor does one in the middle, after which what came before is right`(fault: ScriptedRobot.Fault) async {
    let robot = ScriptedRobot(Self.recording, [.cut(1500), fault])
    let read = await Self.read(robot)
    #expect(read.bytes == Array(Self.recording[..<1500]))
    guard case .malformed? = read.error else { return #expect(Bool(false), "\(String(describing: read.error))") }
  }

  @Test func `a part that ends too early as if it were whole is an error of its own`() async {
    let read = await Self.read(ScriptedRobot(Self.recording, [.short(100)]), 1000..<2000)
    #expect(read.error == .shortBody(name: "a b/ü", received: 100, expected: 1000))
  }

  @Test func `a part with more behind it is an error`() async {
    for count in [1, 10_000] {
      let read = await Self.read(ScriptedRobot(Self.recording, [.excess(count)]), 1000..<2000)
      guard case .malformed? = read.error else { return #expect(Bool(false), "\(String(describing: read.error))") }
    }
  }

  @Test func `two versions never meet, whichever way the recording changes in between`() async {
    for other in [content(5000, seed: 2), content(2000, seed: 2), content(9000, seed: 2), []] {
      let robot = ScriptedRobot(Self.recording, [.cut(1500), .replaced(other)])
      let read = await Self.read(robot)
      #expect(read.bytes == Array(Self.recording[..<1500]))
      #expect(read.error == .replaced(name: "a b/ü"))
    }
    let deleted = await Self.read(ScriptedRobot(Self.recording, [.cut(1500), .removed]))
    #expect(deleted.error == .notFound(name: "a b/ü", code: "not-found", reason: "There is no such thing."))
  }

  @Test func `a version that was asked for is had, or an error`() async {
    let robot = ScriptedRobot(Self.recording)
    #expect(await Self.read(robot, 10..<20, of: robot.tag).bytes == Array(Self.recording[10..<20]))
    #expect(await Self.read(robot, 10..<20, of: "\"older\"").error == .replaced(name: "a b/ü"))
    #expect(await Self.read(robot, 0..<20, of: "\"older\"").error == .replaced(name: "a b/ü"))
    #expect(await Self.read(robot, nil, of: robot.tag).bytes == Self.recording)
  }

  @Test func `a server that knows no ranges is good for what begins at its beginning`() async {
    let read = await Self.read(ScriptedRobot(Self.recording, [.ignoresRange]), 0..<1234)
    #expect(read.bytes == Array(Self.recording[..<1234]) && read.error == nil)
  }

  @Test func `cancelling ends it`() async {
    let robot = ScriptedRobot(Self.recording, [.stalls])
    let task = Task { await Self.read(robot).error }
    while robot.requests.isEmpty { await Task.yield() }
    task.cancel()
    #expect(await task.value == .cancelled)
  }

  // MARK: Encodings

  @Test(arguments: ["gzip", "deflate", "identity,br"])
  func `of an encoded answer nothing is taken`(coding: String) async {
    for range in [nil, 1000..<4000] as [Range<UInt64>?] {
      let robot = ScriptedRobot(Self.recording)
      robot.state.withLock { $0.contentEncoding = coding }
      let read = await Self.read(robot, range)
      #expect(read.bytes == [])
      #expect(read.error == .malformed("a b/ü has the Content-Encoding '\(coding)', which was not requested"))
      #expect(robot.requests.count == 1 && robot.delivered == 0)
    }
  }

  @Test(arguments: ["identity", "", " identity , identity"])
  func `an encoding that is none does no harm`(coding: String) async {
    let robot = ScriptedRobot(Self.recording)
    robot.state.withLock { $0.contentEncoding = coding }
    #expect(await Self.read(robot).bytes == Self.recording)
  }
}
