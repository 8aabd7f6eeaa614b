import FootageBase
import LinuxTestSupport
import Synchronization
import Testing

@testable import FootageCore

/// The times at which a camera recorded, as an app receives them.
@Suite struct TimelineTests {
  private static func moment(_ seconds: Int64) -> UnixTime { UnixTime(seconds: seconds) }

  /// Returns rows for recordings of ten seconds each, which begin at these seconds.
  private static func rows(_ starts: [Int]) -> String {
    starts.map { #"["c/\#($0)","00112233445566\#(10 + $0 % 90)",\#($0 * 1_000),10000,"ready",1]"# }.joined(
      separator: ",")
  }

  private static func answer(_ spans: [String], first: Int?, last: Int?, next: String?) -> String {
    let words = { (number: Int?) in number.map(String.init) ?? "null" }
    return """
      {"robot":{"name":"r","later":1},"may":[],"camera":"c","from":0,"to":100000,"first":\(words(first)),
      "last":\(words(last)),"spans":[\(spans.joined(separator: ","))],"next":\(next.map { "\"\($0)\"" } ?? "null")}
      """
  }

  private static func span(_ from: Int, _ to: Int, _ starts: [Int], overlaps: Bool = false) -> String {
    #"{"from":\#(from),"to":\#(to),"overlaps":\#(overlaps),"recordings":[\#(rows(starts))],"later":[]}"#
  }

  private static let target = "/cameras/c.json?from=1970-01-01T00%3A00%3A00Z&to=1970-01-01T00%3A01%3A40Z"

  private func timeline(_ documents: [String: String]) async throws -> RobotTimeline {
    try await ReadTests.connection(ListTests.robot(documents)).timeline(
      camera: "c", from: Self.moment(0), to: Self.moment(100))
  }

  @Test func `a timeline of one answer is given as it came`() async throws {
    let found = try await timeline([
      Self.target: Self.answer(
        [Self.span(500, 20_000, [0, 10]), Self.span(40_000, 50_000, [40], overlaps: true)], first: 500, last: 49_960,
        next: nil)
    ])
    #expect(found.camera == "c" && found.from == Self.moment(0) && found.to == Self.moment(100))
    #expect(found.first == UnixTime(seconds: 0, milliseconds: 500) && found.last?.milliseconds == 960)
    #expect(found.spans.map(\.overlaps) == [false, true])
    #expect(found.spans.map { $0.recordings.map(\.name) } == [["c/0", "c/10"], ["c/40"]])
    let part = try #require(found.spans.first?.recordings.last)
    #expect(part.startedAt == Self.moment(10) && part.duration == 10 && part.state == .ready)
  }

  /// A recording that extends beyond the end of an answer is in both answers.
  @Test func `a timeline of several answers is one`() async throws {
    let found = try await timeline([
      Self.target: Self.answer(
        [Self.span(0, 10_000, [0]), Self.span(20_000, 35_000, [20, 30])], first: 0, last: 34_960, next: "35000"),
      "\(Self.target)&after=35000": Self.answer(
        [Self.span(35_000, 50_000, [30, 40], overlaps: true)], first: 35_000, last: 49_960, next: "60000"),
      "\(Self.target)&after=60000": Self.answer([], first: nil, last: nil, next: "70000"),
      "\(Self.target)&after=70000": Self.answer(
        [Self.span(70_000, 80_000, [70])], first: 70_000, last: 79_960, next: nil),
    ])
    #expect(found.spans.map(\.from.seconds) == [0, 20, 70] && found.spans.map(\.to.seconds) == [10, 50, 80])
    #expect(found.spans.map { $0.recordings.map(\.name) } == [["c/0"], ["c/20", "c/30", "c/40"], ["c/70"]])
    #expect(found.spans.map(\.overlaps) == [false, true, false])
    #expect(found.first == Self.moment(0) && found.last == UnixTime(seconds: 79, milliseconds: 960))
  }

  @Test func `spans of two answers with a gap between them stay two`() async throws {
    let found = try await timeline([
      Self.target: Self.answer([Self.span(0, 33_999, [0])], first: 0, last: 0, next: "35000"),
      "\(Self.target)&after=35000": Self.answer([Self.span(35_000, 50_000, [40])], first: 35_000, last: 0, next: nil),
    ])
    #expect(found.spans.count == 2)
    let joined = try await timeline([
      Self.target: Self.answer([Self.span(0, 34_000, [0])], first: 0, last: 0, next: "35000"),
      "\(Self.target)&after=35000": Self.answer([Self.span(35_000, 50_000, [40])], first: 35_000, last: 0, next: nil),
    ])
    #expect(joined.spans.count == 1)
  }

  @Test(arguments: [
    answer([], first: nil, last: nil, next: "5"), answer([span(0, 1, [0])], first: 0, last: 0, next: "5"),
    answer([], first: nil, last: nil, next: String(repeating: "5", count: 2_000)), "[]", "{}", "nonsense",
    answer([#"{"from":0,"to":1,"overlaps":false,"recordings":[["c"]]}"#], first: 0, last: 0, next: nil),
    answer([#"{"from":0,"to":1e99,"overlaps":false}"#], first: 0, last: 0, next: nil),
    answer(
      [#"{"from":0,"to":1,"overlaps":false,"recordings":[["c",null,0,-1,"ready",null]]}"#], first: 0, last: 0, next: nil
    ),
  ])
  func `an answer that makes no sense, or leads in a circle, is one that makes no sense`(text: String) async throws {
    await #expect { _ = try await timeline([Self.target: text, "\(Self.target)&after=5": text]) } throws: { error in
      guard case .malformed? = error as? RobotError else { return false }
      return true
    }
  }

  @Test func `what later robots say more is passed over, and another state is kept`() async throws {
    let row = #"["c/0",null,0,0,"archived",null,"more",{}]"#
    let found = try await timeline([
      Self.target: Self.answer(
        [#"{"from":0,"to":0,"overlaps":false,"recordings":[\#(row)]}"#], first: nil, last: nil, next: nil)
    ])
    #expect(found.spans.first?.recordings.first?.state == .other("archived"))
  }

  /// A film's address is the ninth value. Earlier robots name films by tags, and refuse the word that asks for addresses.
  @Test func `the addresses of films are asked for, and tags stand for them on earlier robots`() async throws {
    let film = String(repeating: "a", count: 32)
    func answer(_ more: String) -> String {
      let row = #"["c/0","0011223344556677",0,10000,"ready",1\#(more)]"#
      return Self.answer(
        [#"{"from":0,"to":10000,"overlaps":false,"recordings":[\#(row)]}"#], first: 0, last: 0, next: nil)
    }
    func asked(_ documents: [String: (Int, String)]) async throws -> [RobotTimeline.Part] {
      let robot = ListTests.robot([:])
      robot.state.withLock { state in
        for (target, document) in documents { state.documents[target] = document }
      }
      let found = try await ReadTests.connection(robot).timelineOfFilms(
        camera: "c", from: Self.moment(0), to: Self.moment(100))
      return found.spans.flatMap(\.recordings)
    }
    let films = "\(Self.target)&rows=films"
    let new = try await asked([films: (200, answer(#",null,null,"\#(film)""#))])
    #expect(new.map(\.film) == [film] && new.map(\.tag) == ["0011223344556677"])
    let later = try await asked([films: (200, answer(#","recovered","bob","\#(film)",7"#))])
    #expect(later.map(\.film) == [film])
    let problem =
      #"{"title":"Bad Request","status":400,"code":"bad-query","detail":"The parameter rows must be 0 or 1."}"#
    let old = try await asked([films: (400, problem), Self.target: (200, answer(""))])
    #expect(old.map(\.film) == [nil] && old.map(\.tag) == ["0011223344556677"])
    await #expect(throws: RobotError.self) { try await asked([films: (400, problem), Self.target: (400, problem)]) }
  }

  @Test func `no time is no request`() async throws {
    let robot = ListTests.robot([:])
    await #expect(throws: RobotError.self) {
      try await ReadTests.connection(robot).timeline(camera: nil, from: Self.moment(5), to: Self.moment(5))
    }
    #expect(robot.requests.isEmpty)
  }

  private static let cameras = """
    {"robot":{},"may":[],"cameras":[
      {"name":"c","recordings":2,"from":1000,"to":2500,"live":true,"codec":"avc1.64001F"},
      {"name":null,"recordings":1,"from":0,"to":0,"live":false,"codec":null}]}
    """

  @Test func `the cameras are given as they are listed`() async throws {
    let robot = ListTests.robot(["/cameras": Self.cameras])
    #expect(
      try await ReadTests.connection(robot).cameras() == [
        RobotCamera(
          name: "c", recordingCount: 2, from: Self.moment(1), to: UnixTime(seconds: 2, milliseconds: 500), isLive: true,
          codec: "avc1.64001F"),
        RobotCamera(name: nil, recordingCount: 1, from: Self.moment(0), to: Self.moment(0), isLive: false, codec: nil),
      ])
  }

  /// An earlier robot answers "not found" to unknown requests, and so does a robot without such a camera.
  @Test func `a robot that knows no timelines is told from a camera that there is not`() async throws {
    await #expect { _ = try await timeline([:]) } throws: { Self.isNotSupported($0) }
    await #expect { _ = try await timeline(["/cameras": Self.cameras]) } throws: { Self.isNotSupported($0) }
    let robot = ListTests.robot(["/cameras": Self.cameras])
    await #expect {
      try await ReadTests.connection(robot).timeline(camera: "d", from: Self.moment(0), to: Self.moment(1))
    } throws: { error in
      guard case .notFound(name: "d", code: "not-found", reason: _)? = error as? RobotError else { return false }
      return true
    }
    await #expect { try await ReadTests.connection(ListTests.robot([:])).cameras() } throws: { Self.isNotSupported($0) }
  }

  private static func isNotSupported(_ error: any Error) -> Bool {
    guard case .notSupported? = error as? RobotError else { return false }
    return true
  }
}
