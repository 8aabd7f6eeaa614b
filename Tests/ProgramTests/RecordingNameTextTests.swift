import LinuxTestSupport
import Testing

@testable import footage

/// Names of recordings as people paste them.
@Suite struct RecordingNameTextTests {
  @Test(
    arguments: [
      ("front/a", ["front/a"]), ("/front/a", ["/front/a", "front/a"]), ("front/a.mp4", ["front/a.mp4", "front/a"]),
      ("/front/a.mov", ["/front/a.mov", "front/a.mov", "front/a"]), ("a.txt", ["a.txt"]), ("", [""]), ("/", ["/"]),
      ("/recordings/front/a%20b.mp4", ["/recordings/front/a%20b.mp4", "front/a b.mp4", "front/a b"]),
      (
        "https://robot.local:8443/recordings/caf%C3%A9.mp4?start=1#t=3",
        ["https://robot.local:8443/recordings/caf%C3%A9.mp4?start=1#t=3", "café.mp4", "café"]
      ),
      ("https://robot.local/", ["https://robot.local/"]), ("https://robot.local/hls/x", ["https://robot.local/hls/x"]),
      ("/recordings/%ZZ.mp4", ["/recordings/%ZZ.mp4", "recordings/%ZZ.mp4", "recordings/%ZZ"]),
      (".mp4", [".mp4"]),
    ])
  func `a text stands for itself, and then for what it may be`(_ text: String, _ readings: [String]) {
    #expect(RecordingNameText.readings(of: text) == readings)
  }
}
