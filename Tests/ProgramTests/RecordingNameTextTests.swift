import FootageClient
import LinuxTestSupport
import Testing

@testable import FootageCommands

/// Names of recordings as people paste them.
@Suite struct RecordingNameTextTests {
  @Test func `URLs say whose recordings they are, and all have to be one robot's`() throws {
    #expect(try RecordingNameText.robot(of: ["front/a", "/recordings/a.mp4"]) == nil)
    let urls = ["https://Robot.local:8443/recordings/a.mp4", "b", "HTTPS://robot.local:8443/recordings/c.mp4?x"]
    #expect(try RecordingNameText.robot(of: urls)?.description == "robot.local:8443")
    #expect(try RecordingNameText.robot(of: ["https://[::1]/recordings/a"])?.description == "[::1]:443")
    for wrong in [urls + ["https://robot.local:8444/recordings/a"], ["https://a b/recordings/x"], ["https:///x"]] {
      #expect(throws: UsageError.self) { try RecordingNameText.robot(of: wrong) }
    }
  }

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
