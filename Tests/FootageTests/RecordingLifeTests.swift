/// The states of a recording from its first byte to its last, with real recorders at their own speed.
import FootageAPI
import Foundation
import LinuxTestSupport
import Testing

@Suite struct RecordingLifeTests {
  /// A recorder that writes some kbit/s for a minute, which is less than its buffers hold.
  struct Recorder: Sendable {
    let name: String
    let command: @Sendable (_ path: String) -> [String]
  }

  static let seconds = 60

  static func ffmpeg(_ options: [String]) -> @Sendable (String) -> [String] {
    { path in
      ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "color=c=gray:s=64x64:r=5", "-t", "\(seconds)"]
        + ["-c:v", "libx264", "-preset", "ultrafast", "-b:v", "8k", "-g", "25", "-pix_fmt", "yuv420p"] + options + [
          path
        ]
    }
  }

  static func gstreamer(_ options: String) -> @Sendable (String) -> [String] {
    { path in
      ["gst-launch-1.0", "-q", "-e"]
        + ("videotestsrc pattern=black is-live=true num-buffers=\(5 * seconds) ! video/x-raw,width=64,height=64,framerate=5/1 ! "
        + "x264enc tune=zerolatency bitrate=8 key-int-max=25 ! h264parse ! mp4mux \(options) ! filesink location=")
        .split(separator: " ").map(String.init).dropLast() + ["location=\(path)"]
    }
  }

  static let recorders = [
    Recorder(name: "ffmpeg, plain", command: ffmpeg([])),
    Recorder(
      name: "ffmpeg, fragmented",
      command: ffmpeg(["-movflags", "frag_keyframe+empty_moov+default_base_moof"])),
    Recorder(name: "GStreamer, plain", command: gstreamer("")),
    Recorder(name: "GStreamer, fragmented", command: gstreamer("fragment-duration=5000")),
  ]

  /// All recorders run at once, since each takes a minute.
  @Test func `a recorder that writes 8 kbit a second is recording, then ready, and nothing else`() throws {
    try withServer { server in
      var processes: [RunningProgram] = []
      for (index, recorder) in Self.recorders.enumerated() {
        let words = recorder.command(server.file("\(index).mp4"))
        processes.append(try RunningProgram(Command(words[0], arguments: Array(words.dropFirst()))))
      }
      var states: [String: [String]] = [:]
      func look() throws {
        for item in try server.list() where states[item.name, default: []].last != item.state {
          states[item.name, default: []].append(item.state)
        }
      }
      while processes.contains(where: \.isRunning) {
        try look()
        usleep(100_000)
      }
      try eventually("all are ready", within: .seconds(30)) {
        try look()
        return states.values.count { $0.last == "ready" } == Self.recorders.count
      }
      for (index, recorder) in Self.recorders.enumerated() {
        #expect(processes[index].waitForEnd() == 0)
        #expect(states["\(index)"] == ["recording", "ready"], "\(recorder.name)")
      }
      #expect(server.lines(with: "refused").isEmpty, "\(server.story)")
      #expect(server.lines(with: "recovered").isEmpty, "\(server.story)")
    }
  }

  @Test func `a recorder that is killed is judged within two seconds`() throws {
    try withServer { server in
      var processes: [RunningProgram] = []
      for (name, options) in [
        ("plain", []),
        ("fragmented", ["-movflags", "frag_every_frame+empty_moov+default_base_moof", "-flush_packets", "1"]),
      ] {
        let words = Self.ffmpeg(options)(server.file("\(name).mp4"))
        processes.append(try RunningProgram(Command(words[0], arguments: Array(words.dropFirst()))))
      }
      for name in ["plain", "fragmented"] { try server.waitForState("recording", of: name) }
      try eventually("some fragments") {
        (try FileManager.default.attributesOfItem(atPath: server.file("fragmented.mp4"))[.size] as? Int ?? 0) > 10_000
      }
      for process in processes { process.kill() }
      let killed = Date()
      try server.waitForState("refused", of: "plain")
      try server.waitForState("ready", of: "fragmented")
      // The list is requested repeatedly meanwhile, by programs that start slowly on a busy machine.
      #expect(Date().timeIntervalSince(killed) < 10 || !TestRun.comparesTimes)
    }
  }

  @Test func `two hundred files are copied in, and none is called refused on its way`() throws {
    let source = try TemporaryFolder()
    let clip = try Data(contentsOf: URL(fileURLWithPath: try Fixtures.clip()))
    try clip.write(to: URL(fileURLWithPath: source.path("small.mp4")))
    // The same with unused bytes up to a certain size: the copy takes long, the look does not.
    for megabytes in [1, 5, 20, 60] {
      let path = source.path("\(megabytes).mp4")
      let moov = try #require(clip.range(of: Data("moov".utf8), options: .backwards)).lowerBound - 4
      var bytes = clip[..<moov]
      var size = UInt32(megabytes << 20).bigEndian
      bytes.append(withUnsafeBytes(of: &size) { Data($0) })
      bytes.append(Data("free".utf8))
      bytes.append(Data(count: megabytes << 20 - 8))
      bytes.append(clip[moov...])
      try bytes.write(to: URL(fileURLWithPath: path))
    }
    try withServer { server in
      for index in 0..<200 {
        let size =
          index % 20 == 0 ? "60" : index % 20 == 1 ? "20" : index % 5 == 2 ? "5" : index % 3 == 0 ? "1" : "small"
        let copied = try Command("cp", source.path("\(size).mp4"), server.file("\(index).mp4")).run()
        try #require(copied.succeeded, "\(copied.errors)")
      }
      try eventually("all are ready", within: .seconds(60)) {
        let items = try server.list(ListQuery(limit: 1000))
        return items.count == 200 && items.allSatisfy { $0.state == "ready" }
      }
      #expect(server.lines(with: "refused").isEmpty, "\(server.story)")
    }
  }
}
