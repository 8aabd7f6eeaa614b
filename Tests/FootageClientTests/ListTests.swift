/// The list of recordings, page by page.
import FootageAPI
import FootageBase
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct ListTests {
  static let item = """
    {"name":"front/a","camera":"front","url":"/recordings/front/a.mp4","versionedURL":"/recordings/front/a.mp4?v=x",
     "state":"ready","recovered":true,"kept":true,"size":7,"etag":"\\"x\\"","startedAt":"2026-11-20T10:15:30.250Z","startedFrom":"creation","future":true,"duration":60.033,
     "video":{"codec":"avc1.64001F","width":1280,"height":720,"frameRate":30.0},
     "audio":{"codec":"mp4a.40.2","sampleRate":48000,"channels":2}}
    """

  static func small(_ name: String) -> String {
    #"{"name":"\#(name)","camera":null,"url":"","state":"recording","size":0,"etag":null,"startedAt":"2026-11-20T10:15:30Z","duration":null,"video":null,"audio":null}"#
  }

  static func robot(_ documents: [String: String]) -> ScriptedRobot {
    let robot = ScriptedRobot([])
    robot.state.withLock { state in
      state.isRemoved = true
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
    // The whole document, for an app that stores it.
    let item = try #require(recording.itemJSON)
    #expect(JSONValue(Array(item.utf8)) == JSONValue(Array(Self.item.utf8)))
    recording.itemJSON = nil
    #expect(
      recording
        == RobotRecording(
          name: "front/a", camera: "front", state: .ready, isRecovered: true, isKeptByRobot: true, size: 7,
          entityTag: "\"x\"",
          startedAt: UnixTime(seconds: 1_795_169_730, milliseconds: 250), startSource: .creation, startsInFuture: true,
          duration: 60.033,
          video: .init(codec: "avc1.64001F", width: 1280, height: 720, frameRate: 30),
          audio: .init(codec: "mp4a.40.2", sampleRate: 48000, channels: 2), hasVersionedURL: true))
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
    recording.item.write(into: &json)
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
      #"{"recordings":[],"next":7}"#, #"{"recordings":[],"next":"again"}"#,
      #"{"recordings":[7],"next":"\#(String(repeating: "x", count: RecordingSequence.cursorLimit + 1))"}"#,
    ])
  func `a list that makes no sense is an error`(text: String) async {
    let robot = Self.robot(["/recordings?limit=200": text])
    let error = await #expect(throws: RobotError.self) {
      try await Self.names(ReadTests.connection(robot).recordings())
    }
    guard case .malformed? = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test(
    arguments: [
      ("{}", "it has no name"), ("7", "it has no name"),
      (#"{"name":"","state":"ready","size":1,"startedAt":"2026-11-20T10:15:30Z"}"#, "it has no name"),
      (#"{"name":"b","size":1,"startedAt":"2026-11-20T10:15:30Z"}"#, "'b' has no state"),
      (#"{"name":"b","state":"ready","size":-1,"startedAt":"2026-11-20T10:15:30Z"}"#, "'b' has no size"),
      (#"{"name":"b","state":"ready","size":1,"startedAt":"yesterday"}"#, "'b' has no valid start time"),
    ])
  func `an item that makes no sense is left out, and told`(item: String, reason: String) async throws {
    let robot = Self.robot([
      "/recordings?limit=200":
        #"{"recordings":[\#(Self.small("a")),\#(item),\#(Self.small("c")),{}],"next":"1"}"#,
      "/recordings?limit=200&after=1": #"{"recordings":[{}],"next":null}"#,
    ])
    let events = EventLog<RobotEvent>()
    #expect(try await Self.names(ReadTests.connection(robot, events).recordings()) == ["a", "c"])
    #expect(events.all == [.leftOut(count: 2, reason: reason), .leftOut(count: 1, reason: "it has no name")])
    #expect(events.all.first?.description == "2 items of the robot's list were left out: \(reason)")
    #expect(events.all.last?.description == "an item of the robot's list was left out: it has no name")
  }

  @Test(arguments: [1, 2, 3, 7, 64]) func `a list that leads in a circle ends, whatever its length`(length: Int) async {
    func page(_ number: Int) -> String {
      #"{"recordings":[\#(Self.small("\(number)"))],"next":"c\#(number % length)"}"#
    }
    var pages = ["/recordings?limit=200": page(0)]
    for number in 0..<length { pages["/recordings?limit=200&after=c\(number)"] = page(number + 1) }
    let robot = Self.robot(pages)
    await #expect(throws: RobotError.malformed("the list does not advance")) {
      try await Self.names(ReadTests.connection(robot).recordings())
    }
    #expect(robot.requests.count == length + 1)
  }

  @Test func `a list whose cursors never end is asked for so many pages, and no more`() async {
    let endless = EndlessList()
    let robot = RobotConnection(to: required(RobotAddress("robot.test")), over: endless, retrying: .immediate)
    await #expect(throws: RobotError.malformed("the list does not advance")) {
      try await Self.names(robot.recordings())
    }
    #expect(endless.pages == RecordingSequence.pageLimit + 1)
  }

  /// A list in which each page has one item and a new cursor.
  private final class EndlessList: MediaTransport {
    private final class Page: MediaBody {
      let bytes: Mutex<[UInt8]?>

      init(_ text: String) { bytes = Mutex(Array(text.utf8)) }

      func next() async throws(TransportFailure) -> [UInt8]? { bytes.withLock { $0.take() } }
    }

    private let count = Mutex(0)
    var pages: Int { count.withLock { $0 } }

    func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
      let number = count.withLock { count in
        count += 1
        return count
      }
      return MediaResponse(
        status: 200, body: Page(#"{"recordings":[7],"next":"\#(number)"}"#))
    }
  }

  @Test(arguments: ["gzip", "br", "identity, gzip", "x"]) func `an encoded list is refused`(coding: String) async {
    let robot = Self.robot(["/recordings?limit=200": #"{"recordings":[],"next":null}"#])
    robot.state.withLock { $0.contentEncoding = coding }
    await #expect(
      throws: RobotError.malformed(
        "the list of recordings has the Content-Encoding '\(coding)', which was not requested")
    ) { try await Self.names(ReadTests.connection(robot).recordings()) }
    #expect(robot.requests.count == 1)
  }

  @Test func `a robot that is busy is asked again, one that has no such recording is not`() async throws {
    let robot = Self.robot(["/recordings?limit=200": #"{"recordings":[\#(Self.small("a"))],"next":null}"#])
    robot.state.withLock { $0.faults = [.status(503), .unreachable] }
    #expect(try await Self.names(ReadTests.connection(robot).recordings()) == ["a"])
    await #expect(throws: RobotError.notFound(name: "b", code: "not-found", reason: "There is no such thing.")) {
      try await ReadTests.connection(robot).recording("b")
    }
  }
}
