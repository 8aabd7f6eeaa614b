/// Video files that are not MP4: people are told that they are there, and how to make recordings of them.

import FootageSystem
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct ForeignFilesTests {
  @Test(arguments: [
    ("a.mkv", "ffmpeg -i NAME.mkv -c copy NAME.mp4"), ("a/b.WebM", "ffmpeg -i NAME.webm -c copy NAME.mp4"),
    ("a.3gp", "-c copy"), ("a.insv", "-c copy"), ("a.360", "-c copy"), ("a.LRV", "-c copy"), ("a.flv", "-c copy"),
    ("a.ts", "ffmpeg -i NAME.ts -c copy NAME.mp4"), ("a.M2TS", "-c copy"), ("a.mts", "-c copy"),
    ("a.avi", "ffmpeg -i NAME.avi -c:v libx264 -pix_fmt yuv420p -c:a aac NAME.mp4"), ("a.mpg", "libx264"),
    ("a.h264", "ffmpeg -framerate 25 -i NAME.h264 -c copy NAME.mp4"), ("a.H265", "-framerate 25"),
    ("ü b.mkv", "NAME.mkv"),
  ])
  func `a video that is no MP4 has a command that makes one`(name: String, command: String) {
    #expect(ForeignVideo(name: Array(name.utf8))?.command.contains(command) == true)
    let sentence = ForeignFiles(count: 1, example: RelativePath(name)).sentence
    #expect(sentence?.hasPrefix("1 file in the recordings folder is not MP4 and in no list (\(name)).") == true)
    #expect(sentence?.contains(command) == true)
  }

  @Test(arguments: [
    "a.mp4", "a.MOV", "a.m4v", "a.txt", "a.tsx", "ts", "a.", "", ".ts", "a/.mkv", "a.mkv.part", "a.ts/b",
  ])
  func `other files are none`(name: String) {
    #expect(ForeignVideo(name: Array(name.utf8)) == nil)
    #expect(ForeignFiles(count: 0).sentence == nil)
  }

  @Test func `many folders take bounded memory, and are all counted`() {
    var counts = ForeignFileCounts()
    let folders = ForeignFileCounts.folderLimit + 100
    for index in 0..<folders { counts.add(RelativePath("f\(index)/a.ts"), in: RelativePath("f\(index)")) }
    #expect(counts.total.count == folders && counts.total.example == RelativePath("f0/a.ts"))
    counts.set(ForeignFiles(), of: RelativePath("f0"))
    #expect(counts.total == ForeignFiles(count: folders - 1, example: RelativePath("f1/a.ts")))
    // A folder beyond the limit is counted again by a scan alone.
    counts.set(ForeignFiles(), of: RelativePath("f\(folders - 1)"))
    #expect(counts.total.count == folders - 1)
    counts.replace(in: .root, by: ForeignFileCounts(), unlisted: [RelativePath("f7")])
    #expect(counts.total == ForeignFiles(count: 1, example: RelativePath("f7/a.ts")))
    counts.replace(in: RelativePath("f7"), by: ForeignFileCounts(), unlisted: [])
    #expect(counts.total == ForeignFiles())
  }

  @Test func `they are counted, logged once, and no longer counted when they are gone`() throws {
    let folder = try TemporaryFolder()
    try makeFolder(folder.path("front/b"))
    try makeFolder(folder.path("x.mkv"))
    try makeFolder(folder.path(".hidden"))
    for name in ["front/b/b.MKV", "front/a.webm", "front/.c.ts", ".hidden/a.ts", "a.txt"] {
      try put([1], folder.path(name))
    }
    let fixture = try LibraryFixture(in: folder)
    func wait(_ count: Int, _ example: String?) throws {
      try eventually("\(count) files, not \(fixture.library.condition.foreign)") {
        fixture.move(seconds: 31)
        return fixture.library.condition.foreign
          == ForeignFiles(count: count, example: example.map { RelativePath($0) })
      }
    }
    try wait(2, "front/a.webm")
    try put([1], folder.path("front/0.avi"))
    try wait(3, "front/0.avi")
    try FileManager.default.moveItem(atPath: folder.path("front/0.avi"), toPath: folder.path("front/0.mp4.part"))
    try wait(2, "front/a.webm")
    try FileManager.default.removeItem(atPath: folder.path("front/b"))
    try wait(1, "front/a.webm")
    try FileManager.default.removeItem(atPath: folder.path("front/a.webm"))
    try wait(0, nil)
    try put([1], folder.path("c.h264"))
    try wait(1, "c.h264")
    #expect(fixture.log.warnings.count { $0.contains("not MP4") } == 1)
    #expect(fixture.log.warnings.contains { $0.contains("2 files") && $0.contains("-i NAME.webm -c copy") })
    #expect(fixture.library.snapshot.count == 0)
  }

  @Test func `a file that appears between two scans is counted soon, by its event`() throws {
    let folder = try TemporaryFolder()
    try makeFolder(folder.path("front"))
    let fixture = try LibraryFixture(in: folder)
    try put([1], folder.path("front/a.mkv"))
    var seconds: Int64 = 0
    try eventually("it is counted after \(seconds) s") {
      // The next scan of the whole folder is later, even if this test waits for its whole minute.
      if (seconds + 100) * 1_000_000_000 < LibraryLimits.rescanNanoseconds {
        fixture.move(seconds: 1)
        seconds += 1
      }
      return fixture.library.condition.foreign.count == 1
    }
  }

  @Test func `a command says nothing of them`() throws {
    let folder = try TemporaryFolder()
    try put([1], folder.path("a.mkv"))
    let fixture = try LibraryFixture(in: folder, role: .command, isStarted: false)
    fixture.library.refresh()
    #expect(fixture.log.warnings.isEmpty)
    #expect(fixture.library.withWorker { $0.condition.foreign.count } == 1)
  }
}
