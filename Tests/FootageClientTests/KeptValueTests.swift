@testable import FootageCore
import Foundation
import LinuxTestSupport
import Testing

/// Values that an app stores in its own files, or makes for previews.
@Suite struct KeptValueTests {
  static let listed =
    #"{"name":"front/a","state":"ready","size":7,"etag":"\"t\"","startedAt":"2026-11-20T10:15:30.250Z","of":"tomorrow"}"#

  private func again<Value: Codable & Equatable>(_ value: Value) throws -> (Value, String) {
    let json = try JSONEncoder().encode([value])
    return (try JSONDecoder().decode([Value].self, from: json)[0], String(decoding: json, as: UTF8.self))
  }

  @Test func `a recording keeps all that its robot said`() throws {
    let recording = try #require(RobotRecording(itemJSON: Self.listed))
    let (back, _) = try again(recording)
    #expect(back == recording && back.itemJSON?.contains("tomorrow") == true)
  }

  @Test func `a recording that was changed or made keeps what it is`() throws {
    var changed = try #require(RobotRecording(itemJSON: Self.listed))
    changed.isRecovered = true
    #expect(try again(changed).0.isRecovered)
    let made = RobotRecording(
      name: "front/x", startedAt: UnixTime(seconds: 1, milliseconds: 5), duration: 2.5, size: 9, state: .refused("why"),
      video: .init(codec: "avc1.64001F", width: 640, height: 360, rotation: 90),
      audio: .init(codec: "mp4a.40.2", sampleRate: 48_000, channels: 2))
    let back = try again(made).0
    #expect(made.camera == "front")
    #expect(back.camera == "front" && back.state == .refused("why") && back.duration == 2.5 && back.size == 9)
    #expect(back.video == made.video && back.audio == made.audio && back.startedAt == made.startedAt)
  }

  @Test(arguments: [("a", nil), ("front/a", "front"), ("front/x/a", "front"), ("", nil)] as [(String, String?)])
  func `a camera is the first folder`(_ name: String, _ camera: String?) {
    #expect(RobotRecording(name: name, startedAt: UnixTime(seconds: 0)).camera == camera)
  }

  @Test func `what is kept as text is what people write`() throws {
    let moment = UnixTime(seconds: 1_795_169_730, milliseconds: 250)
    #expect(try again(moment) == (moment, #"["2026-11-20T10:15:30.250Z"]"#))
    let address = try #require(RobotAddress("[::1]:9"))
    #expect(try again(address) == (address, #"["[::1]:9"]"#))
    let pin = try #require(PublicKeyPin(digest: [UInt8](repeating: 0, count: 32)))
    #expect(try again(pin).0 == pin)
    let pairing = PairingStore.Pairing(address: address, pins: [pin])
    #expect(try again(pairing).0 == pairing)
    let key = RecordingKey(robot: "r", name: "e\u{301}")
    #expect(try again(key).0 == key)
    let version = RecordingVersion(tag: "\"t\"", length: 5)
    #expect(try again(version).0 == version)
  }

  @Test(arguments: [#""x""#, "7", "null", #"{"seconds":1}"#])
  func `what is no value is told`(_ json: String) {
    let data = Data("[\(json)]".utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([UnixTime].self, from: data) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([RobotRecording].self, from: data) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([PublicKeyPin].self, from: data) }
  }

  @Test func `names are told apart by their bytes`() {
    let one = RobotRecording(name: "front/\u{e9}", startedAt: UnixTime(seconds: 0))
    let other = RobotRecording(name: "front/e\u{301}", startedAt: UnixTime(seconds: 0))
    #expect(one.id != other.id && Set([one.id, other.id, one.id]).count == 2)
    let unnamed = RobotCamera(name: nil, recordingCount: 1, from: UnixTime(seconds: 0), to: UnixTime(seconds: 1))
    let empty = RobotCamera(name: "", recordingCount: 1, from: UnixTime(seconds: 0), to: UnixTime(seconds: 1))
    #expect(unnamed.id != empty.id)
  }
}
