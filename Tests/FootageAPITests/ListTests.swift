import FootageAPI
import FootageBase
import Testing

@Suite struct ListTests {
  private static let robot = RobotDescription(name: "tin", zone: "Europe/Berlin", version: "1.2")
  private static let header = ListHeader(robot: robot, may: ["keep"])

  private static func json(_ text: String) throws -> JSONValue { try #require(JSONValue(Array(text.utf8))) }

  @Test func `cameras are read as they were written`() throws {
    let list = CameraList(
      header: Self.header,
      cameras: [
        CameraList.Camera(
          name: "front", recordingCount: 812, from: UnixTimestamp(milliseconds: -5),
          to: UnixTimestamp(milliseconds: 1_795_169_730_123), isLive: true, codec: "avc1.64001F"),
        CameraList.Camera(
          name: nil, recordingCount: 1, from: UnixTimestamp(milliseconds: 0), to: UnixTimestamp(milliseconds: 0),
          isLive: false, codec: nil),
      ])
    var json = JSONWriter()
    list.write(into: &json)
    #expect(
      json.text == #"""
        {"robot":{"name":"tin","zone":"Europe/Berlin","version":"1.2"},"may":["keep"],"cameras":[{"name":"front",\#
        "recordings":812,"from":-5,"to":1795169730123,"live":true,"codec":"avc1.64001F"},{"name":null,\#
        "recordings":1,"from":0,"to":0,"live":false,"codec":null}]}
        """#)
    #expect(CameraList(try Self.json(json.text)) == list)
  }

  @Test func `recordings are read as they were written, item by item`() throws {
    let item = RecordingItem(
      name: "front/a b", camera: "front", state: .ready, isRecovered: false, size: 7, entityTag: "\"t\"",
      startedAt: UnixTimestamp(milliseconds: 1_500), startedFrom: "name", isInFuture: false, duration: 2.5, video: nil,
      audio: nil)
    var json = JSONWriter()
    RecordingList.write(Self.header, [item], next: ListCursor(text: "5_61"), into: &json)
    #expect(json.text.hasPrefix(#"{"robot":{"name":"tin","zone":"Europe/Berlin","version":"1.2"},"may":["keep"],"#))
    let list = try #require(RecordingList(try Self.json(json.text)))
    #expect(list.header == Self.header && list.next == ListCursor(text: "5_61"))
    #expect(try list.items.map { (json) throws(RecordingItem.Fault) in try RecordingItem(json) } == [item])
  }

  @Test func `a robot that says nothing of itself has lists, too`() throws {
    let list = try #require(RecordingList(try Self.json(#"{"recordings":[],"next":null}"#)))
    #expect(list.header == ListHeader(robot: nil, may: nil) && list.items.isEmpty && list.next == nil)
    let zoned = try #require(RecordingList(try Self.json(#"{"robot":{"zone":"UTC"},"recordings":[],"next":null}"#)))
    #expect(zoned.header.robot == RobotDescription(zone: "UTC"))
    var json = JSONWriter()
    RecordingList.write(list.header, EmptyCollection(), next: nil, into: &json)
    #expect(json.text == #"{"recordings":[],"next":null}"#)
  }

  @Test(arguments: [
    "{}", #"{"recordings":[]}"#, #"{"recordings":{},"next":null}"#, #"{"recordings":[],"next":5}"#, "[]",
  ])
  func `what lacks what every list has is none`(text: String) throws {
    #expect(RecordingList(try Self.json(text)) == nil)
    #expect(CameraList(try Self.json(text)) == nil)
  }

  @Test(arguments: [
    #"{"name":"x"}"#, #"{"recordings":1.5,"from":0,"to":0,"live":true}"#, #"{"recordings":1,"from":0,"to":0,"live":1}"#,
  ])
  func `what lacks what every camera has is none`(camera: String) throws {
    #expect(CameraList(try Self.json(#"{"cameras":[\#(camera)]}"#)) == nil)
  }
}
