import Foundation
import LinuxTestSupport
import Testing

/// Recordings of a camera whose recorder's times go on from file to file.
@Suite struct LateTimesTests {
  private static let day = "2026-11-20T"

  /// Three recordings of 6 s that follow each other, with these first times.
  @Test(arguments: [[0, 0, 0], [9.9, 9.9, 9.9], [100.9, 106.9, 112.9], [1_795_169_730, 0.5, 3_600]])
  func `a camera's film and clip have all of its recordings, whatever their first times are`(seconds: [Double]) throws {
    try withServer("--name-zone", "UTC", recordings: []) { server in
      try FileManager.default.createDirectory(atPath: server.file("rear"), withIntermediateDirectories: true)
      let plain = try RecorderFiles.bytes("plain-fragments")
      for (start, seconds) in zip(["30", "36", "42"], seconds) {
        let late = RecorderFiles.moved(plain, by: seconds, timescales: [1: 90_000, 2: 44_100])
        let path = server.file("rear/\(Self.day)10-15-\(start).mp4")
        try Data(late).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
      }
      let items = try eventually("all") {
        let items = try server.list().filter { $0.state == "ready" }
        return items.count == 3 ? items : nil
      }
      for item in items { #expect(abs((item.duration ?? 0) - 6.08) < 0.02, "\(item.name): \(item.duration ?? 0)") }
      let span = "from=\(Self.day)10:15:30Z&to=\(Self.day)10:15:48Z"
      let film = try server.answer("/cameras/rear.m3u8?\(span)")
      #expect(film.status == 200, "\(film.text)")
      let dates = film.lines.filter { $0.hasPrefix("#EXT-X-PROGRAM-DATE-TIME:") }.map { $0.dropFirst(25) }
      #expect(dates == ["30", "36", "42"].map { "\(Self.day)10:15:\($0).000Z" }, "\(film.text)")
      let clip = try server.answer("/cameras/rear.mp4?\(span)")
      #expect(clip.status == 200, "\(clip.text)")
      let path = server.folder.path("clip.mp4")
      try clip.body.write(to: URL(fileURLWithPath: path))
      let counted = try Command(
        "ffprobe", "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries", "stream=nb_read_frames",
        "-of", "csv=p=0", path
      ).successfulOutput()
      let count = Int(counted.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
      #expect((448...450).contains(count), "\(counted)")
      // Each recording begins with its beginning.
      for item in items { #expect(try server.answer("\(item.url)?start=0&end=3").status == 200, "\(item.name)") }
    }
  }
}
