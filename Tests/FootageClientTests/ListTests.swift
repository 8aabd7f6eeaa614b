/// The list of recordings, page by page.
import Formats
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FootageClient

@Suite struct ListTests {
  static let item = """
    {"name":"front/a","camera":"front","url":"/recordings/front/a.mp4","state":"ready","recovered":true,"size":7,
     "etag":"\\"x\\"","startedAt":"2026-11-20T10:15:30.250Z","startedFrom":"creation","future":true,"duration":60.033,
     "video":{"codec":"avc1.64001F","width":1280,"height":720,"frameRate":30.0},
     "audio":{"codec":"mp4a.40.2","sampleRate":48000,"channels":2}}
    """

  static func small(_ name: String) -> String {
    #"{"name":"\#(name)","camera":null,"url":"","state":"recording","size":0,"etag":null,"startedAt":"2026-11-20T10:15:30Z","duration":null,"video":null,"audio":null}"#
  }

  static func robot(_ documents: [String: String]) -> ScriptedRobot {
    let robot = ScriptedRobot([])
    robot.state.withLock { state in
      state.isGone = true
      for (target, text) in documents { state.documents[target] = (200, text) }
    }
    return robot
  }

  static func names(_ sequence: RecordingSequence) async throws(RobotError) -> [String] {
    var names: [String] = []
    for try await recording in sequence { names.append(recording.name) }
    return names
  }

  @Test func `an item is read with all that it says`() async throws {
    let robot = Self.robot(["/recordings/front/a.json": Self.item])
    var recording = try await ReadTests.connection(robot).recording("front/a")
    // All of it, for who keeps it.
    let item = try #require(recording.itemJSON)
    #expect(JSONValue(Array(item.utf8)) == JSONValue(Array(Self.item.utf8)))
    recording.itemJSON = nil
    #expect(
      recording
        == RobotRecording(
          name: "front/a", camera: "front", state: .ready, isRecovered: true, size: 7, entityTag: "\"x\"",
          startedAt: UnixTime(seconds: 1_795_169_730, milliseconds: 250), startSource: .creation, startsInFuture: true,
          duration: 60.033,
          video: .init(codec: "avc1.64001F", width: 1280, height: 720, frameRate: 30),
          audio: .init(codec: "mp4a.40.2", sampleRate: 48000, channels: 2)))
  }

  @Test func `an earlier robot tells whole seconds, and not whence`() async throws {
    let robot = Self.robot(["/recordings/a.json": Self.small("a")])
    let recording = try await ReadTests.connection(robot).recording("a")
    #expect(recording.startedAt == UnixTime(seconds: 1_795_169_730))
    #expect(recording.startSource == nil)
    #expect(!recording.startsInFuture)
  }

  @Test(
    arguments: [("layout", .layout), ("name", .name), ("file", .file), ("sundial", .other("sundial"))]
      as [(String, RobotRecording.StartSource)])
  func `whence a start is known is read and written`(word: String, source: RobotRecording.StartSource) async throws {
    let item = Self.item.replacingOccurrences(of: "\"creation\"", with: "\"\(word)\"")
    let recording = try await ReadTests.connection(Self.robot(["/recordings/front/a.json": item])).recording("front/a")
    #expect(recording.startSource == source)
    var json = JSONWriter()
    recording.writeJSON(into: &json)
    #expect(json.text.contains(#""startedAt":"2026-11-20T10:15:30.250Z","startedFrom":"\#(word)","future":true,"#))
  }

  @Test func `a robot's other words beside the recordings do no harm`() async throws {
    let robot = Self.robot([
      "/recordings?limit=200":
        #"{"robot":{"zone":"Europe/Berlin"},"may":[],"recordings":[\#(Self.small("a"))],"next":null}"#
    ])
    #expect(try await Self.names(ReadTests.connection(robot).recordings()) == ["a"])
  }

  @Test func `a moment within a second is in order, and is written with its fraction`() {
    let moments = [0, 250, 999].map { UnixTime(seconds: 1_795_169_730, milliseconds: $0) }
    #expect(moments == moments.reversed().sorted())
    #expect(
      moments.map(\.description) == ["2026-11-20T10:15:30Z", "2026-11-20T10:15:30.250Z", "2026-11-20T10:15:30.999Z"])
    #expect(moments.map { UnixTime(rfc3339: $0.description) } == moments)
    #expect(UnixTime(seconds: 1, milliseconds: 1_000) == UnixTime(seconds: 1, milliseconds: 999))
  }

  @Test func `pages follow one another as they are asked for`() async throws {
    let robot = Self.robot([
      "/recordings?limit=200": #"{"recordings":[\#(Self.small("a")),\#(Self.small("b"))],"next":"c~1"}"#,
      "/recordings?limit=200&after=c~1": #"{"recordings":[\#(Self.small("c"))],"next":null}"#,
    ])
    let connection = ReadTests.connection(robot)
    var iterator = connection.recordings().makeAsyncIterator()
    #expect(robot.requests.isEmpty)
    var names: [String?] = []
    for _ in 0..<2 { names.append(try await iterator.next()?.name) }
    #expect(robot.requests.count == 1)
    for _ in 0..<3 { names.append(try await iterator.next()?.name) }
    #expect(names == ["a", "b", "c", nil, nil])
    #expect(robot.requests.count == 2)
  }

  @Test func `a query says what is wanted`() async throws {
    let target =
      "/recordings?limit=200&camera=a%26b%20%C3%BC&since=2026-11-20T00%3A00%3A00Z&until=2026-11-21T00%3A00%3A00Z&state=refused"
    let robot = Self.robot([target: #"{"recordings":[],"next":null}"#])
    let names = try await Self.names(
      ReadTests.connection(robot).recordings(
        camera: "a&b ü", since: UnixTime(rfc3339: "2026-11-20"), until: UnixTime(rfc3339: "2026-11-21"),
        state: .refused))
    #expect(names == [])
    #expect(robot.requests.map(\.target) == [target])
  }

  @Test(
    arguments: [
      "", "null", "[]", "{}", #"{"recordings":[]}"#, #"{"recordings":{},"next":null}"#,
      #"{"recordings":[],"next":7}"#, #"{"recordings":[{}],"next":null}"#, #"{"recordings":[],"next":"again"}"#,
      #"{"recordings":[{"name":"a","state":"ready","size":-1,"startedAt":"2026-11-20T10:15:30Z"}],"next":null}"#,
      #"{"recordings":[{"name":"","state":"ready","size":1,"startedAt":"2026-11-20T10:15:30Z"}],"next":null}"#,
      #"{"recordings":[{"name":"a","state":"ready","size":1,"startedAt":"yesterday"}],"next":null}"#,
    ])
  func `a list that makes no sense is an error`(text: String) async {
    let robot = Self.robot(["/recordings?limit=200": text])
    let error = await #expect(throws: RobotError.self) {
      try await Self.names(ReadTests.connection(robot).recordings())
    }
    guard case .malformed? = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test func `a list that leads back to itself ends`() async {
    let page = #"{"recordings":[\#(Self.small("a"))],"next":"same"}"#
    let robot = Self.robot(["/recordings?limit=200": page, "/recordings?limit=200&after=same": page])
    await #expect(throws: RobotError.malformed("the list does not get on")) {
      try await Self.names(ReadTests.connection(robot).recordings())
    }
  }

  @Test func `a robot that is busy is asked again, one that has no such recording is not`() async throws {
    let robot = Self.robot(["/recordings?limit=200": #"{"recordings":[\#(Self.small("a"))],"next":null}"#])
    robot.state.withLock { $0.faults = [.status(503), .unreachable] }
    #expect(try await Self.names(ReadTests.connection(robot).recordings()) == ["a"])
    await #expect(throws: RobotError.notFound("b", code: "not-found", "There is no such thing.")) {
      try await ReadTests.connection(robot).recording("b")
    }
  }
}
