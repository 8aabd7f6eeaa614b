/// The sample recording: a small file like a recorder's.
import Foundation
import LinuxTestSupport
import Testing

@Suite(.serialized) struct SampleTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func make(_ name: String) throws -> Command.Outcome {
    try Command(CertificateFolder.scripts + "/make-sample.sh", folder.path(name)).run()
  }

  private func probe(_ name: String, _ arguments: String...) throws -> [String] {
    let outcome = try Command(
      "ffprobe", arguments: ["-v", "error", "-of", "csv=p=0"] + arguments + [folder.path(name)]
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return outcome.lines
  }

  /// Returns the types of the top-level boxes in file order, ISO/IEC 14496-12 §4.2.
  private func boxes(of data: Data) throws -> [String] {
    var kinds: [String] = []
    var offset = 0
    while offset < data.count {
      try #require(offset + 8 <= data.count)
      let size = data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      try #require(size >= 8)
      kinds.append(String(decoding: data[offset + 4..<offset + 8], as: UTF8.self))
      offset += size
    }
    return kinds
  }

  @Test func `it is twenty seconds of H.264 with B-frames and AAC, moov last, the same bytes each time`() throws {
    let outcome = try make("sample.mp4")
    try #require(outcome.succeeded, "\(outcome.errors)")
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("sample.mp4")))
    #expect((200_000..<700_000).contains(data.count))
    let boxes = try boxes(of: data)
    #expect(boxes.first == "ftyp")
    #expect(boxes.last == "moov")
    #expect(boxes.contains("mdat"))

    let video = try probe(
      "sample.mp4", "-select_streams", "v", "-show_entries", "stream=codec_name,profile,width,height,r_frame_rate")
    #expect(video == ["h264,High,1280,720,25/1"])
    #expect(try probe("sample.mp4", "-select_streams", "a", "-show_entries", "stream=codec_name") == ["aac"])
    let duration = try probe("sample.mp4", "-show_entries", "format=duration")
    #expect(abs(try #require(Double(duration.first ?? "")) - 20) < 0.1)
    #expect(
      try probe("sample.mp4", "-show_entries", "format_tags=creation_time") == ["2025-06-01T10:00:00.000000Z"])
    let keyframes = try probe("sample.mp4", "-select_streams", "v", "-show_entries", "packet=pts_time,flags")
      .filter { $0.contains("K") }.compactMap { Double($0.split(separator: ",")[0]) }
    #expect(keyframes == stride(from: 0.0, to: 20, by: 2).map { $0 })
    let kinds = try probe("sample.mp4", "-select_streams", "v", "-show_entries", "frame=pict_type")
    #expect(kinds.contains { $0.hasPrefix("B") })

    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["sample.mp4"])
    #expect(try make("again.mp4").succeeded)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("again.mp4"))) == data)
  }

  @Test(arguments: [[], ["a.mkv"], ["a.mp4", "b.mp4"], ["--fast.mp4"]])
  func `anything but one name is wrong usage`(arguments: [String]) throws {
    let outcome = try Command(CertificateFolder.scripts + "/make-sample.sh", arguments: arguments).run()
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--help"))
  }

  @Test func `a folder that does not exist is named`() throws {
    let outcome = try make("missing/sample.mp4")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("missing' does not exist"))
  }

  @Test func `a failing ffmpeg leaves nothing, and what was there stays`() throws {
    let tools = try TemporaryFolder()
    let failing = "#!/bin/bash\nprintf half >\"${@: -1}\"\nexit 1\n"
    try tools.addScript("ffmpeg", failing)
    try Data("before".utf8).write(to: URL(fileURLWithPath: folder.path("sample.mp4")))
    let path = tools.location + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    let outcome = try Command(
      CertificateFolder.scripts + "/make-sample.sh", folder.path("sample.mp4"), environment: ["PATH": path]
    ).run()
    #expect(outcome.status == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["sample.mp4"])
    #expect(try text(of: folder.path("sample.mp4")) == "before")
  }
}
