import FootageAPI
import FootageBase
import Testing

@Suite struct RecordingItemTests {
  private static let full = RecordingItem(
    name: "front/50% ü", camera: "front", state: .ready, isRecovered: true, size: 1_000, entityTag: "\"0011\"",
    tag: ItemTag("00112233445566ff"), startedAt: UnixTimestamp(seconds: 1_795_169_730, milliseconds: 250),
    startedFrom: "name", isInFuture: true,
    duration: 60.033,
    video: VideoFormat(codec: "avc1.64001F", width: 1280, height: 720, frameRate: 29.97, rotation: 270),
    audio: AudioFormat(codec: "mp4a.40.2", sampleRate: 48_000, channels: 2),
    videoTracks: [
      VideoTrack(number: 1, codec: "hvc1", width: 64, height: 48),
      VideoTrack(number: 2, codec: "avc1.64001F", width: 1280, height: 720, frameRate: 29.97),
    ], isKept: true, shift: 1,
    keyInterval: 2.002)

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

  @Test func `a name that is not UTF-8 is shown, and kept to its last byte`() throws {
    let names = [[0xE9], [0xE8]].map { NameBytes.text(Array("cam-".utf8) + $0 + Array("/x".utf8)) }
    for name in names {
      var item = Self.bare
      item.name = name
      let json = try #require(JSONValue(Array(Self.text(item).utf8)))
      #expect(json["name"]?.string == "cam-\u{FFFD}/x")
      #expect(json["nameBytes"]?.string.flatMap(Base64.decode) == NameBytes.bytes(of: name))
      #expect(json["url"]?.string == (name == names[0] ? "/recordings/cam-%E9/x.mp4" : "/recordings/cam-%E8/x.mp4"))
      #expect(try RecordingItem(json).name == name)
    }
    #expect(names[0] != names[1])
    // A different `nameBytes` must not turn it into another recording.
    var other = Self.text(Self.bare)
    other = other.replacing(#""name":"x""#, with: #""name":"x","nameBytes":"\#(Base64.encode([0x79]))""#)
    let json = try #require(JSONValue(Array(other.utf8)))
    #expect(throws: RecordingItem.Fault.self) { try RecordingItem(json) }
    #expect(JSONValue(Array(Self.text(Self.bare).utf8))?["nameBytes"] == nil)
  }

  @Test func `what later robots say more is no harm`() throws {
    let text = Self.text(Self.full).replacing("\"ready\"", with: "\"asleep\",\"mood\":true")
    let item = try RecordingItem(try #require(JSONValue(Array(text.utf8))))
    #expect(item.state == .other("asleep"))
  }

  @Test func `what earlier robots do not say is not there`() throws {
    let text = Self.text(Self.full)
      .replacing(/"(tag|hls|shift|keyInterval)":[^,]*,/, with: "").replacing(#","rotation":270"#, with: "")
    let item = try RecordingItem(try #require(JSONValue(Array(text.utf8))))
    #expect(item.tag == nil && item.shift == nil && item.keyInterval == nil && item.video?.rotation == nil)
    #expect(item.entityTag == Self.full.entityTag && item.video?.codec == "avc1.64001F")
    #expect(item.filmTarget == nil)
  }

  @Test func `a film is where its shift is known, under the name that is encoded once`() throws {
    let json = try #require(JSONValue(Array(Self.text(Self.full).utf8)))
    #expect(json["hls"]?.string == "/recordings/front/50%25%20%C3%BC.m3u8")
    var item = Self.full
    item.shift = nil
    #expect(try #require(JSONValue(Array(Self.text(item).utf8)))["hls"] == nil)
    item.shift = 0
    #expect(item.filmTarget != nil)
    item.state = .recording
    #expect(item.filmTarget == nil)
  }

  @Test(arguments: [
    (#""tag":"00112233445566ff""#, #""tag":"../../../etc/pa""#), (#""tag":"00112233445566ff""#, #""tag":"00""#),
    (#""tag":"00112233445566ff""#, #""tag":"00112233445566FF""#), (#""tag":"00112233445566ff""#, #""tag":7"#),
    (#""shift":1"#, #""shift":-1"#), (#""shift":1"#, #""shift":4294967296"#), (#""shift":1"#, #""shift":1.5"#),
    (#""keyInterval":2.002"#, #""keyInterval":-2"#), (#""keyInterval":2.002"#, #""keyInterval":"2""#),
    (#""rotation":270"#, #""rotation":45"#), (#""rotation":270"#, #""rotation":-90"#),
  ])
  func `what makes no sense of that is not there either`(member: String, nonsense: String) throws {
    let before = Self.text(Self.full)
    let text = before.replacing(member, with: nonsense)
    #expect(text != before)
    let item = try RecordingItem(try #require(JSONValue(Array(text.utf8))))
    switch member.prefix(5) {
    case "\"tag\"": #expect(item.tag == nil)
    case "\"shif": #expect(item.shift == nil)
    case "\"keyI": #expect(item.keyInterval == nil)
    default: #expect(item.video?.rotation == nil)
    }
    #expect(item.name == Self.full.name)
  }

  @Test func `video tracks are listed with their numbers, and what is none is left out`() throws {
    let json = try #require(JSONValue(Array(Self.text(Self.full).utf8)))
    #expect(json["videoTracks"]?.array?.compactMap { $0["number"]?.integer() } == [1, 2])
    #expect(json["videoTracks"]?.array?.first?["frameRate"]?.isNull == true)
    #expect(JSONValue(Array(Self.text(Self.bare).utf8))?["videoTracks"] == nil)
    let text = Self.text(Self.full).replacing(#""videoTracks":["#, with: #""videoTracks":[7,{"number":0,"codec":"x"},"#)
    #expect(try RecordingItem(try #require(JSONValue(Array(text.utf8)))) == Self.full)
    let many = (0..<100).map { _ in #"{"number":3,"codec":"avc1","width":1,"height":1}"# }.joined(separator: ",")
    let flood = Self.text(Self.bare).dropLast() + #","videoTracks":[\#(many)]}"#
    #expect(try RecordingItem(try #require(JSONValue(Array(flood.utf8)))).videoTracks.count == 32)
  }

  @Test(arguments: ["name", "state", "size", "startedAt"])
  func `what every item has must not be missing`(member: String) throws {
    let text = Self.text(Self.full).replacing("\"\(member)\":", with: "\"another\":")
    let json = try #require(JSONValue(Array(text.utf8)))
    #expect(throws: RecordingItem.Fault.self) { try RecordingItem(json) }
  }
}
