/// The whole library on real folders: files are listed, and served byte for byte.

import FootageAPI
import FootageBase
import Foundation
import FootageMedia
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct LibraryTests {
  let fixture: LibraryFixture
  let folder: TemporaryFolder

  init() throws {
    fixture = try LibraryFixture()
    folder = fixture.folder
  }

  /// Returns the bytes that are to be served, according to the index of the file.
  func expected(_ bytes: [UInt8]) throws -> [UInt8] {
    guard case .ready(let index) = try MovieIndex.make(of: MemoryByteSource(bytes)) else { return [] }
    return index.preamble + index.body.flatMap { bytes[Int($0.lowerBound)..<Int($0.upperBound)] }
  }

  // MARK: Arriving

  @Test func `a file that is copied in is served with its moov first`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let served = try fixture.served("a")
    #expect(served == (try expected(Samples.moovLast)))
    #expect(served != Samples.moovLast)
    #expect(served.count == Samples.moovLast.count)
    let recording = try #require(fixture["a"])
    #expect(recording.size == UInt64(served.count))
    #expect(recording.video?.width == 64)
    #expect(recording.audio?.codec == "mp4a.40.2")
    #expect(abs((recording.duration ?? 0) - 2) < 0.2)
    #expect(contents(folder.path("a.mp4")) == Samples.moovLast)
  }

  @Test func `a file with its moov first is served as it is, without a preamble`() throws {
    try put(Samples.moovFirst, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    #expect(try fixture.served("a") == Samples.moovFirst)
    #expect(fixture["a"]?.content?.preambleLength == 0)
    #expect(
      try FolderListing.entries(of: fixture.library.place.heads).allSatisfy { $0.name?.hasSuffix(".index") == true })
  }

  @Test func `links, moves and odd names arrive too`() throws {
    let outside = try TemporaryFolder()
    try put(Samples.moovLast, outside.path("x"))
    try FileTree.link(outside.path("x"), as: folder.path("linked.mp4"))
    try fixture.waitUntilReady("linked")
    try FileTree.rename(outside.path("x"), replacing: folder.path("50% ü\n 'moved'.M4V"))
    try fixture.waitUntilReady("50% ü\n 'moved'")
    #expect(try fixture.served("50% ü\n 'moved'") == (try expected(Samples.moovLast)))
  }

  @Test func `two spellings of one letter are two recordings, and two cameras`() throws {
    for name in ["\u{E9}", "e\u{301}"] { try makeFolder(folder.path(name)) }
    try put(Samples.moovLast, folder.path("\u{E9}/\u{E9}.mp4"))
    try put(Samples.other, folder.path("e\u{301}/\u{E9}.mp4"))
    try put(Samples.moovFirst, folder.path("e\u{301}/e\u{301}.mp4"))
    for name in ["\u{E9}/\u{E9}", "e\u{301}/\u{E9}", "e\u{301}/e\u{301}"] { try fixture.waitUntilReady(name) }
    #expect(try fixture.served("\u{E9}/\u{E9}") == expected(Samples.moovLast))
    #expect(try fixture.served("e\u{301}/\u{E9}") == expected(Samples.other))
    #expect(try fixture.served("e\u{301}/e\u{301}") == Samples.moovFirst)
    #expect(fixture["\u{E9}/e\u{301}"] == nil)
    let snapshot = fixture.library.snapshot
    #expect(snapshot.page(of: ListQuery(camera: "\u{E9}")).recordings.map(\.path.text.utf8.count) == [9])
    #expect(snapshot.page(of: ListQuery(camera: "e\u{301}")).recordings.count == 2)
    // One of them is deleted, and the other stays.
    try FileTree.remove(folder.path("e\u{301}/e\u{301}.mp4"))
    try fixture.wait("it is gone") { $0.count == 2 }
    #expect(fixture["e\u{301}/e\u{301}"] == nil)
    #expect(fixture["e\u{301}/\u{E9}"]?.state == .ready)
  }

  @Test func `QuickTime is called so only where its brand does`() throws {
    try put(Samples.quickTime, folder.path("a.mov"))
    try put(Samples.moovLast, folder.path("b.mov"))
    try fixture.waitUntilReady("a")
    try fixture.waitUntilReady("b")
    #expect(try fixture.library.open(try #require(fixture["a"])).mediaType == "video/quicktime")
    #expect(try fixture.library.open(try #require(fixture["b"])).mediaType == "video/mp4")
  }

  @Test func `the name is when it began, else the creation time of the file, else its last write tells`() throws {
    try put(Samples.dated, folder.path("2025-11-20T10-15-30.250.mp4"))
    try put(Samples.dated, folder.path("a.mp4"))
    try put(Samples.moovLast, folder.path("b.mp4"))
    for name in ["2025-11-20T10-15-30.250", "a", "b"] { try fixture.waitUntilReady(name) }
    #expect(
      fixture["2025-11-20T10-15-30.250"]?.start
        == StartTime(UnixTimestamp(seconds: 1_763_633_730, milliseconds: 250), .name))
    #expect(fixture["a"]?.start == StartTime(UnixTimestamp(seconds: 1_706_933_106), .creation))
    #expect(fixture["b"]?.start.source == .file)
  }

  @Test func `a creation time that two recordings of a camera have is neither's, also after a start`() throws {
    try makeFolder(folder.path("front"))
    try makeFolder(folder.path("rear"))
    for name in ["front/a", "front/b", "rear/a"] {
      try put(Samples.dated, folder.path("\(name).mp4"))
      try fixture.waitUntilReady(name)
    }
    #expect(["front/a", "front/b", "rear/a"].map { fixture[$0]?.start.source } == [.file, .file, .creation])
    // The first of a segmenter's files are eventually deleted; the others do not change because of that.
    try FileTree.remove(folder.path("front/a.mp4"))
    try fixture.wait("it is gone") { $0.recording(named: "front/a") == nil }
    try put(Samples.dated, folder.path("front/c.mp4"))
    try fixture.waitUntilReady("front/c")
    #expect(fixture["front/c"]?.start.source == .file)
    fixture.library.stop()
    let again = try LibraryFixture(in: folder, role: .command, isStarted: false)
    #expect(["front/b", "front/c", "rear/a"].map { again[$0]?.start.source } == [.file, .file, .creation])
  }

  // MARK: Bad input

  @Test func `each bad file is refused with its reason, and the good one beside it is served`() throws {
    try put([], folder.path("empty.mp4"))
    try put(Array("This is a text, and no film at all.".utf8), folder.path("text.mp4"))
    try put(Array(Samples.moovLast.prefix(Samples.moovLast.count / 2)), folder.path("cut.mp4"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("link.mp4"), withDestinationPath: "/etc/passwd")
    #expect(mkfifo(folder.path("pipe.mp4"), 0o600) == 0)
    try makeFolder(folder.path("folder.mp4"))
    try put(Samples.moovLast, folder.path("good.mp4"))
    try fixture.waitUntilReady("good")
    // The files were closed, so the library waits only for a short grace period.
    fixture.move(seconds: 2)
    for name in ["empty", "text", "cut", "link", "pipe"] {
      let isCutOff = ["empty", "cut"].contains(name)
      try fixture.waitForState(name) { if case .refused(_, isCutOff: isCutOff) = $0 { true } else { false } }
    }
    #expect(fixture.reason("empty")?.contains("empty") == true)
    #expect(fixture.reason("text")?.contains("MP4") == true)
    #expect(fixture.reason("link")?.hasPrefix("it is a symbolic link") == true)
    #expect(fixture.reason("pipe") == "it is not a regular file")
    #expect(fixture["folder"] == nil)
    #expect(fixture["good"]?.state == .ready)
    let error = #expect(throws: LibraryError.self) { try fixture.library.open(try #require(fixture["cut"])) }
    guard case .notReady(_, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason == fixture.reason("cut"))
    #expect(contents(folder.path("text.mp4"))?.count == 35)
  }

  @Test func `a refused file that is mended is served`() throws {
    try put(Array("This is a text, and no film at all.".utf8), folder.path("a.mp4"))
    try fixture.waitForState("a") { if case .refused = $0 { true } else { false } }
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
  }

  @Test func `names that hide are left out, and one that is no text is refused, with one line each`() throws {
    try put(Samples.moovLast, folder.path(".hidden.mp4"))
    try makeFolder(folder.path(".secret"))
    try put(Samples.moovLast, folder.path(".secret/a.mp4"))
    let odd = Array(folder.location.utf8) + [0x2F, 0xFF, 0x2E, 0x6D, 0x70, 0x34, 0]
    close(odd.withUnsafeBytes { open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_CREAT | O_WRONLY, 0o600) })
    try put(Samples.moovLast, folder.path("z.mp4"))
    try fixture.waitUntilReady("z")
    fixture.move(seconds: 301)
    try put(Samples.moovLast, folder.path("zz.mp4"))
    try fixture.waitUntilReady("zz")
    #expect(fixture.library.snapshot.count == 3)
    let leftOut = fixture.log.all.compactMap { if case .leftOut(let path, _, _) = $0 { path } else { nil } }
    #expect(leftOut == [".hidden.mp4"])
    let refused = fixture.log.all.compactMap {
      if case .refused(let path, let reason, _) = $0 { "\(path): \(reason)" } else { nil }
    }
    #expect(refused.count == 1 && refused.first?.hasPrefix("\u{FFFD}.mp4: ") == true, "\(refused)")
    #expect(refused.first?.contains("is not UTF-8") == true)
  }

  @Test func `a folder that is a link is not followed`() throws {
    let outside = try TemporaryFolder()
    try put(Samples.moovLast, outside.path("a.mp4"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("cam"), withDestinationPath: outside.location)
    try put(Samples.moovLast, folder.path("b.mp4"))
    try fixture.waitUntilReady("b")
    fixture.move(seconds: 301)
    try fixture.wait("the second scan") { _ in fixture.log.all.contains { "\($0)".hasPrefix("left out: cam") } }
    #expect(fixture.library.snapshot.count == 1)
  }

  @Test func `of two files with one name the first has it, and the second when the first goes`() throws {
    try put(Samples.moovLast, folder.path("x.mp4"))
    try fixture.waitUntilReady("x")
    try put(Samples.quickTime, folder.path("x.mov"))
    try fixture.wait("the clash is listed") { $0.recording(named: "x.mov") != nil }
    #expect(fixture.reason("x.mov")?.hasPrefix("name taken by x.mp4") == true)
    #expect(fixture["x"]?.path.text == "x.mp4")
    try FileTree.remove(folder.path("x.mp4"))
    try fixture.wait("the other has the name") { $0.recording(named: "x")?.path.text == "x.mov" }
    try fixture.waitUntilReady("x")
    #expect(fixture["x.mov"] == nil)
    #expect(fixture.library.snapshot.count == 1)
  }

  @Test func `a rename to another extension keeps the name`() throws {
    try put(Samples.moovLast, folder.path("x.mp4"))
    try fixture.waitUntilReady("x")
    try FileTree.rename(folder.path("x.mp4"), replacing: folder.path("x.m4v"))
    try fixture.wait("renamed") { $0.recording(named: "x")?.path.text == "x.m4v" && $0.count == 1 }
    try fixture.waitUntilReady("x")
  }

  // MARK: Growing

  @Test func `a file is being recorded while its writer has it open, and ready when it is closed`() throws {
    try put([], folder.path("a.mp4"))
    let file = try FileHandle(forWritingTo: URL(filePath: folder.path("a.mp4")))
    for start in stride(from: 0, to: Samples.moovLast.count, by: 10_000) {
      try file.write(contentsOf: Samples.moovLast[start..<min(start + 10_000, Samples.moovLast.count)])
    }
    // All bytes are there, but the file may still change.
    try fixture.waitForState("a") { $0 == .recording }
    fixture.move(seconds: 2)
    try fixture.wait("its size is seen") { $0.recording(named: "a")?.size == UInt64(Samples.moovLast.count) }
    #expect(fixture["a"]?.state == .recording)
    try file.close()
    try fixture.waitUntilReady("a")
  }

  @Test func `a recorder that sleeps is recording, and one that dies leaves a refused file, or a recovered one`() throws
  {
    // A recorder writes moov when it stops; one that writes fragments continues to append.
    let moov = try #require(Samples.moovLast.indices.last { Samples.moovLast[$0...].starts(with: "moov".utf8) }) - 4
    let files = [
      ("plain.mp4", Samples.moovLast, moov), ("fragmented.mp4", Samples.fragmented, Samples.fragmented.count * 3 / 4),
    ]
    var handles: [FileHandle] = []
    for (name, bytes, cut) in files {
      try put([], folder.path(name))
      let handle = try FileHandle(forWritingTo: URL(filePath: folder.path(name)))
      try handle.write(contentsOf: bytes.prefix(cut))
      handles.append(handle)
    }
    for name in ["plain", "fragmented"] { try fixture.waitForState(name) { $0 == .recording } }
    // The length of the silence does not matter.
    for seconds in [11.0, 61, 301, 4_000] {
      fixture.move(seconds: seconds)
      try put(Samples.moovFirst, folder.path("mark.mp4"))
      try fixture.waitUntilReady("mark")
      try FileTree.remove(folder.path("mark.mp4"))
      try fixture.wait("the mark is gone") { $0.recording(named: "mark") == nil }
      #expect(fixture["plain"]?.state == .recording)
      #expect(fixture["fragmented"]?.state == .recording)
    }
    for handle in handles { try handle.close() }
    fixture.move(seconds: 2)
    try fixture.waitForState("plain") { if case .refused(_, isCutOff: true) = $0 { true } else { false } }
    try fixture.waitUntilReady("fragmented")
    #expect(fixture["fragmented"]?.isRecovered == true)
    #expect(fixture.reason("plain")?.contains("the recorder never finished this file") == true)
    // Both files are finished after all.
    for (name, bytes, cut) in files {
      let handle = try FileHandle(forWritingTo: URL(filePath: folder.path(name)))
      try handle.seekToEnd()
      try handle.write(contentsOf: bytes.dropFirst(cut))
      try handle.close()
    }
    try fixture.waitUntilReady("plain")
    try fixture.wait("whole at last") { $0.recording(named: "fragmented")?.isRecovered == false }
    try fixture.waitUntilReady("fragmented")
    #expect(try fixture.served("plain") == (try expected(Samples.moovLast)))
  }

  @Test func `a bystander that opens and closes a file does not make it recovered`() throws {
    try put([], folder.path("a.mp4"))
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.path("a.mp4")))
    try handle.write(contentsOf: Samples.fragmented.prefix(Samples.fragmented.count * 3 / 4))
    try fixture.waitForState("a") { $0 == .recording }
    let bystander = try FileHandle(forWritingTo: URL(filePath: folder.path("a.mp4")))
    try bystander.close()
    for _ in 0..<5 {
      fixture.move(seconds: 3)
      try put(Samples.moovFirst, folder.path("mark.mp4"))
      try fixture.waitUntilReady("mark")
      try FileTree.remove(folder.path("mark.mp4"))
      try fixture.wait("the mark is gone") { $0.recording(named: "mark") == nil }
      #expect(fixture["a"]?.state == .recording)
    }
    try handle.close()
    fixture.move(seconds: 3)
    try fixture.waitUntilReady("a")
    #expect(fixture["a"]?.isRecovered == true)
  }

  @Test func `a hard link to a file that is being written is recording until it is closed`() throws {
    let outside = try TemporaryFolder()
    try put(Samples.moovLast, outside.path("x"))
    let handle = try FileHandle(forWritingTo: URL(filePath: outside.path("x")))
    try FileTree.link(outside.path("x"), as: folder.path("a.mp4"))
    try fixture.waitForState("a") { $0 == .recording }
    // The close is reported only under the other name.
    try handle.close()
    fixture.move(seconds: 3)
    try fixture.waitUntilReady("a")
  }

  @Test func `an overwriting that puts the modification time back is noticed, and ends a response`() throws {
    let outside = try TemporaryFolder()
    try put(Samples.moovFirst, outside.path("x"))
    try age(outside.path("x"), by: 100)
    try FileTree.rename(outside.path("x"), replacing: folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let before = try #require(fixture["a"])
    let representation = try fixture.library.open(before)
    // A link to the file moves its change time, too, and nothing else.
    try FileTree.link(folder.path("a.mp4"), as: outside.path("other name"))
    var bytes = Samples.moovFirst
    bytes[bytes.count / 2] ^= 0xFF
    bytes[bytes.count - 1] ^= 0xFF
    try FileManager.default.copyItem(atPath: folder.path("a.mp4"), toPath: outside.path("reference"))
    #expect(try run("touch", ["-r", folder.path("a.mp4"), outside.path("reference")]) == 0)
    #expect(representation.isUnchanged())
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.path("a.mp4")))
    try handle.write(contentsOf: bytes)
    #expect(try run("touch", ["-r", outside.path("reference"), folder.path("a.mp4")]) == 0)
    try handle.close()
    try fixture.wait("the other bytes") {
      $0.recording(named: "a")?.state == .ready && $0.recording(named: "a")?.entityTag != before.entityTag
    }
    #expect(fixture["a"]?.version == before.version)
    #expect(!representation.isUnchanged())
    #expect(throws: LibraryError.changed(name: "a")) { try before.open() }
    #expect(try fixture.served("a") == bytes)
  }

  @Test func `an old file that is cut short is refused at once`() throws {
    let outside = try TemporaryFolder()
    for (name, seconds) in [("old.mp4", 60.0), ("future.mp4", -3_600)] {
      try put(Array(Samples.moovLast.dropLast(10)), outside.path(name))
      try age(outside.path(name), by: seconds)
      // A process that another test has just started has this process's writable descriptors until it executes its
      // program.
      try fixture.wait("nobody holds it") { _ in
        (try? RandomAccessFile(path: outside.path(name)).hasNoWriter()) ?? false
      }
      try FileTree.rename(outside.path(name), replacing: folder.path(name))
    }
    for name in ["old", "future"] {
      try fixture.waitForState(name) { if case .refused = $0 { true } else { false } }
    }
    #expect(!fixture.log.all.contains(.recording(name: "old")))
  }

  @Test func `ffmpeg records into the folder`() throws {
    try makeFolder(folder.path("front"))
    #expect(
      try run(
        "ffmpeg",
        [
          "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-c:v", "libx264",
          "-preset", "ultrafast", "-pix_fmt", "yuv420p", folder.path("front/x.mp4"),
        ]) == 0)
    try fixture.waitUntilReady("front/x")
    #expect(fixture["front/x"]?.camera == "front")
    #expect(fixture.log.all.contains(.recording(name: "front/x")))
  }

  // MARK: Going

  @Test func `a deleted file leaves list, catalog and preambles, and those who read it go on`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let representation = try fixture.library.open(try #require(fixture["a"]))
    try FileTree.remove(folder.path("a.mp4"))
    try fixture.wait("gone") { $0.count == 0 }
    #expect(representation.isUnchanged())
    #expect(
      try representation.bytes.bytes(at: 0, count: Samples.moovLast.count) == (try expected(Samples.moovLast)))
    fixture.library.stop()
    #expect(try FolderListing.entries(of: fixture.library.place.heads).isEmpty)
    let rows = try Database(path: fixture.library.place.catalog).prepare("SELECT count(*) FROM recordings").integer()
    #expect(rows == 0)
  }

  @Test func `a copy with the same times keeps the preamble that it shares`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try age(folder.path("a.mp4"), by: 100)
    #expect(try run("cp", ["-p", folder.path("a.mp4"), folder.path("b.mp4")]) == 0)
    try fixture.wait("both have one tag") {
      let tags = $0.recordings.compactMap(\.entityTag)
      return tags.count == 2 && Set(tags).count == 1
    }
    try FileTree.remove(folder.path("a.mp4"))
    try fixture.wait("gone") { $0.count == 1 }
    #expect(try fixture.served("b") == (try expected(Samples.moovLast)))
  }

  @Test func `a file replaced by rename has a new version, and the old one is read to its end`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let before = try #require(fixture["a"])
    let representation = try fixture.library.open(before)
    try put(Samples.other, folder.path("new.part"))
    try FileTree.rename(folder.path("new.part"), replacing: folder.path("a.mp4"))
    try fixture.wait("new version") {
      $0.recording(named: "a")?.state == .ready && $0.recording(named: "a")?.entityTag != before.entityTag
    }
    #expect(representation.isUnchanged())
    #expect(representation.entityTag == before.entityTag)
    #expect(try fixture.served("a") == (try expected(Samples.other)))
    // The old version is no longer available.
    #expect(throws: LibraryError.changed(name: "a")) { try before.open() }
  }

  @Test func `a file changed in place is seen by those who read it`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let before = try #require(fixture["a"])
    let representation = try fixture.library.open(before)
    #expect(representation.isUnchanged())
    #expect(truncate(folder.path("a.mp4"), 1_000) == 0)
    #expect(!representation.isUnchanged())
    #expect(throws: LibraryError.changed(name: "a")) { try fixture.library.open(before) }
    try fixture.waitForState("a") { $0 != .ready }
  }

  @Test func `folders come, move and go with all that is in them`() throws {
    let outside = try TemporaryFolder()
    try makeFolder(outside.path("cam/day/hour"))
    try put(Samples.moovLast, outside.path("cam/day/hour/a.mp4"))
    try put(Samples.moovLast, outside.path("cam/b.mp4"))
    try FileTree.rename(outside.path("cam"), replacing: folder.path("cam"))
    try fixture.waitUntilReady("cam/day/hour/a")
    try fixture.waitUntilReady("cam/b")
    try FileTree.rename(folder.path("cam"), replacing: folder.path("left"))
    try fixture.wait("moved") { $0.count == 2 && $0.recording(named: "left/day/hour/a")?.state == .ready }
    // A file that is written below it is reported under the new name.
    try put(Samples.moovLast, folder.path("left/day/hour/c.mp4"))
    try fixture.waitUntilReady("left/day/hour/c")
    try FileTree.rename(folder.path("left/day"), replacing: outside.path("day"))
    try fixture.wait("half is gone") { $0.count == 1 }
    try put(Samples.moovLast, outside.path("day/hour/d.mp4"))
    try FileTree.removeFolder(folder.path("left"))
    try fixture.wait("all is gone") { $0.count == 0 }
    // A path that was watched before.
    try makeFolder(folder.path("left/day"))
    try put(Samples.moovLast, folder.path("left/day/e.mp4"))
    try fixture.waitUntilReady("left/day/e")
    #expect(fixture.library.snapshot.count == 1)
  }

  @Test func `folders made in a burst are found with their files`() throws {
    for index in 0..<30 {
      try makeFolder(folder.path("c\(index)/a/b"))
      try put(Samples.moovFirst, folder.path("c\(index)/a/b/x.mp4"))
    }
    try fixture.wait("all are ready") { $0.recordings.count { $0.state == .ready } == 30 }
  }

  @Test func `the recordings folder itself goes and comes back`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    try FileTree.removeFolder(folder.location)
    try fixture.wait("nothing is listed") { $0.count == 0 }
    fixture.move(seconds: 2)
    try fixture.wait("it is missed") { _ in fixture.log.warnings.contains { $0.contains("is gone") } }
    try makeFolder(folder.location)
    try put(Samples.moovLast, folder.path("b.mp4"))
    fixture.move(seconds: 2)
    try fixture.waitUntilReady("b")
    #expect(try fixture.served("b") == (try expected(Samples.moovLast)))
    #expect(fixture.log.warnings.count { $0.contains("is gone") } == 1)
    #expect(fixture.log.warnings.count { $0.hasSuffix(" is back") } == 1)
  }

  @Test func `what is kept beside the recordings is made again when it is deleted`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    // A last look at the file may store its preamble once more meanwhile.
    let state = fixture.library.place.state
    try fixture.wait("it is deleted") { _ in (try? FileTree.removeFolder(state)) != nil }
    #expect(try fixture.served("a") == (try expected(Samples.moovLast)))
    fixture.move(seconds: 2)
    try fixture.wait("preamble and row are there again") { _ in
      let catalog = try? Catalog.open(at: fixture.library.place, access: .readOnly)
      return (try? fixture.served("a")) != nil && (try? catalog?.load(device: 1).count) == 1
    }
    // The lock is recreated, too, so that a second server is refused.
    #expect(throws: LibraryError.alreadyServed(folder: folder.location)) { try LibraryFixture(in: folder) }
  }
}
