import FootageAPI
import FootageBase
import LinuxTestSupport
import Testing

@testable import FootageCommands

@Suite struct CameraListingTests {
  private static func camera(_ name: String?, _ count: Int, live: Bool) -> CameraList.Camera {
    CameraList.Camera(
      name: name, recordingCount: count, from: UnixTimestamp(seconds: 1_795_169_730),
      to: UnixTimestamp(seconds: 1_795_256_130, milliseconds: 999), isLive: live, codec: nil)
  }

  private static func lines(_ cameras: [CameraList.Camera], columns: Int?) -> [String] {
    CameraListing.text(cameras, in: RecordingTableTests.berlin, columns: columns).split(separator: "\n")
      .map(String.init)
  }

  @Test func `each camera has its line, with times of the zone`() {
    let lines = Self.lines(
      [
        Self.camera("front", 1_440, live: true), Self.camera("\u{1B}[31m", 3, live: false),
        Self.camera(nil, 12, live: false),
      ],
      columns: 80)
    #expect(lines[0] == "CAMERA  RECORDINGS  FROM (Europe/Berlin)  TO                   LIVE")
    #expect(lines[1] == "front         1440  2026-11-20 11:15:30   2026-11-21 11:15:30  live")
    #expect(lines[3] == "–               12  2026-11-20 11:15:30   2026-11-21 11:15:30  –")
    #expect(!lines[2].contains("\u{1B}"))
    #expect(Self.lines([], columns: 80) == ["no recordings"])
  }

  @Test func `a long name is shortened on a terminal, and nowhere else`() {
    let long = "a-camera-" + String(repeating: "very-", count: 10) + "long-name"
    let cameras = [Self.camera(long, 1, live: true)]
    #expect(Self.lines(cameras, columns: 90).allSatisfy { ProgressLine.width($0) < 90 })
    #expect(Self.lines(cameras, columns: nil)[1].hasPrefix(long))
    #expect(!Self.lines(cameras, columns: 10).isEmpty)
  }
}
