import FootageAPI
import Formats
import Testing

@Suite struct RecordingItemTests {
  private static let full = RecordingItem(
    name: "front/50% ü", camera: "front", state: .ready, isRecovered: true, size: 1_000, entityTag: "\"0011\"",
    startedAt: UnixTimestamp(seconds: 1_795_169_730, milliseconds: 250), startedFrom: "name", isInFuture: true,
    duration: 60.033,
    video: RecordingItem.Video(codec: "avc1.64001F", width: 1280, height: 720, frameRate: 29.97),
    audio: RecordingItem.Audio(codec: "mp4a.40.2", sampleRate: 48_000, channels: 2), isKept: true)

  private static let bare = RecordingItem(
    name: "x", camera: nil, state: .refused("it is \"broken\""), isRecovered: false, size: .max, entityTag: nil,
    startedAt: UnixTimestamp(seconds: 0), startedFrom: nil, isInFuture: false, duration: nil, video: nil, audio: nil)

  private static func text(_ item: RecordingItem) -> String {
    var json = JSONWriter()
    item.write(into: &json)
    return json.text
  }

  @Test(arguments: [full, bare])
  func `what is written is read as the same`(item: RecordingItem) throws {
    let json = try #require(JSONValue(Array(Self.text(item).utf8)))
    #expect(try RecordingItem(json) == item)
  }

  @Test func `what later robots say more is no harm`() throws {
    let text = Self.text(Self.full).replacing("\"ready\"", with: "\"asleep\",\"tag\":\"00\",\"mood\":true")
    let item = try RecordingItem(try #require(JSONValue(Array(text.utf8))))
    #expect(item.state == .other("asleep"))
  }

  @Test(arguments: ["name", "state", "size", "startedAt"])
  func `what every item has must not be missing`(member: String) throws {
    let text = Self.text(Self.full).replacing("\"\(member)\":", with: "\"another\":")
    let json = try #require(JSONValue(Array(text.utf8)))
    #expect(throws: RecordingItem.Fault.self) { try RecordingItem(json) }
  }
}
